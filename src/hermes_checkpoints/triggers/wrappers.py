"""Programs that run another program or script: what they do is what that one does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hermes_checkpoints.triggers.effect import Effect
from hermes_checkpoints.triggers.shell import Call
from hermes_checkpoints.triggers.words import UNKNOWN_WORD, Word, parse_arguments

SHELLS = frozenset({"ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"})


def shell(call: Call) -> Effect:
    """``sh -c SCRIPT``, a script on standard input, or a script file."""
    given = parse_arguments(call.arguments, {"-o", "-O", "+o", "--rcfile", "--init-file"})
    if given.has("-n"):
        return Effect.NONE  # it only reads the script
    if given.has("-c"):
        return call.evaluate(given.operands[0]) if given.operands else Effect.NONE
    if (not given.operands or given.has("-s")) and call.stdin is not None:
        return call.evaluate(call.stdin)
    return Effect.UNKNOWN


def evaluate(call: Call) -> Effect:
    """``eval WORD …``, which joins its words to one script."""
    if not all(word.literal for word in call.arguments):
        return Effect.UNKNOWN
    return call.evaluate(Word(" ".join(word.text for word in call.arguments)))


def watch(call: Call) -> Effect:
    """``watch WORD …``, which joins its words to one script; with ``-x`` they are a program."""
    given = parse_arguments(call.arguments, {"-n", "--interval"}, stop_at_operand=True)
    if given.has("-x", "--exec"):
        return call.call(given.operands)
    if not all(word.literal for word in given.operands):
        return Effect.UNKNOWN
    return call.evaluate(Word(" ".join(word.text for word in given.operands)))


def trap(call: Call) -> Effect:
    """``trap SCRIPT SIGNAL …``."""
    operands = parse_arguments(call.arguments).operands
    return call.evaluate(operands[0]) if len(operands) > 1 else Effect.NONE


def alias(call: Call) -> Effect:
    """``alias``: what it stands for runs later, and by another name."""
    return Effect.UNKNOWN if call.arguments else Effect.NONE


def _after_options(valued: set[str], skip: int = 0) -> Callable[[Call], Effect]:
    def run(call: Call) -> Effect:
        given = parse_arguments(call.arguments, valued, stop_at_operand=True)
        return call.call(given.operands[skip:])

    return run


def sudo(call: Call) -> Effect:
    """``sudo`` and ``doas``; ``sudo -e`` edits the files that it names."""
    valued = {
        "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-r", "-t", "-T", "-U", "-a", "-c",
        "--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--role", "--type",
    }  # fmt: skip
    given = parse_arguments(call.arguments, valued, stop_at_operand=True)
    if given.has("-e", "--edit"):
        return Effect.changes(word.path for word in given.operands)
    return call.call(_without_assignments(given.operands))


def env(call: Call) -> Effect:
    """``env [NAME=VALUE …] PROGRAM …``, also ``env -S``."""
    valued = {"-u", "-C", "-S", "--unset", "--chdir", "--split-string"}
    given = parse_arguments(call.arguments, valued, stop_at_operand=True)
    rest = _without_assignments(given.operands)
    split = given.values("-S", "--split-string")
    if split:
        return call.evaluate(split[0]) | call.call(rest)
    effect = call.call(rest)
    if given.has("-C", "--chdir") and effect is not Effect.NONE:
        return Effect(effect.kind, (), bounded=False)
    return effect


def command(call: Call) -> Effect:
    """``command`` and ``builtin``; with ``-v`` only the name is looked up."""
    given = parse_arguments(call.arguments, stop_at_operand=True)
    return Effect.NONE if given.has("-v", "-V") else call.call(given.operands)


def su(call: Call) -> Effect:
    """``su -c SCRIPT``; without one, a shell of its own."""
    scripts = parse_arguments(call.arguments, {"-c", "--command", "-s", "-g", "-G"}).values(
        "-c", "--command"
    )
    return call.evaluate(scripts[0]) if scripts else Effect.UNKNOWN


def xargs(call: Call) -> Effect:
    """``xargs PROGRAM …``, and ``parallel``: the program gets names that are not known."""
    valued = {"-a", "-d", "-E", "-I", "-J", "-L", "-l", "-n", "-P", "-s", "-R", "-S", "-j"}
    given = parse_arguments(call.arguments, valued, stop_at_operand=True)
    if not given.operands:
        return Effect.NONE  # it runs echo
    return call.call([*given.operands, UNKNOWN_WORD])


def flock(call: Call) -> Effect:
    """``flock FILE PROGRAM …`` or ``flock FILE -c SCRIPT``."""
    valued = {"-w", "-E", "--timeout", "--wait", "--conflict-exit-code"}
    given = parse_arguments(call.arguments, valued, stop_at_operand=True)
    rest = given.operands[1:]
    if len(rest) > 1 and rest[0].text in {"-c", "--command"}:
        return call.evaluate(rest[1])
    return call.call(rest)


def find(call: Call) -> Effect:
    """``find``: ``-delete``, ``-exec`` and the like, ``-fprint`` and the like."""
    words = call.arguments
    starts = [word.path for word in _starting_points(words)] or ["."]
    total = Effect.NONE
    at = 0
    while at < len(words):
        name = words[at].text
        if name == "-delete":
            total |= Effect.changes(starts)
        elif name in {"-fprint", "-fprint0", "-fls", "-fprintf"}:
            total |= Effect.changes(word.path for word in words[at + 1 : at + 2])
        elif name in {"-exec", "-execdir", "-ok", "-okdir"}:
            end = next(
                (n for n in range(at + 1, len(words)) if words[n].text in {";", "+"}), len(words)
            )
            inner = [UNKNOWN_WORD if "{}" in word.text else word for word in words[at + 1 : end]]
            effect = call.call(inner)
            total |= Effect.changes(starts) if effect.is_change else effect
            at = end
        at += 1
    return total


def _starting_points(words: Sequence[Word]) -> list[Word]:
    found: list[Word] = []
    for word in words:
        if word.text in {"-H", "-L", "-P"}:
            continue
        if word.text.startswith(("-", "(", "!", "\\")):
            break
        found.append(word)
    return found


def fd(call: Call) -> Effect:
    """``fd -x PROGRAM …``."""
    for at, word in enumerate(call.arguments):
        if word.text in {"-x", "-X", "--exec", "--exec-batch"}:
            return call.call([*call.arguments[at + 1 :], UNKNOWN_WORD])
    return Effect.NONE


def _without_assignments(words: Sequence[Word]) -> Sequence[Word]:
    at = 0
    while at < len(words) and "=" in words[at].text and not words[at].text.startswith("/"):
        at += 1
    return words[at:]


WRAPPERS: dict[str, Callable[[Call], Effect]] = {
    **dict.fromkeys(SHELLS, shell),
    "alias": alias,
    "builtin": command,
    "busybox": _after_options(set()),
    "chronic": _after_options(set()),
    "chrt": _after_options({"-T", "-P", "-D"}, skip=1),
    "command": command,
    "coproc": _after_options(set()),
    "doas": sudo,
    "env": env,
    "eval": evaluate,
    "exec": _after_options({"-a"}),
    "fd": fd,
    "fdfind": fd,
    "find": find,
    "flock": flock,
    "gtimeout": _after_options({"-s", "-k", "--signal", "--kill-after"}, skip=1),
    "ionice": _after_options({"-c", "-n", "-p", "--class", "--classdata"}),
    "nice": _after_options({"-n", "--adjustment"}),
    "noglob": _after_options(set()),
    "nohup": _after_options(set()),
    "parallel": xargs,
    "setsid": _after_options(set()),
    "stdbuf": _after_options({"-i", "-o", "-e", "--input", "--output", "--error"}),
    "su": su,
    "sudo": sudo,
    "taskset": _after_options({"-p"}, skip=1),
    "time": _after_options({"-f", "-o"}),
    "timeout": _after_options({"-s", "-k", "--signal", "--kill-after"}, skip=1),
    "toybox": _after_options(set()),
    "trap": trap,
    "unbuffer": _after_options(set()),
    "watch": watch,
    "xargs": xargs,
}
"""What each wrapper does with the program that it is given."""
