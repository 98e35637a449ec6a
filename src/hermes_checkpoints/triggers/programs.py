"""The table of programs: which change files, which do not, and by which of their options.

A program that is in no table is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hermes_checkpoints.triggers.effect import Effect
from hermes_checkpoints.triggers.git_commands import git
from hermes_checkpoints.triggers.readers import READERS
from hermes_checkpoints.triggers.shell import Call
from hermes_checkpoints.triggers.transfers import (
    compressor,
    curl,
    rsync,
    scp,
    seven_zip,
    tar,
    unzip,
    wget,
)
from hermes_checkpoints.triggers.words import Arguments, Word, change_of, parse_arguments
from hermes_checkpoints.triggers.wrappers import WRAPPERS

_ASKING = frozenset({"--help", "--version", "-V"})
Handler = Callable[[Call], Effect]


def program_effect(call: Call) -> Effect:
    """Return what one program does to files."""
    name = call.words[0].text.rpartition("/")[2]
    if len(call.arguments) == 1 and call.arguments[0].text in _ASKING:
        return Effect.NONE
    handler = PROGRAMS.get(name)
    if handler is not None:
        return handler(call)
    return Effect.NONE if name in READERS else Effect.UNKNOWN


def _all_operands(valued: set[str], skip: int = 0) -> Handler:
    def effect(call: Call) -> Effect:
        return change_of(parse_arguments(call.arguments, valued).operands[skip:])

    return effect


def _here(_: Call) -> Effect:
    return Effect.changes(())


def _mode_first(call: Call) -> Effect:
    """chmod, chown, chgrp: the first operand is no file, unless a file stands for it."""
    words = [w for w in call.arguments if not re.fullmatch(r"-[rwxXst,+=-]+", w.text)]
    given = parse_arguments(words, {"--reference", "--from"})
    dashed = len(words) < len(call.arguments)
    return change_of(given.operands[0 if given.has("--reference") or dashed else 1 :])


def _destination(call: Call) -> Effect:
    """cp, install, ln: the last operand, or the target directory."""
    given = parse_arguments(call.arguments, _TARGETED)
    targets = given.values("-t", "--target-directory")
    if targets:
        return change_of(targets)
    if call.words[0].text.endswith("install") and given.has("-d", "--directory"):
        return change_of(given.operands)
    if len(given.operands) == 1:
        return Effect.changes(["."])  # ln names the link as what it leads to
    return change_of(given.operands[-1:])


_TARGETED = {
    "-t", "--target-directory", "-S", "--suffix", "-m", "--mode", "-o", "--owner", "-g", "--group",
}  # fmt: skip


def _move(call: Call) -> Effect:
    given = parse_arguments(call.arguments, {"-t", "--target-directory", "-S", "--suffix"})
    return change_of([*given.operands, *given.values("-t", "--target-directory")])


def _dd(call: Call) -> Effect:
    outputs = [w for w in call.arguments if w.text.startswith("of=")]
    return change_of(Word(w.text[3:], w.literal, w.glob) for w in outputs)


def _sed(call: Call) -> Effect:
    # What follows the letter i in a cluster is the suffix of a backup.
    words = [
        Word(re.sub(r"^(-[nErsuz]*i).*", r"\1", w.text), w.literal, w.glob) if w.is_option else w
        for w in call.arguments
    ]
    given = parse_arguments(words, {"-e", "-f", "-l", "--expression", "--file"})
    # BSD's `-i ''` has an empty word, which is no file either.
    in_place = any(n in {"-i", "--in-place"} for n, _ in given.options)
    if not in_place:
        return Effect.NONE
    scripted = given.has("-e", "-f", "--expression", "--file")
    named = [w for w in given.operands if w.text or not w.literal]
    return Effect.changes(w.path for w in (named if scripted else named[1:]))


def _interpreter(call: Call) -> Effect:
    """perl and ruby: in place they change the files that they name; else they are unknown."""
    words = call.arguments
    if [word.text for word in words] == ["-v"]:
        return Effect.NONE
    options = [word.text for word in words if re.match(r"-[A-Za-z0]", word.text)]
    if not any(re.match(r"-[acnpwlsuW0-7]*i", option) for option in options):
        return Effect.UNKNOWN
    files: list[Word] = []
    skip = not any(re.search(r"[eE]$", option) for option in options)  # the script's own file
    at = 0
    while at < len(words):
        if not words[at].text.startswith("-"):
            files.append(words[at])
        elif re.search(r"^-[A-Za-z0-7]*[eE]$", words[at].text):
            at += 1
        at += 1
    return Effect.changes(word.path for word in files[1 if skip and len(files) > 1 else 0 :])


def _awk(call: Call) -> Effect:
    given = parse_arguments(call.arguments, {"-i", "-f", "-F", "-v", "--include", "--file"})
    if any(word.text == "inplace" for word in given.values("-i", "--include")):
        return change_of(given.operands[0 if given.has("-f", "--file") else 1 :])
    if given.has("-f", "--file"):
        return Effect.UNKNOWN
    script = given.operands[0].text if given.operands else ""
    writes = re.search(r"print[^;}]*>|system\s*\(|\|\s*\"|getline", script)
    return Effect.UNKNOWN if writes else Effect.NONE


def _patch(call: Call) -> Effect:
    given = parse_arguments(call.arguments, {"-i", "-p", "-d", "-o", "-r", "-B", "-D", "-F"})
    return Effect.NONE if given.has("--dry-run") else Effect.changes(())


def _outputs(*names: str) -> Handler:
    def effect(call: Call) -> Effect:
        given: Arguments = parse_arguments(call.arguments, set(names))
        return change_of(given.values(*names))

    return effect


def _second_operand(call: Call) -> Effect:
    return change_of(
        parse_arguments(call.arguments, {"-f", "-s", "-w", "-c", "-l", "-g"}).operands[1:2]
    )


def _mktemp(call: Call) -> Effect:
    given = parse_arguments(call.arguments, {"-p", "--suffix"})
    elsewhere = given.has("-t", "-p", "--tmpdir", "-u", "--dry-run") or not given.operands
    return Effect.NONE if elsewhere else Effect.changes(["."])


def _yq(call: Call) -> Effect:
    given = parse_arguments(call.arguments)
    in_place = given.has("-i", "--inplace", "--in-place")
    return change_of(given.operands[1:]) if in_place else Effect.NONE


def _zip(call: Call) -> Effect:
    given = parse_arguments(call.arguments, {"-x", "-i", "-P", "-b"})
    looks = parse_arguments(call.arguments).has("-sf", "-T")
    return Effect.NONE if looks else change_of(given.operands)


PROGRAMS: dict[str, Handler] = {
    **WRAPPERS,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("chmod", "chown", "chgrp"), _mode_first),
    **dict.fromkeys(("cp", "gcp", "install", "ginstall", "ln", "gln"), _destination),
    **dict.fromkeys(("bzip2", "bunzip2", "gzip", "gunzip", "xz", "unxz", "zstd", "unzstd", "lz4",
                     "compress", "uncompress"), compressor),
    **dict.fromkeys(("7z", "7za", "7zz", "unrar", "rar"), seven_zip),
    **dict.fromkeys(("perl", "ruby"), _interpreter),
    **dict.fromkeys(("rm", "grm", "rmdir", "unlink", "mkfifo", "dos2unix", "unix2dos", "strip",
                     "sponge"), _all_operands(set())),
    **dict.fromkeys(("rename", "prename", "mmv", "split", "csplit", "cpio", "ar"), _here),
    "chattr": _all_operands(set(), skip=1),
    "curl": curl,
    "dd": _dd,
    "git": git,
    "iconv": _outputs("-o", "--output"),
    "mkdir": _all_operands({"-m", "--mode"}),
    "mknod": _all_operands({"-m", "--mode"}),
    "mktemp": _mktemp,
    "mv": _move,
    "gmv": _move,
    "patch": _patch,
    "rsync": rsync,
    "scp": scp,
    "sed": _sed,
    "gsed": _sed,
    "setfacl": _all_operands({"-m", "-x", "-M", "-X", "-b"}),
    "shred": _all_operands({"-n", "-s", "--iterations", "--size", "--random-source"}),
    "shuf": _outputs("-o", "--output"),
    "sort": _outputs("-o", "--output"),
    "tar": tar,
    "bsdtar": tar,
    "tee": _all_operands({"--output-error"}),
    "touch": _all_operands({"-t", "-d", "-r", "--date", "--reference", "--time"}),
    "tree": _outputs("-o"),
    "truncate": _all_operands({"-s", "-r", "--size", "--reference"}),
    "uniq": _second_operand,
    "unzip": unzip,
    "wget": wget,
    "xxd": _second_operand,
    "yq": _yq,
    "zip": _zip,
}  # fmt: skip
"""What each program does; ``READERS`` are those that change nothing whatever they are given."""
