"""What the help of each verb ends with: two examples, and how the verb can end.

Examples are what stands behind ``hermes checkpoints``. The tests run each of them.
"""

from __future__ import annotations

from typing import NamedTuple

from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.errors import PROGRAM

_ALWAYS = (Exit.DONE, Exit.ERROR, Exit.USAGE, Exit.UNFORESEEN, Exit.INTERRUPTED)
_ASKS = (Exit.NO,)
_CAN_BE_PARTIAL = (Exit.NO, Exit.IN_PART)


class Help(NamedTuple):
    """Two examples of a verb, and the exit codes that not every verb has."""

    first: str
    second: str
    more: tuple[Exit, ...] = ()

    @property
    def examples(self) -> tuple[str, str]:
        """The examples, without the name of the program."""
        return self.first, self.second

    @property
    def exits(self) -> list[Exit]:
        """How the verb can end, in the order of the codes."""
        return sorted((*_ALWAYS, *self.more))


VERBS = {
    "status": Help("status -n 5", "status --check --max-age 3d --json", (Exit.NO,)),
    "doctor": Help("doctor", "doctor --deep --repair --yes", _ASKS),
    "take": Help('take -m "before the clean-up"', "take ../other --label good-start"),
    "watch": Help("watch", "watch ../other --quiet-for 10"),
    "log": Help("log src/app.py", "-C ../other log --flat -n 10"),
    "browse": Help("browse", "browse ../other", (Exit.HUNG_UP, Exit.TERMINATED)),
    "find": Help("find '*.py' --deleted", "find src/ --content 'def main' -n 5 --json"),
    "show": Help("show", "show 2 --json"),
    "coverage": Help("coverage", "coverage ../other --json"),
    "diff": Help("diff --stat", "diff 2 1 --name-status -- src"),
    "cat": Help("cat latest src/app.py", "cat good-start README.md --json"),
    "restore": Help(
        "restore 1 --patch --dry-run", "restore 2 src/app.py --mode overlay --yes", _CAN_BE_PARTIAL
    ),
    "undo": Help("undo --dry-run", "undo --yes", _CAN_BE_PARTIAL),
    "redo": Help("redo --dry-run", "redo --yes", _CAN_BE_PARTIAL),
    "who": Help("who src/app.py", "who src/app.py -n 5 --json"),
    "sessions": Help("sessions", "sessions show session-1"),
    "sessions list": Help("sessions list -n 10", "sessions list --status completed"),
    "sessions show": Help("sessions show session-1", "sessions show session-1 --version 1"),
    "sessions history": Help("sessions history session-1", "sessions history session-1 --json"),
    "sessions export": Help("sessions export session-1", "sessions export session-1 --version 1"),
    "sessions restore": Help("sessions restore session-1 1", "sessions restore session-1 1 --json"),
    "sessions delete": Help(
        "sessions delete session-1 --dry-run", "sessions delete session-1 --yes", _ASKS
    ),
    "sessions gc": Help("sessions gc --dry-run", "sessions gc --max-age-days 30 --yes", _ASKS),
    "sessions import": Help(
        "sessions import ../old-sessions", "sessions import ../old-sessions --json", (Exit.IN_PART,)
    ),
    "du": Help("du", "du --measure --json"),
    "sql": Help(
        'sql "SELECT * FROM project_status"',
        "sql --question file-checkpoints --param path=src/app.py --json",
    ),
    "prune": Help("prune --dry-run", "prune --max-size-mb 200 --yes", _CAN_BE_PARTIAL),
    "drop": Help("drop 2 --dry-run", "drop 2 --now --yes", _CAN_BE_PARTIAL),
    "forget": Help("forget src/app.py --dry-run", "forget src/app.py --yes", _CAN_BE_PARTIAL),
    "pin": Help("pin 1", "pin latest --json"),
    "unpin": Help("unpin 1", "unpin latest --json"),
    "label": Help("label 1 before-merge", "label 1 --remove"),
    "rebind": Help("rebind ../other ../moved", "rebind ../other ../moved --json"),
    "clear": Help("clear --dry-run", "clear --yes", _CAN_BE_PARTIAL),
    "clear-legacy": Help("clear-legacy --dry-run", "clear-legacy --yes", _CAN_BE_PARTIAL),
    "import-legacy": Help("import-legacy", "import-legacy ../old-home --json", (Exit.IN_PART,)),
    "export": Help(
        "export 1 --tar ../before.tar.gz", "export 1 --patch ../changes.patch", (Exit.IN_PART,)
    ),
    "completion": Help("completion bash", "completion fish"),
    "demo": Help("demo", "demo --json"),
    "adopt": Help("adopt --dry-run", "adopt --undo", (Exit.IN_PART,)),
    "pull": Help("pull", "pull --all", (Exit.IN_PART,)),
    "push": Help("push", "push --all --dry-run", (Exit.IN_PART,)),
    "remote": Help("remote check", "remote check ../other --json", (Exit.IN_PART,)),
    "remote check": Help("remote check", "remote check ../other --json", (Exit.IN_PART,)),
    "fleet": Help("fleet index", "fleet status", (Exit.IN_PART,)),
    "fleet index": Help(
        "fleet index", "fleet index /srv/one.git /srv/two.git --json", (Exit.IN_PART,)
    ),
    "fleet status": Help("fleet status", "fleet status -n 5 --json"),
    "remote status": Help("remote status", "remote status --all --json", (Exit.IN_PART,)),
    "remote prune": Help(
        "remote prune --all --dry-run", "remote prune --all --others --yes", _CAN_BE_PARTIAL
    ),
    "hook": Help("hook --agent claude", "hook --agent gemini --home ../old-home"),
    "admin": Help("admin", "admin --port 8001"),
    "mcp": Help("mcp", "mcp ../other"),
    "hook install": Help(
        "hook install claude --dry-run", "hook install gemini --project --yes", _ASKS
    ),
}
"""The help of each verb, by its name; a verb below another has both names."""


def epilog(verb: str) -> str:
    """Return the end of a verb's help, as it is printed."""
    found = VERBS[verb]
    examples = "\n".join(f"  {PROGRAM} {example}" for example in found.examples)
    codes = "\n".join(f"  {code.value:<3}  {code.meaning}" for code in found.exits)
    return f"examples:\n{examples}\n\nexit codes:\n{codes}"
