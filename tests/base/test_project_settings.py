"""Settings of single projects, under ``projects:`` in the home's config.yaml."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints, Config, Rollback
from hermes_checkpoints.config import OF_ALL_PROJECTS, load_config
from hermes_checkpoints.model import Skipped, Taken
from support import Run, everything, make_project


def configured(home: Path, text: str) -> Config:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(f"checkpoints:\n{text}", encoding="utf-8")
    return load_config(home / "config.yaml")


def test_the_nearest_directory_at_or_above_decides(fresh_home: Path, tmp_path: Path) -> None:
    config = configured(
        fresh_home,
        f"""
  exclude: ["*.log"]
  max_files: 7
  projects:
    {tmp_path}: {{max_files: 8, exclude: "*.a", include: [keep/]}}
    {tmp_path}/in/side: {{max_files: 9, exclude: ["*.b", "*.c"]}}
""",
    )
    assert config.warnings == ()

    def found(path: Path) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
        own = config.of_project(path)
        return own.max_files, own.exclude, own.include

    assert found(tmp_path.parent) == (7, ("*.log",), ())
    assert found(tmp_path / "in") == (8, ("*.log", "*.a"), ("keep/",))
    assert found(tmp_path / "in/side/deep") == (9, ("*.log", "*.b", "*.c"), ())
    assert found(tmp_path / "in/sideways") == found(tmp_path)


def test_paths_are_read_with_home_and_links_resolved(fresh_home: Path, tmp_path: Path) -> None:
    user = Path(os.environ["HOME"])
    (tmp_path / "real").mkdir()
    (user / "link").symlink_to(tmp_path / "real")
    config = configured(fresh_home, "  projects: {~/link: {max_files: 3}, ~/other: false}\n")
    assert config.of_project(tmp_path / "real").max_files == 3
    assert config.own_of(user / "other") == {"enabled": False}


def test_all_that_is_wrong_is_named_and_the_rest_holds(fresh_home: Path) -> None:
    config = configured(
        fresh_home,
        """
  max_file: 3
  projects:
    relative: {max_files: 3}
    7: {}
    /srv/list: [a]
    /srv/site: {max_files: -1, retention_days: 3, exclud: [a], trigger: always, exclude: ["*.x"]}
""",
    )
    where = f"checkpoints: in {fresh_home / 'config.yaml'}: "
    problems = [
        "'relative' of projects is no absolute path",
        "7 of projects is no absolute path",
        "'/srv/list' of projects has no mapping of settings",
        "max_files is -1, using the general one (of project /srv/site)",
        "retention_days is not per project (of project /srv/site)",
        "unknown key 'exclud' (did you mean exclude?) (of project /srv/site)",
        "trigger is not per project (of project /srv/site)",
    ]
    general = f"{where}unknown key 'max_file' (did you mean max_files?)"
    assert config.warnings == (general, where + "; ".join(problems))
    assert config.own_of(Path("/srv/site")) == {"exclude": ("*.x",)}
    assert "no mapping of paths" in configured(fresh_home, "  projects: [a]\n").warning


def test_every_key_is_per_project_or_said_not_to_be(fresh_home: Path) -> None:
    names = {spec.name for spec in fields(Config)} - {"projects", "warnings"}
    assert names >= OF_ALL_PROJECTS
    values = {"enabled": "true", "exclude": "[a]", "include": "[a]"}
    own = ", ".join(f"{name}: {values.get(name, 1)}" for name in sorted(names - OF_ALL_PROJECTS))
    config = configured(fresh_home, f"  projects: {{/srv/site: {{{own}}}}}\n")
    assert config.warnings == ()
    assert config.own_of(Path("/srv/site")).keys() == names - OF_ALL_PROJECTS


def test_a_file_in_the_project_sets_nothing(home: Path, project: Path) -> None:
    text = f"checkpoints: {{projects: {{{project}: {{max_files: 1}}}}}}\n"
    for name in ("config.yaml", ".hermes/config.yaml", ".hermes.yaml"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    with Checkpoints.open() as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)


def test_a_take_goes_by_the_settings_of_its_project(home: Path, tmp_path: Path) -> None:
    site, other = make_project(tmp_path / "site"), make_project(tmp_path / "other")
    for folder in (site, other):
        (folder / "big.dat").write_bytes(bytes(2 << 20))
        (folder / "a.secret").write_text("s")
        (folder / "node_modules").mkdir()
        (folder / "node_modules/patched.js").write_text("mine")
    configured(
        home,
        f"""
  projects:
    {site}: {{max_file_size_mb: 1, exclude: ["*.secret"], include: [node_modules/]}}
    {other}: {{max_files: 2}}
""",
    )
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(site)
        assert isinstance(project.take(), Taken)
        assert [one.path for one in project.skipped()] == ["big.dat"]
        assert project.holds("1", "node_modules/patched.js")
        assert not project.holds("1", "a.secret")
        assert "a.secret" in project.coverage().ignored
        refused = checkpoints.project(other).take()
        assert isinstance(refused, Skipped)
        assert refused.code == "too-many-files"
        assert checkpoints.project(site).settings.max_file_size_mb == 1


def test_what_is_excluded_later_is_dropped_and_comes_back_with_the_setting(
    home: Path, project: Path
) -> None:
    (project / "a.secret").write_text("s")
    held = []
    for own in ("", f"  projects: {{{project}: {{exclude: ['*.secret']}}}}\n", ""):
        configured(home, f"  enabled: true\n{own}")
        with Checkpoints.open() as checkpoints:
            checkpoints.project(project).take()
            held.append(checkpoints.project(project).holds("1", "a.secret"))
            before = everything(project)
            checkpoints.project(project).restore("1", mode="exact")
            assert everything(project) == before
    assert held == [True, False, True]


@pytest.mark.parametrize("general", [True, False])
def test_a_project_can_be_switched_on_and_off_alone(
    home: Path, tmp_path: Path, general: bool
) -> None:
    on, off, neither = (make_project(tmp_path / name) for name in ("on", "off", "neither"))
    configured(
        home,
        f"  enabled: {str(general).lower()}\n"
        f"  projects: {{{on}: {{enabled: true}}, {off}: {{enabled: false}}}}\n",
    )
    manager = CheckpointManager.from_config()
    manager.new_turn()
    assert manager.enabled
    assert manager.ensure_checkpoint(str(on))
    assert not manager.ensure_checkpoint(str(off))
    assert manager.ensure_checkpoint(str(neither)) is general
    assert Rollback(on / "src").run("/rollback").ok
    assert not Rollback(off).run("/rollback").ok


@pytest.mark.campaign
def test_max_snapshots_of_a_project_holds_after_each_take(home: Path, tmp_path: Path) -> None:
    few, many = make_project(tmp_path / "few"), make_project(tmp_path / "many")
    configured(home, f"  max_snapshots: 4\n  projects: {{{few}: {{max_snapshots: 2}}}}\n")
    manager = CheckpointManager(enabled=True, max_snapshots=4)  # as the agent reads it
    for number in range(6):
        manager.new_turn()
        for folder in (few, many):
            (folder / "n").write_text(f"{number}")
            assert manager.ensure_checkpoint(str(folder))
    counts = {folder: len(manager.list_checkpoints(str(folder))) for folder in (few, many)}
    assert counts == {few: 2, many: 4}
    with Checkpoints.open() as checkpoints:
        assert len(checkpoints.project(few).list()) == 2


@pytest.mark.campaign
def test_max_snapshots_of_a_project_holds_in_prunes_and_views(
    home: Path, tmp_path: Path, run: Run
) -> None:
    few, many = make_project(tmp_path / "few"), make_project(tmp_path / "many")
    configured(home, "  max_snapshots: 0\n")
    with Checkpoints.open() as checkpoints:
        for number in range(5):
            for folder in (few, many):
                (folder / "n").write_text(f"{number}")
                checkpoints.project(folder).take()
    configured(home, f"  max_snapshots: 4\n  projects: {{{few}: {{max_snapshots: 2}}}}\n")
    with Checkpoints.open() as checkpoints:
        plan = checkpoints.plan_prune()
        drop = [(one.project.working_dir, one.reason) for one in plan.drop]
        assert len(plan.drop) == 4
        assert drop.count((str(few), "its project has more than 2 (max_snapshots)")) == 3
        assert drop.count((str(many), "its project has more than 4 (max_snapshots)")) == 1
    with closing(sqlite3.connect(home / "checkpoints/catalog.db")) as catalog:
        query = "SELECT working_directory, reason FROM retention_decisions WHERE decision = 'drop'"
        assert sorted(catalog.execute(query)) == sorted(drop)
        limits = catalog.execute("SELECT workdir, max_snapshots FROM projects").fetchall()
        assert dict(limits) == {str(few): 2, str(many): None}
    run("prune", "--max-snapshots", "3", "-f")  # a person means all alike
    with Checkpoints.open() as checkpoints:
        counts = [len(checkpoints.project(folder).list()) for folder in (few, many)]
    assert counts == [3, 3]
    configured(home, "  max_snapshots: 4\n")
    with Checkpoints.open() as checkpoints:
        assert not checkpoints.plan_prune().drop


def test_a_project_that_is_kept_longer_is_not_pruned_by_the_process_that_took_it(
    home: Path, project: Path
) -> None:
    config = configured(
        home, f"  max_snapshots: 1\n  projects: {{{project}: {{max_snapshots: 9}}}}\n"
    )
    with Checkpoints.open(config=config) as checkpoints:
        for number in range(4):
            (project / "n").write_text(f"{number}")
            checkpoints.project(project).take()
        assert not checkpoints.plan_prune().drop
