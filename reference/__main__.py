"""Write what the documentation has from the code: docs/schema, docs/json.md and docs/man."""

from __future__ import annotations

from pathlib import Path

from reference import made

CHECKOUT = Path(__file__).parent.parent


def main() -> None:
    """Write each file, and remove those of documents that are no more."""
    found = made(CHECKOUT)
    for folder in ("docs/schema", "docs/man"):
        for path in (CHECKOUT / folder).iterdir():
            if path.relative_to(CHECKOUT).as_posix() not in found:
                path.unlink()
    for name, text in found.items():
        (CHECKOUT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
