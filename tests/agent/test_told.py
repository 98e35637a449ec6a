"""`/rollback` and the notice of a host tell what was left out, and that takes are refused."""

from __future__ import annotations

from pathlib import Path

from hermes_checkpoints import CheckpointManager, Checkpoints, Rollback, footprint_notice


def rollback(project: Path, words: str = "") -> str:
    return Rollback(project, enabled=True).run(f"/rollback {words}".strip()).text


def test_the_list_tells_below_it_what_the_newest_lacks(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("first")
        plain = rollback(project)
        assert plain.endswith("restore a single file from checkpoint N")
        (project / ".gitignore").write_text("*.log\n")
        (project / "a.log").write_text("x")
        checkpoints.project(project).take("second")
    lines = rollback(project).splitlines()
    assert [line.split(".")[0].strip() for line in lines[2:4]] == ["1", "2"]
    assert lines[-1] == (
        "  1 path is not in the newest (ignored by rules): hermes checkpoints coverage shows which"
    )


def test_a_rollback_tells_what_it_could_not_bring_back(home: Path, project: Path) -> None:
    with (project / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("first")
    lacks = "(too large), which no restore brings back"
    assert lacks in rollback(project, "1 --all"), "also where nothing differs"
    (project / "README.md").write_text("other\n")
    text = rollback(project, "1 --all")
    assert "Restored to checkpoint" in text
    assert "Incomplete: 1 path is not in checkpoint" in text
    (project / "README.md").write_text("other\n")
    assert lacks not in rollback(project, "1 README.md")


def test_refusals_are_in_the_list_and_in_the_notice(home: Path, project: Path) -> None:
    (home / "config.yaml").write_text("checkpoints: {enabled: true, max_files: 1}\n")
    manager = CheckpointManager(enabled=True)
    assert footprint_notice() is None
    assert not manager.ensure_checkpoint(str(project), "before an edit")
    warning = "last take was refused since "
    assert f"WARNING: {warning}" in rollback(project)
    notice = footprint_notice()
    assert notice is not None
    assert notice.startswith(f"Checkpoints: {warning}")
    assert notice.endswith("; see `hermes checkpoints status`.")
    (home / "config.yaml").write_text("checkpoints: {enabled: true}\n")
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project), "before an edit")
    assert footprint_notice() is None
    assert "WARNING" not in rollback(project)
