"""The turns of a session belong to the agent's process, whatever starts its hooks."""

from __future__ import annotations

import os

import pytest

from hermes_checkpoints.fs.processes import ancestors
from hermes_checkpoints.hooks.owner import owner_among

WORDS = ["hook", "--agent", "claude"]
COMMAND = "/opt/venv/bin/hermes-checkpoints hook --agent claude"
AGENT = (17, ["node", "/usr/bin/claude", "fix the hook --agent claude of hermes-checkpoints"])


@pytest.mark.parametrize(
    "above",
    [
        [],
        [["/bin/sh", "-c", COMMAND]],
        [["/usr/bin/zsh", "-lc", f"source rc && eval '{COMMAND}' < /dev/null"]],
        [["-bash", "-c", COMMAND]],
        [["C:\\Windows\\System32\\cmd.exe", "/d", "/s", "/c", COMMAND]],
        [["/usr/bin/timeout", "60", *COMMAND.split()], ["/bin/sh", "-c", f"timeout 60 {COMMAND}"]],
        [["/usr/bin/env", "A=b", *COMMAND.split()]],
        [["uv", "run", *COMMAND.split()]],
        [["/bin/sh", "-c", 'hermes-checkpoints hook --agent "$AGENT" || true']],
        [["/bin/sh", "-c", "'/opt/my venv/bin/hermes-checkpoints'  hook  '--agent' claude; true"]],
    ],
)
def test_what_was_started_for_the_hook_alone_is_passed_over(above: list[list[str]]) -> None:
    processes = [(30 + number, command) for number, command in enumerate(above)]
    assert owner_among([*processes, AGENT, (1, ["init"])], WORDS) == 17


@pytest.mark.parametrize(
    "above",
    [
        [["/opt/vendor/bin/codex", "exec", "Go"], ["node", "/usr/bin/codex", "exec", "Go"]],
        [["/home/ada/.codex/packages/bin/codex", "app-server", "--listen", "unix://"]],
        [["/usr/bin/node", "--max-old-space-size=12052", "/usr/bin/gemini", "-p", "Go"]],
    ],
)
def test_what_starts_a_hook_without_a_shell_in_between_is_the_agent(above: list[list[str]]) -> None:
    """A shell gives its place to the one command that it runs."""
    processes = [(30 + number, command) for number, command in enumerate(above)]
    assert owner_among([*processes, (20, ["-bash"]), (1, ["init"])], WORDS) == 30


def test_the_shell_of_a_hook_is_known_by_whatever_quotes_its_arguments() -> None:
    shell = ["/bin/sh", "-c", f"{COMMAND} --home '/home/ada/my base'"]
    words = [*WORDS, "--home", "/home/ada/my base"]
    assert owner_among([(31, shell), AGENT], words) == 17


def test_the_first_process_of_a_container_may_be_the_agent() -> None:
    shell = (31, ["/bin/sh", "-c", COMMAND])
    assert owner_among([shell, (1, AGENT[1])], WORDS) == 1


@pytest.mark.parametrize("first", [["/sbin/init"], ["/usr/lib/systemd/systemd"], ["sh"], []])
def test_what_takes_in_processes_that_lost_their_parent_is_not_the_agent(first: list[str]) -> None:
    assert owner_among([(31, ["/bin/sh", "-c", COMMAND]), (1, first)], WORDS) is None


def test_a_process_whose_command_line_cannot_be_read_is_taken_for_the_agent() -> None:
    assert owner_among([(31, []), AGENT], WORDS) == 31
    assert owner_among([], WORDS) is None


def test_the_processes_above_this_one_are_found() -> None:
    found = list(ancestors())
    assert found[0][0] == os.getppid()
    assert found[0][1]
    assert len(found) == len({pid for pid, _ in found})
    assert 0 not in {pid for pid, _ in found}
