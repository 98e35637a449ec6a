"""An environment of the agent, as far as an adoption looks at it: site-packages with distributions,
and the agent's program."""

from __future__ import annotations

import importlib.metadata
import sysconfig
from pathlib import Path

import pytest

from hermes_checkpoints.compat import environment

PROGRAM = "import sys\nfrom hermes_cli.main import main\nsys.exit(main())\n"


def make_site(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder that is site-packages, for what is put there and for distributions."""
    site = folder / "lib" / "site"
    site.mkdir(parents=True)
    monkeypatch.syspath_prepend(site)
    real = sysconfig.get_path
    monkeypatch.setattr(
        sysconfig, "get_path", lambda name: str(site) if name == "purelib" else real(name)
    )
    return site


def install(site: Path, name: str = "hermes-agent", version: str = "0.19.0") -> None:
    """Install a distribution, as far as its metadata say so; the agent with its program."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    if name == "hermes-agent":
        entry = "[console_scripts]\nhermes = hermes_cli.main:main\n"
        (folder / "entry_points.txt").write_text(entry)
        (folder / "RECORD").write_text("../../bin/hermes,,\nhermes_cli/main.py,,\n")
        program = program_of(site)
        program.parent.mkdir(exist_ok=True)
        program.write_text(PROGRAM)
        program.chmod(0o755)
    assert importlib.metadata.version(name) == version


def program_of(site: Path) -> Path:
    """Return where the agent's program lies."""
    return site.parent.parent / "bin" / "hermes"


def lead(site: Path) -> dict[Path, bytes]:
    """Put there what leads to the stand-ins, and return it."""
    files = environment.startup_files()
    for path, content in files.items():
        assert path.parent == site
        path.write_bytes(content)
    return files
