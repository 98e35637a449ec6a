"""What a shell command may do to files, over a table of commands and over any text."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.triggers import Effect, EffectKind, command_effect, is_destructive_command
from triggers.commands import CHANGES, HARMLESS, UNKNOWN, lines

SHELL_WORDS = (
    "rm mv cp sed -i git reset find -exec {} ; + xargs sudo env A=1 timeout bash -c eval tee tar "
    "x > >> 2>&1 &> | && || $( ) ` ' \" << EOF <<< \n ( { } if then fi for in do done [[ ]] $X "
    "\\ # cd .. / ~ * ? [ ! & $(( )) <( case esac function f() - -- ="
)
WORDS = st.sampled_from(SHELL_WORDS.split(" "))


@pytest.mark.parametrize("command", CHANGES)
def test_changes_are_seen_with_their_paths(command: str) -> None:
    effect = command_effect(command)
    assert effect.is_change
    paths = CHANGES[command]
    if paths is None:
        assert not effect.bounded
    else:
        assert effect.bounded
        assert sorted(effect.paths) == sorted(paths)


@pytest.mark.parametrize("command", lines(HARMLESS))
def test_harmless_commands_raise_no_alarm(command: str) -> None:
    assert command_effect(command) == Effect.NONE


@pytest.mark.parametrize("command", lines(UNKNOWN))
def test_what_may_do_anything_is_unknown(command: str) -> None:
    assert command_effect(command) == Effect.UNKNOWN
    assert not is_destructive_command(command)


def test_the_table_is_large_and_free_of_misses_and_false_alarms() -> None:
    harmless = lines(HARMLESS)
    assert len(CHANGES) + len(harmless) + len(lines(UNKNOWN)) >= 300
    assert len(CHANGES) >= 150
    assert len(harmless) >= 100
    misses = [command for command in CHANGES if not is_destructive_command(command)]
    alarms = [command for command in harmless if is_destructive_command(command)]
    assert (misses, alarms) == ([], [])


@pytest.mark.parametrize("command", ["", " ", "\n", "#", "\0", "\ud800"])
def test_what_is_no_command_is_no_change(command: str) -> None:
    assert not is_destructive_command(command)


@pytest.mark.campaign
def test_deep_and_long_commands_end_as_unknown() -> None:
    assert command_effect("rm x; " * 100_000).kind is EffectKind.UNKNOWN
    nested = "rm x"
    for _ in range(12):
        nested = f"eval {nested}"
    assert command_effect(nested).kind in {EffectKind.UNKNOWN, EffectKind.CHANGES}
    assert command_effect("f() { g; }; g() { f; }; f") == Effect.UNKNOWN
    assert command_effect("f() { f; rm x; }; f").is_change
    for text in ("(" * 5000, "$(" * 5000, "{ " * 5000, "a && " * 5000 + "rm x", "sudo " * 500):
        command_effect(text)


def test_effects_add_up() -> None:
    change = Effect.changes(["a"])
    assert change | Effect.NONE == change
    assert (change | Effect.changes(["b", "a"])).paths == ("a", "b")
    assert change | Effect.UNKNOWN == Effect(EffectKind.CHANGES, ("a",), bounded=False)
    assert Effect.changes([None, "a"]) == Effect(EffectKind.CHANGES, ("a",), bounded=False)
    assert not Effect.changes([]).bounded


@pytest.mark.campaign
def test_characters_beyond_ascii_reach_no_table_of_the_parser() -> None:
    script = (
        "from hermes_checkpoints.triggers import command_effect\n"
        "for code in range(0x80, 0x110000, 300):\n"
        "    command_effect('{' + chr(code))\n"
        "assert command_effect('rm \u00e4/\U0001f600.txt').paths == ('\u00e4/\U0001f600.txt',)\n"
        "assert command_effect('echo x > \"n\u00e9 {1..\u4e2d\"').paths == ('n\u00e9 {1..\u4e2d',)"
    )
    for _ in range(3):  # where the tables lie differs from process to process
        subprocess.run([sys.executable, "-c", script], check=True)


@given(st.text())
def test_any_text_has_an_effect(text: str) -> None:
    assert isinstance(command_effect(text), Effect)


@given(st.lists(WORDS, max_size=25), st.sampled_from(["", " "]))
def test_any_run_of_shell_words_has_an_effect(words: list[str], glue: str) -> None:
    assert isinstance(is_destructive_command(glue.join(words)), bool)


@given(st.text(alphabet=st.characters(exclude_characters="'\0", exclude_categories=["Cs"])))
def test_what_is_quoted_is_no_command(text: str) -> None:
    assert not is_destructive_command(f"echo '{text}'")


def test_the_parser_is_loaded_only_when_a_command_is_looked_at() -> None:
    script = (
        "import sys; from hermes_checkpoints import triggers; "
        "assert not triggers.is_destructive_command(''); "
        "assert 'tree_sitter' not in sys.modules; "
        "assert triggers.is_destructive_command('rm x'); assert 'tree_sitter' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("command", "directories"),
    [
        ("make", ()),
        ("cd src && ls", ()),
        ("cd src && make", ("src",)),
        ("cd src && cd .. && make", (".",)),
        ("(cd a/b && make); rm x", ("a/b",)),
        ("cd /srv/site; sed -i s/a/b/ x && cd ../other && make", ("/srv/site", "/srv/other")),
        ("cd ~/site && npm run build", ("~/site",)),
        ("sh -c 'cd src && make'", ("src",)),
        ("cd lib; sh -c 'cd src && make'", ("lib", "lib/src")),
        ("f() { cd src; make; }; f", ("src",)),
        ("cd $HOME && make", ()),
        ("cd $HOME; sh -c 'cd /srv && make'", ("/srv",)),
    ],
)
def test_the_directories_that_a_command_enters(command: str, directories: tuple[str, ...]) -> None:
    assert command_effect(command).directories == directories
