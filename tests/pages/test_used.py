"""What a page shows besides commands is so: settings are used, trees are those of a base."""

from __future__ import annotations

import re
import stat
from dataclasses import fields
from pathlib import Path

from hermes_checkpoints import Checkpoints, Sessions
from hermes_checkpoints.base.cap import CapPrune
from hermes_checkpoints.base.machine import machine_of
from hermes_checkpoints.config import load_config, load_remote_config
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import MB
from hermes_checkpoints.remote_config import RemoteConfig
from pages.blocks import PAGES, blocks, only
from remote.servers import bare, refs_of
from support import machine_in


def test_the_keys_of_a_project_are_read(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(only("docs/agent.md", "yaml"), encoding="utf-8")
    config = load_config(file)
    assert (config.enabled, config.warnings) == (True, ())
    site, private = (config.of_project(Path.home() / name) for name in ("site", "private"))
    assert (site.max_files, site.max_snapshots, site.enabled) == (200_000, 50, True)
    assert site.exclude == ("uploads/",)
    assert not private.enabled


def test_the_remote_of_the_page_is_read(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    for block in blocks("docs/remote.md", "yaml"):
        file.write_text(block.text, encoding="utf-8")
        assert load_config(file).warnings == ()
        found = load_remote_config(file)
        assert (found.is_on, found.warnings) == (True, ())
        assert found.url in block.text


def test_the_page_of_the_remote_has_every_key_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `?(.*?)`? \| ", PAGES["docs/remote.md"], re.MULTILINE)
    told = {name: default for name, default in rows if default}
    defaults = {one.name: one.default for one in fields(RemoteConfig) if one.name != "warnings"}
    assert told.keys() == defaults.keys()
    for name, default in defaults.items():
        plain = f"[{', '.join(default)}]" if isinstance(default, tuple) else str(default)
        assert told[name] == (plain or '""'), name


def test_the_remote_is_as_its_page_shows_it(home: Path, project: Path, tmp_path: Path) -> None:
    undo = bare(tmp_path / "undo.git")
    (home / "config.yaml").write_text(f"checkpoints: {{remote: {{url: {undo}}}}}\n")
    with Checkpoints.open() as checkpoints:
        checkpoints.project(project).take("one")
        checkpoints.push()
    lines = blocks("docs/remote.md", "text")[0].text.splitlines()
    patterns = [
        line.split("  ")[0]
        .replace("<machine>", machine_of(Layout.of(), 30).id or "")
        .replace("<project>", project_hash(project))
        .replace("<time>", "[0-9TZ]+")
        .replace("<8 hexadecimal digits>", "[0-9a-f]{8}")
        for line in lines
    ]
    refs = refs_of(undo)
    assert all(any(re.fullmatch(one, ref) for one in patterns) for ref in refs)
    assert all(any(re.fullmatch(one, ref) for ref in refs) for one in patterns)
    assert len(refs) == 2


def test_sessions_are_mirrored(fresh_home: Path) -> None:
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text(only("docs/sessions.md", "yaml"), encoding="utf-8")
    with Sessions.open(fresh_home) as sessions:
        sessions.write("../x", {})
    assert (fresh_home / "checkpoints" / "%2E.%2Fx.yaml").exists()


def test_the_note_of_a_prune_is_so() -> None:
    told = CapPrune("2026-11-28 12:00:00+00:00", 3 * MB, dropped=5, freed_bytes=5 * MB)
    with machine_in("UTC"):
        assert only("docs/retention.md", "text") == f"Note: {told.text}\n"


def test_the_home_is_as_the_readme_shows_it(home: Path, project: Path) -> None:
    (home / "config.yaml").write_text("checkpoints: {}\nsessions: {}\n")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        assert checkpoints.config.warnings == ()
    first, *rows = only("README.md", "text").splitlines()
    assert first.startswith("$HERMES_HOME/ ")
    folder = home
    for row in rows:
        indent, name = re.match(r"( +)(\S+)", row).groups()  # type: ignore[union-attr]
        path = (home if len(indent) == 2 else folder) / name
        assert path.is_dir() == name.endswith("/"), row
        assert path.exists(), row
        for mode in re.findall(r"mode (\d+)", row):
            assert stat.S_IMODE(path.stat().st_mode) == int(mode, 8), row
        folder = path if len(indent) == 2 else folder


def test_the_store_is_as_its_page_shows_it(home: Path, project: Path) -> None:
    layout = Layout.of(home)
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
    store = layout.store
    (store / "config").write_text("another\n")
    ref = next(path for path in (store / "refs/checkpoints").rglob("*") if path.is_file())
    ref.with_name(ref.name[:-8] + "0" * 8).write_text("1" * 40 + "\n")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.prune()
        (project / "README.md").unlink()
        checkpoints.project(project).take()
    first, *rows = only("docs/format.md", "text").splitlines()
    assert first.startswith("store/ ")
    for row in rows:
        name = row.split()[0].replace("<hash16>", "[0-9a-f]" * 16).replace("…", "*")
        found = [*store.glob(name.rstrip("/"))]
        assert found and all(path.is_dir() == name.endswith("/") for path in found), row
