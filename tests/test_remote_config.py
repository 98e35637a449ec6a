"""The section `remote:` of `checkpoints:`: what is read, and that any doubt switches it off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints import Checkpoints, examine
from hermes_checkpoints.config import (
    load_config,
    load_fleet_config,
    load_remote_config,
    sends_by_itself,
    speaks_of_remote,
)
from hermes_checkpoints.remote_config import (
    FleetConfig,
    PushWhen,
    RefNamespace,
    RemoteConfig,
    SecretCheck,
    protocol_of,
    read_remote,
)

URL = "ssh://git@example.org/srv/undo.git"


def load(folder: Path, section: Any, name: str = "remote") -> RemoteConfig:
    path = folder / "config.yaml"
    path.write_text(json.dumps({"checkpoints": {name: section}}), encoding="utf-8")
    return load_remote_config(path)


def test_nothing_leaves_the_machine_by_default(tmp_path: Path) -> None:
    assert load_remote_config(tmp_path / "none") == RemoteConfig()
    assert not RemoteConfig().is_on
    for text in ("", "checkpoints:\n", "checkpoints: true\n", "checkpoints: {enabled: true}\n"):
        (tmp_path / "config.yaml").write_text(text)
        assert load_remote_config(tmp_path / "config.yaml") == RemoteConfig()
    assert load(tmp_path, None) == load(tmp_path, {}) == load(tmp_path, {"url": ""})
    assert load(tmp_path, {"url": ""}) == RemoteConfig()


def test_every_key_is_read(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        {
            "url": "ssh://git@example.org/{machine}/{project}.git",
            "push": "turn",
            "min_interval_seconds": 1,
            "secrets": "allow",
            "keep_days": 2,
            "keep_dead_days": 3,
            "namespace": "heads",
            "protocols": ["ssh", "gcrypt"],
            "timeout_seconds": 4,
        },
    )
    assert found.warnings == ()
    assert (found.push, found.secrets) == (PushWhen.TURN, SecretCheck.ALLOW)
    assert found.namespace is RefNamespace.HEADS
    assert found.namespace.prefix == "refs/heads/checkpoints/"
    assert found.namespace.cursor_prefix == "refs/heads/checkpoints-cursor/"
    for name in RemoteConfig.__dataclass_fields__.keys() - {"warnings"}:
        assert getattr(found, name) != getattr(RemoteConfig(), name), name
    assert found.address("a" * 12, "b" * 16) == (f"ssh://git@example.org/{'a' * 12}/{'b' * 16}.git")
    with pytest.raises(ValueError, match="each project"):
        found.address("a" * 12, None)


WRONG = [
    ({"url": URL, "psuh": "turn"}, "unknown key 'psuh' (did you mean push?)"),
    ({"url": URL, "push": "always"}, "push is none of manual, turn, session"),
    ({"url": URL, "push": True}, "push is none of"),
    ({"url": URL, "secrets": "warn"}, "secrets is none of refuse, allow"),
    ({"url": URL, "namespace": "tags"}, "namespace is none of"),
    ({"url": URL, "keep_days": -1}, "keep_days is no whole number"),
    ({"url": URL, "keep_days": "30"}, "keep_days is no whole number"),
    ({"url": URL, "keep_dead_days": 10**9}, "keep_dead_days is no whole number"),
    ({"url": URL, "timeout_seconds": 0}, "timeout_seconds is no whole number from 1"),
    ({"url": URL, "timeout_seconds": True}, "timeout_seconds is no whole number"),
    ({"url": URL, "min_interval_seconds": 0.5}, "min_interval_seconds is no whole number"),
    ({"url": URL, "protocols": []}, "protocols is no list"),
    ({"url": URL, "protocols": ["ssh:ext"]}, "protocols is no list"),
    ({"url": URL, "protocols": {"ssh": True}}, "protocols is no list"),
    ({"url": URL, "protocols": ["file"]}, "url needs the protocol ssh"),
    ({"url": None}, "url is no text"),
    ({"url": ["a", "b"]}, "url is no text"),
    ({"url": "ssh://host/{user}.git"}, "a placeholder that is unknown"),
    ({"url": "ssh://host/{Machine}.git"}, "a placeholder that is unknown"),
    ({"url": "ssh://host/{}.git"}, "a placeholder that is unknown"),
    ({"url": "ssh://host/{machine.git"}, "a placeholder that is unknown"),
    ({"url": "ssh://host/{{machine}}.git"}, "a placeholder that is unknown"),
    ({"url": "undo.git"}, "neither an absolute path nor an address"),
    ({"url": "~/undo.git"}, "neither an absolute path nor an address"),
    ({"url": "../undo.git"}, "neither an absolute path nor an address"),
    ({"url": "origin"}, "neither an absolute path nor an address"),
    ({"url": "--upload-pack=x"}, "neither an absolute path nor an address"),
    ({"url": "-oProxyCommand=x:path"}, "neither an absolute path nor an address"),
    ({"url": "HTTPS://host/x"}, "neither an absolute path nor an address"),
    ({"url": f" {URL}"}, "begins or ends with a space"),
    ({"url": f"{URL}\nhost=elsewhere"}, "another odd character"),
    ({"url": f"{URL}\x1b[2J"}, "another odd character"),
    ({"url": "/x" * 2000}, "has more than"),
    ({"url": "ext::sh -c x"}, "url needs the protocol ext"),
    ({"url": "git://example.org/undo.git"}, "url needs the protocol git"),
    ({"url": "http://example.org/undo.git"}, "url needs the protocol http"),
    (URL, "it is no mapping"),
    ([URL], "it is no mapping"),
    (True, "it is no mapping"),
]


@pytest.mark.parametrize(("section", "told"), WRONG, ids=[told for _, told in WRONG])
def test_one_wrong_thing_switches_all_of_it_off(tmp_path: Path, section: Any, told: str) -> None:
    found = load(tmp_path, section)
    assert not found.is_on
    (warning,) = found.warnings
    assert told in warning
    assert "nothing leaves this machine until this is corrected" in warning
    assert str(tmp_path / "config.yaml") in warning
    assert (found.push, found.secrets) == (PushWhen.MANUAL, SecretCheck.REFUSE)


def test_a_file_that_cannot_be_read_switches_it_off(tmp_path: Path) -> None:
    for text in ("checkpoints: {remote: {url: /x}", "- a\n", "checkpoints: [1]\n"):
        (tmp_path / "config.yaml").write_text(text)
        found = load_remote_config(tmp_path / "config.yaml")
        assert not found.is_on
        assert found.warnings


@pytest.mark.parametrize(
    "section",
    [
        "https://me:tellnobody@example.org/undo.git",
        {"https://me:tellnobody@example.org/undo.git": None},
        {"url": "https://me:tellnobody@example.org/{x}.git"},
        {"url": "https://me:{tellnobody}@example.org/undo.git"},
        {"url": ["https://me:tellnobody@example.org/undo.git"]},
        {"url": "me:tellnobody@example.org:undo.git\n"},
        {"url": "http://me:tellnobody@example.org/undo.git"},
    ],
)
def test_no_warning_and_no_text_of_a_configuration_has_the_password(
    tmp_path: Path, section: Any
) -> None:
    found = load(tmp_path, section)
    assert found.warnings
    config = load_config(tmp_path / "config.yaml")
    assert "tellnobody" not in f"{found!r} {found} {config!r} {config.warning}"
    assert "tellnobody" not in repr(RemoteConfig(url="https://me:tellnobody@example.org/x"))
    assert "tellnobody" not in repr(FleetConfig("postgresql://me:tellnobody@host/x"))


def test_what_is_wrong_is_told_where_every_other_warning_is(home: Path, project: Path) -> None:
    (home / "config.yaml").write_text("checkpoints: {max_files: 7, remote: {uri: /srv/x}}\n")
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.config.max_files == 7
        (note,) = [one for one in checkpoints.status().notes if "remote is off" in one]
        assert "unknown key 'uri' (did you mean url?)" in note
    (found,) = [one for one in examine(home).findings if one.kind == "config-wrong"]
    assert "remote is off" in found.text
    assert "remote.md" in found.remedy


def test_the_other_keys_do_not_know_it_as_unknown(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("checkpoints: {remote: {url: /srv/x}, fleet: {catalog: sqlite:///x}}\n")
    assert load_config(path).warnings == ()
    assert load_fleet_config(path).catalog == "sqlite:///x"
    path.write_text("checkpoints: {remot: {url: /srv/x}}\n")
    assert "unknown key 'remot' (did you mean remote?)" in load_config(path).warning
    assert not load_remote_config(path).is_on
    path.write_text("checkpoints: {projects: {/srv/site: {remote: {url: /srv/x}}}}\n")
    assert "unknown key 'remote'" in load_config(path).warning
    assert not load_remote_config(path).is_on


def test_the_index_of_a_fleet_is_off_where_anything_of_it_is_wrong(tmp_path: Path) -> None:
    for section in ({"catalog": 3}, {"catalog": "x"}, {"catalogue": "sqlite:///x"}, "sqlite:///x"):
        load(tmp_path, section, "fleet")
        found = load_fleet_config(tmp_path / "config.yaml")
        assert found.catalog == ""
        assert "fleet is off and there is no index" in found.warnings[0]


def test_no_variable_of_the_environment_names_a_remote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("URL", "REMOTE", "REMOTE_URL", "CHECKPOINTS_REMOTE_URL", "MACHINE"):
        monkeypatch.setenv(f"HERMES_{name}", "/srv/elsewhere.git")
    assert load(tmp_path, {}) == RemoteConfig()
    found = load(tmp_path, {"url": "/srv/{machine}.git"})
    assert found.address("0123456789ab", None) == "/srv/0123456789ab.git"


@pytest.mark.parametrize(
    ("url", "protocol"),
    [
        ("/srv/My Backup/undo.git", "file"),
        ("file:///srv/undo.git", "file"),
        ("https://example.org/undo.git", "https"),
        ("git+ssh://example.org/undo.git", "ssh"),
        ("example.org:undo.git", "ssh"),
        ("git@[::1]:undo.git", "ssh"),
        ("gcrypt::ssh://host/x", "gcrypt"),
        ("s3://bucket/undo", "s3"),
        ("C:\\undo.git", None),
        ("a/b:c", None),
        ("::x", None),
        ("x::", None),
        ("://x", None),
    ],
)
def test_the_protocol_of_an_address(url: str, protocol: str | None) -> None:
    assert protocol_of(url) == protocol


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=9), st.lists(st.text(max_size=9))
)


@given(
    st.dictionaries(
        st.sampled_from([*(RemoteConfig.__dataclass_fields__), "other"]) | st.text(max_size=5),
        ANYTHING | st.just(URL),
    )
)
def test_whatever_stands_there_it_is_on_without_a_warning_or_off(section: dict[str, Any]) -> None:
    found = read_remote(section, "checkpoints: in config.yaml")
    if found.is_on:
        assert found.warnings == ()
        assert found.url == section["url"]
        assert section.keys() <= RemoteConfig.__dataclass_fields__.keys() - {"warnings"}
        assert protocol_of(found.url) in found.protocols
    else:
        assert found.warnings or not section.get("url")


@pytest.mark.parametrize(
    ("text", "speaks", "sends"),
    [
        ("", False, False),
        ("checkpoints: true", False, False),
        ("checkpoints: {remote: }", False, False),
        ("checkpoints: {remote: {}}", True, False),
        ("checkpoints: {remote: turn}", True, False),
        ("checkpoints: {remote: {push: manual}}", True, False),
        ("checkpoints: {remote: {push: [turn]}}", True, False),
        ("checkpoints: {remote: {push: turn}}", True, True),
        ("checkpoints: {remote: {push: session, url: 7}}", True, True),
        ("checkpoints: {remote: {push: turn}", False, False),
    ],
)
def test_whether_anything_is_sent_by_itself_is_told_without_reading_all(
    tmp_path: Path, text: str, speaks: bool, sends: bool
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    assert (speaks_of_remote(path), sends_by_itself(path)) == (speaks, sends)
