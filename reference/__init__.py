"""What the documentation has from the code: ``python -m reference`` writes it anew."""

from __future__ import annotations

from pathlib import Path


def made(checkout: Path) -> dict[str, str]:
    """Return the files that are made of the code, by their paths in the checkout."""
    from reference import manual, page, schemas

    written = (checkout / "docs/json.md").read_text(encoding="utf-8")
    return {
        "docs/json.md": page.with_parts(written),
        **{f"docs/schema/{name}": text for name, text in schemas.files().items()},
        **{f"docs/man/{name}": text for name, text in manual.files().items()},
    }
