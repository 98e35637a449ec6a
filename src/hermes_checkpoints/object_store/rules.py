"""What no checkpoint holds by default, and what leaves it out beside .gitignore files.

The list is the union of what v1 and v2 excluded and today's usual caches and secrets. It lies
in a marked block of the store's ``info/exclude``: a new list reaches old stores, and lines that
an administrator wrote outside the block stay. A project's own .gitignore files win over it, as in
git. Git is given one file for each project, which has these lines and more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.fs.inspect import small_contents
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


@dataclass(frozen=True)
class Excludes:
    """The patterns that leave something out beside the project's .gitignore files, the weaker
    first: the built-in list, what is configured for all projects and for this one, the lines that
    an administrator added, and, of the repository that the project belongs to, what
    ``.git/info/exclude`` has."""

    configured: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    clone: tuple[str, ...] = ()

    def text(self, meant: Iterable[str]) -> bytes:
        """Return the file of patterns for a project, in which the directories ``meant`` are not
        left out by the word that is their name: nothing proves that a tool has made them."""
        lines = [line for title in BUILT_IN_EXCLUDES for line in built_in_lines(title)]
        lines += [f"!{literal_pattern(path)}" for path in sorted(meant)]
        lines += [*self.configured, *self.project, *self.own, *self.clone]
        return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def built_in_lines(title: str) -> list[str]:
    """Return the lines that git is given for a part of the built-in list: names of secrets match in
    any case, as ``.ENV`` is the same file as ``.env`` where a file system says so.

    >>> built_in_lines("secrets")[0]
    '.[eE][nN][vV]'
    """
    patterns = BUILT_IN_EXCLUDES[title]
    return [_in_any_case(one) for one in patterns] if title == "secrets" else list(patterns)


def _in_any_case(pattern: str) -> str:
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in pattern)


def write_excludes(file: Path, extra: Iterable[str]) -> Excludes:
    """Bring the block of ``info/exclude`` up to date and return the patterns of the whole file.

    ``extra`` are patterns of the configuration; they come after the built-in list, so that they
    win, and before what an administrator added.
    """
    try:
        present = file.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        present = ""
    configured, own = tuple(extra), _own_lines(present)
    wanted = _merge(configured, own)
    if wanted != present:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, wanted.encode("utf-8", "surrogateescape"))
    return Excludes(configured, own=tuple(own))


def read_excludes(file: Path, extra: Iterable[str]) -> Excludes:
    """Return the patterns that ``write_excludes`` would return, and write nothing."""
    text = small_contents(file).decode("utf-8", "surrogateescape")
    return Excludes(tuple(extra), own=tuple(_own_lines(text)))


def _own_lines(present: str) -> list[str]:
    own: list[str] = []
    inside = False
    for line in present.splitlines():
        if line == _BEGIN:
            inside = True
        elif line == _END:
            inside = False
        elif not inside:
            own.append(line)
    return own


def _merge(configured: Iterable[str], own: Iterable[str]) -> str:
    block = [_BEGIN]
    for title in BUILT_IN_EXCLUDES:
        block += [f"# {title}", *built_in_lines(title)]
    if configured:
        block += ["# exclude: of config.yaml", *configured]
    return "\n".join([*block, _END, *own]) + "\n"


def literal_pattern(path: str) -> str:
    """Return the .gitignore pattern that matches just this directory of the project. A line feed in
    its name would end the pattern: it is written as what is none of all other bytes."""
    special = "\\*?[ !#"
    text = "".join("\\" + c if c in special else c for c in path)
    return "/" + text.replace("\n", "[!\x01-\x09\x0b-\udcff]") + "/"
