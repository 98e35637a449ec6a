"""What a take refuses to look at, nothing else writes in: home, root, temporary roots, the base."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_checkpoints import (
    BadDirectory,
    BadRequest,
    BaseUnwritable,
    Checkpoints,
    Mode,
    Taken,
)
from support import Run, everything

Refuse = Callable[[Checkpoints, Path, Path], object]


def into(mode: Mode) -> Refuse:
    def refuse(checkpoints: Checkpoints, project: Path, place: Path) -> object:
        return checkpoints.project(project).restore("1", into=place, mode=mode)

    return refuse


def planned(checkpoints: Checkpoints, project: Path, place: Path) -> object:
    return checkpoints.project(project).plan_restore("1", into=place, mode=Mode.EXACT)


def exported(checkpoints: Checkpoints, project: Path, place: Path) -> object:
    return checkpoints.export_v2(place)


def rebound(checkpoints: Checkpoints, project: Path, place: Path) -> object:
    return checkpoints.rebind(project.with_name("moved away"), place)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with files, in which the base lies, too."""
    user = tmp_path / "people" / "me"
    user.mkdir(parents=True)
    (user / "thesis").write_text("ten years", encoding="utf-8")
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    return user


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "write",
    [into(Mode.OVERLAY), into(Mode.EXACT), planned, exported, rebound],
    ids=["overlay", "exact", "plan", "export", "rebind"],
)
def test_no_verb_writes_where_no_take_looks(user: Path, project: Path, write: Refuse) -> None:
    link = user.parent.parent / "link"
    link.symlink_to(user)
    gone = project.with_name("moved away")
    with Checkpoints.open() as checkpoints:
        base = user / ".hermes" / "checkpoints"
        assert isinstance(checkpoints.project(project).take(), Taken)
        if write is rebound:
            gone.mkdir()
            assert isinstance(checkpoints.project(gone).take(), Taken)
            gone.rmdir()
        places = {
            Path("/"): "root of a filesystem",
            Path("/tmp"): "shared by all programs",
            user: "the home directory",
            link: "the home directory",
            user.parent: "holds home directories",
            base: "where the checkpoints themselves lie",
            base / "store": "where the checkpoints themselves lie",
            base / "store" / "objects": "where the checkpoints themselves lie",
        }
        if write is not rebound:
            places[base.parent] = "holds the checkpoints themselves"
        before = everything(base / "store")
        for place, reason in places.items():
            with pytest.raises((BadDirectory, BadRequest), match=reason):
                write(checkpoints, project, place)
        assert everything(base / "store") == before
    assert (user / "thesis").read_text() == "ten years"
    assert [entry.name for entry in user.iterdir() if entry.name != ".hermes"] == ["thesis"]


def test_a_new_directory_in_the_home_is_a_place_to_write_to(user: Path, project: Path) -> None:
    with Checkpoints.open() as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
        (user / "copy").mkdir()
        done = checkpoints.project(project).restore("1", into=user / "copy", mode=Mode.EXACT)
        assert (done.failed, len(done.done) > 0) == ((), True)
        assert (user / "copy" / "README.md").read_bytes() == (project / "README.md").read_bytes()
        exported = checkpoints.export_v2(user / "for version 2")
        assert exported.checkpoints == 2, "the project, and what was in the directory before"


def test_the_command_line_says_why_and_changes_nothing(user: Path, project: Path, run: Run) -> None:
    run("-C", project, "take")
    for place in (user, Path("/"), user / ".hermes/checkpoints/store"):
        answer = run("-C", project, "restore", "1", "--into", place, "--mode", "exact", code=2)
        assert "choose" in answer.err or "themselves" in answer.err
    answer = run("export", "--layout", "v2", user / ".hermes/checkpoints/new", code=2)
    assert "the checkpoints themselves" in answer.err
    assert not (user / ".hermes/checkpoints/new").exists()
    assert (user / "thesis").exists()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", [Mode.OVERLAY, Mode.EXACT])
def test_a_restore_around_a_base_leaves_it_alone(tmp_path: Path, mode: Mode) -> None:
    """A project that holds its own base, and a checkpoint that holds files of the same paths."""
    project = tmp_path / "work"
    home = project / "state"
    captured = home / "checkpoints"
    (captured / "store").mkdir(parents=True)
    (captured / "store" / "HEAD").write_text("ref: refs/heads/nonsense\n", encoding="utf-8")
    (captured / "extra" / "deep").mkdir(parents=True)
    (captured / "extra" / "deep" / "file").write_text("x", encoding="utf-8")
    (project / "data").write_text("one", encoding="utf-8")
    elsewhere = Checkpoints.open(tmp_path / "elsewhere")
    with elsewhere:
        assert isinstance(elsewhere.project(project).take(), Taken)
    shutil.rmtree(captured)
    with Checkpoints.open(home) as checkpoints:
        checkpoints.import_legacy(tmp_path / "elsewhere")
        (project / "data").write_text("two", encoding="utf-8")
        done = checkpoints.project(project).restore("1", mode=mode)
        assert (project / "data").read_text() == "one"
        assert {f.path for f in done.failed} | {k.path for k in done.kept} >= {
            "state/checkpoints/extra/deep/file",
            "state/checkpoints/store/HEAD",
        }
        assert (captured / "store" / "HEAD").read_text() != "ref: refs/heads/nonsense\n"
        assert not (captured / "extra").exists()
        assert isinstance(checkpoints.project(project).take(), Taken)
        assert checkpoints.prune().errors == ()
        assert checkpoints.project(project).read_file("latest", "data") == b"one"


THROUGH_A_MOUNT = """
import sys
from hermes_checkpoints import BadDirectory, Checkpoints, Mode
home, project, *places = sys.argv[1:]
with Checkpoints.open(home) as checkpoints:
    for place in places:
        try:
            checkpoints.project(project).restore("1", into=place, mode=Mode.EXACT)
        except BadDirectory as error:
            print(error)
    checkpoints.project(project).restore("1", mode=Mode.EXACT)
"""


@pytest.mark.campaign
def test_a_mount_is_what_is_mounted(user: Path, project: Path) -> None:
    """The home, the base, and the base inside the project, each by another path."""
    with Checkpoints.open() as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    base = user / ".hermes" / "checkpoints"
    home_again, base_again = project.parent / "home again", project.parent / "base again"
    within = project / "mounted"
    for place in (home_again, base_again, within):
        place.mkdir()
    mounts = " && ".join(
        f'mount --bind "{what}" "{where}"'
        for what, where in ((user, home_again), (base, base_again), (base, within))
    )
    namespace = ["unshare", "-rm", "sh", "-c", f'{mounts} && exec "$@"', "sh"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*namespace, "true"], check=False, stderr=subprocess.DEVNULL).returncode
    ):
        pytest.skip("no mount can be made in a namespace of this user")
    told = (user / ".hermes", project, home_again, base_again, base_again / "store")
    done = subprocess.run(
        [*namespace, sys.executable, "-c", THROUGH_A_MOUNT, *map(str, told)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.rpartition(" is ")[2].partition(";")[0] for line in lines] == [
        "the home directory",
        "where the checkpoints themselves lie",
        "where the checkpoints themselves lie",
    ]
    assert (user / "thesis").exists()
    with Checkpoints.open() as checkpoints:
        assert len(checkpoints._base.store.refs()) >= 1
        assert checkpoints.project(project).read_file("1", "README.md")


@pytest.mark.parametrize("name", ["home", "above", "root", "temporary"])
def test_a_base_is_never_a_folder_of_others(user: Path, name: str) -> None:
    """A clear removes all that is in a base."""
    temporary = Path(tempfile.gettempdir())
    places = {"home": user, "above": user.parent, "root": Path("/"), "temporary": temporary}
    with pytest.raises(BaseUnwritable, match="no checkpoint base can be here"):
        Checkpoints.open(base=places[name])
    assert (user / "thesis").exists()
