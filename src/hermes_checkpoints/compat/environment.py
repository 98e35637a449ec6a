"""What lies in this Python environment: the agent, its program, and what an adoption puts there.

Three files lead the agent's own programs to the stand-ins. ``….pth`` is a line that Python runs at
its start; from 3.15 on Python reads ``….start`` instead, where both are there (PEP 829), and from
3.18 on nothing else. Both name a module of its own (``startup``), which lies beside them, so that
it is found, and does nothing, after this package was uninstalled.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import hashlib
import os
import pkgutil
import re
import shutil
import site
import sys
import sysconfig
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from hermes_checkpoints.errors import BadRequest

AGENT = "hermes-agent"
COMMAND = "hermes-checkpoints-command"
"""The distribution that has the program ``hermes`` where no agent is."""
TESTED = "0.19."
"""The versions of the agent that the stand-ins are made for."""

NAME = "hermes_checkpoints_adopted"
_LINES = {".start": f"{NAME}:start\n", ".pth": f"import {NAME}\n"}
_SCRIPTS = ("hermes", "hermes.exe")
_ITS_OTHER = ("hermes-agent", "run_agent", "main")
_SCRIPT = """#!{python}
import sys
from {module} import {function}
if __name__ == "__main__":
    sys.argv[0] = sys.argv[0].removesuffix(".exe")
    sys.exit({function}())
"""
_LONGEST_FIRST_LINE = 127
"""So many characters of a script's first line does every system read."""


def agent_version() -> str | None:
    """Return the version of the agent that is installed here, or None."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(AGENT)
    return None


def require_agent() -> str:
    """Return the version of the agent that is installed here.

    Raises:
        BadRequest: when it is not.
    """
    version = agent_version()
    if version is None:
        raise BadRequest(
            f"{AGENT} is not installed in {sys.prefix}; install this package with the agent's own "
            "Python and run `adopt` there"
        )
    return version


def is_tested(version: str) -> bool:
    """Tell whether a version of the agent is one that the stand-ins are made for."""
    return version.startswith(TESTED)


def command_is_here() -> bool:
    """Tell whether the distribution is installed here that belongs where no agent is."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        return bool(metadata.version(COMMAND))
    return False


# --- what leads to the stand-ins ---------------------------------------------------------------


def site_packages() -> Path:
    """Return the folder of which Python reads ``.pth`` files and in which the agent is installed;
    where it is not, the one that has the files of an adoption, else that of this environment."""
    here = Path(sysconfig.get_path("purelib"))
    places = [here, *([Path(site.getusersitepackages())] if site.ENABLE_USER_SITE else [])]
    with contextlib.suppress(metadata.PackageNotFoundError):
        agents = Path(str(metadata.distribution(AGENT).locate_file("")))
        return agents if agents in places else here
    return next((one for one in places if (one / f"{NAME}.pth").exists()), here)


def startup_files() -> dict[Path, bytes]:
    """Return the files that lead to the stand-ins, in the order in which they are written: none of
    them names one that is not there."""
    folder = site_packages()
    source = pkgutil.get_data(__package__, "startup.py")
    assert source is not None  # noqa: S101 - this package has it
    files = {folder / f"{NAME}.py": source}
    return files | {folder / f"{NAME}{end}": line.encode() for end, line in _LINES.items()}


def startup_line() -> Path:
    """Return the file of those by which Python runs the others at its start."""
    return site_packages() / f"{NAME}.pth"


def record_file() -> Path:
    """Return the file that tells what an adoption changed, so that it can be taken back."""
    return site_packages() / f"{NAME}.json"


def compiled_files() -> list[Path]:
    """Return what Python keeps of the module that is written into site-packages."""
    return sorted((site_packages() / "__pycache__").glob(f"{NAME}.*.pyc"))


def compile_startup() -> None:
    """Let Python keep the module that is written into site-packages compiled, also for who cannot
    write there: else each start would compile it, which takes longer than all else it does."""
    import py_compile

    with contextlib.suppress(OSError, py_compile.PyCompileError):
        py_compile.compile(str(site_packages() / f"{NAME}.py"), doraise=True)


def forget_compiled() -> None:
    """Remove what Python keeps of a module that is not there any more."""
    if not (site_packages() / f"{NAME}.py").exists():
        for path in compiled_files():
            with contextlib.suppress(OSError):
                path.unlink()


def missing_of_startup() -> tuple[Path, ...] | None:
    """Return which of the files that lead to the stand-ins are missing, or not as they are written;
    None where there is none of them at all.

    Raises:
        OSError: when one cannot be read.
    """
    files = startup_files()
    found = {path: path.read_bytes() if path.is_file() else None for path in files}
    if not any(content is not None for content in found.values()):
        return None
    return tuple(path for path, content in found.items() if content != files[path])


# --- the agent's program -----------------------------------------------------------------------


def agents_program() -> Path | None:
    """Return where the agent's installation has put its program ``hermes``, whatever lies there;
    None where it has none."""
    try:
        agent = metadata.distribution(AGENT)
    except metadata.PackageNotFoundError:
        return None
    for path, _ in _scripts(agent):
        return Path(os.path.normpath(str(agent.locate_file(path))))
    return None


def _scripts(agent: metadata.Distribution) -> Iterator[tuple[str, str]]:
    """Yield where the agent's installation says to have put its program, and the digest of it. Read
    from its record: Python lists only files that are still there."""
    for row in csv.reader((agent.read_text("RECORD") or "").splitlines()):
        folder, _, name = row[0].rpartition("/") if row else ("", "", "")
        if name in _SCRIPTS and folder.rpartition("/")[2] in ("bin", "Scripts"):
            yield row[0], row[1].removeprefix("sha256=") if len(row) > 1 else ""


def is_agents(program: Path) -> bool:
    """Tell whether a program is there and is not one that this package brought."""
    try:
        return b"hermes_checkpoints" not in program.read_bytes()
    except FileNotFoundError:
        return False
    except OSError:  # closed to this user, or no file: not ours
        return True


def program_anew(program: Path) -> bytes:
    """Return the agent's program ``hermes`` as its installation wrote it, where the former version
    of this package, which had a program of that name, took it away.

    Raises:
        BadRequest: when only an installer can make it, with the command that does.
    """
    agent = metadata.distribution(AGENT)
    command = f"{sys.executable} -m pip install --force-reinstall --no-deps"
    remedy = f"{command} {AGENT}=={agent.version}"
    found = [
        entry
        for entry in agent.entry_points.select(group="console_scripts", name="hermes")
        if re.fullmatch(r"[\w.]+:\w+", entry.value)
    ]
    if not found or program.suffix:
        raise BadRequest(
            f"the agent's program {program} was replaced by one of an earlier version of this "
            f"package; bring it back first: {remedy}",
            hint=remedy,
        )
    module, _, function = found[0].value.partition(":")
    for text in (*_like_its_other(program, module, function), _script(module, function)):
        if _is_as_recorded(agent, text):
            return text
    return _script(module, function)


def _like_its_other(program: Path, module: str, function: str) -> list[bytes]:
    """Return what the installer would have written, by what it wrote for another program."""
    name, other, main = _ITS_OTHER
    try:
        beside = (program.parent / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    line = f"from {other} import {main}\n"
    if main != function or line not in beside:
        return []
    return [beside.replace(line, f"from {module} import {function}\n").encode()]


def _script(module: str, function: str) -> bytes:
    text = _SCRIPT.format(python=sys.executable, module=module, function=function)
    if " " in sys.executable or len(sys.executable) + 2 > _LONGEST_FIRST_LINE:
        # as installers write it: for a shell the rest is a text, and for Python the shell's line
        shell = f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n"
        text = shell + text.partition("\n")[2]
    return text.encode("utf-8", "surrogateescape")


def _is_as_recorded(agent: metadata.Distribution, text: bytes) -> bool:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    return any(noted == digest for _, noted in _scripts(agent))


def program_to_run() -> list[str]:
    """Return how the agent's program ``hermes`` is started."""
    program = agents_program()
    if program is not None and shutil.which(program) and is_agents(program):
        return [str(program)]
    return [sys.executable, "-m", "hermes_cli.main"]
