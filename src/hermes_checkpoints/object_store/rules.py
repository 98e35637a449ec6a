"""What no checkpoint holds by default, kept in the store's ``info/exclude``.

The list is the union of what v1 and v2 excluded and today's usual caches and secrets. It lies
in a marked block of the file: a new list reaches old stores, and lines that an administrator
wrote outside the block stay. A project's own .gitignore files win over it, as in git.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from hermes_checkpoints.fs.system import write_atomically

BUILT_IN_EXCLUDES: dict[str, tuple[str, ...]] = {
    "version control": (".git/", ".hg/", ".svn/", ".jj/", ".worktrees/"),
    "dependencies": ("node_modules/", "bower_components/", ".pnpm-store/", ".yarn/cache/"),
    "build output": (
        *("dist/", "build/", "target/", "out/", ".next/", ".nuxt/", ".output/", ".svelte-kit/"),
        *(".turbo/", ".parcel-cache/", ".gradle/", "*.egg-info/", ".eggs/", ".terraform/"),
    ),
    "caches": (
        *("__pycache__/", "*.pyc", "*.pyo", ".cache/", ".pytest_cache/", ".mypy_cache/"),
        *(".ruff_cache/", ".hypothesis/", ".tox/", ".nox/", ".ipynb_checkpoints/"),
        *("coverage/", ".coverage", ".coverage.*", ".nyc_output/", ".eslintcache", ".ccache/"),
    ),
    "virtual environments": (".venv/", "venv/", "env/", ".direnv/"),
    "compiled files": (
        *("*.so", "*.dylib", "*.dll", "*.o", "*.a", "*.jar", "*.class", "*.exe", "*.obj"),
    ),
    "media and archives": (
        *("*.mp4", "*.mov", "*.mkv", "*.webm", "*.zip", "*.tar", "*.tar.gz", "*.tgz", "*.7z"),
        *("*.rar", "*.iso"),
    ),
    "secrets": (
        *(".env", ".env.*", ".env.local", ".env.*.local", ".envrc", ".netrc", ".pypirc", ".npmrc"),
        *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "id_rsa", "id_dsa"),
        *("id_ecdsa", "id_ed25519", ".htpasswd", ".pgpass", "credentials.json"),
    ),
    "system files and logs": (".DS_Store", "Thumbs.db", "desktop.ini", "*.log"),
    "half-written files of a restore": (".hermes-restore-*",),
}

_BEGIN = "# BEGIN hermes-checkpoints (this block is rewritten; add lines outside of it)"
_END = "# END hermes-checkpoints"


def write_excludes(file: Path, extra: Iterable[str]) -> str:
    """Bring the block of ``info/exclude`` up to date and return a digest of the whole file.

    ``extra`` are patterns of the configuration; they come last, so that they win.
    """
    try:
        present = file.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        present = ""
    wanted = _merge(present, extra)
    if wanted != present:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, wanted.encode("utf-8", "surrogateescape"))
    return digest_of(file)


def digest_of(file: Path) -> str:
    """Return a digest of ``info/exclude`` as it is.

    Raises:
        OSError: when it cannot be read.
    """
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _merge(present: str, extra: Iterable[str]) -> str:
    own: list[str] = []
    inside = False
    for line in present.splitlines():
        if line == _BEGIN:
            inside = True
        elif line == _END:
            inside = False
        elif not inside:
            own.append(line)
    block = [_BEGIN]
    for title, patterns in BUILT_IN_EXCLUDES.items():
        block += [f"# {title}", *patterns]
    configured = tuple(extra)
    if configured:
        block += ["# exclude: of config.yaml", *configured]
    return "\n".join([*block, _END, *own]) + "\n"


def literal_pattern(path: str) -> str:
    """Return the .gitignore pattern that matches just this directory of the project."""
    special = "\\*?[ !#"
    return "/" + "".join("\\" + c if c in special else c for c in path) + "/"
