"""Programs that pack, unpack, copy between machines and download."""

from __future__ import annotations

import re

from hermes_checkpoints.triggers.effect import Effect
from hermes_checkpoints.triggers.shell import Call
from hermes_checkpoints.triggers.words import Word, change_of, parse_arguments


def tar(call: Call) -> Effect:
    """tar: extracting changes the target directory, creating the archive."""
    words = list(call.arguments)
    if words and not words[0].is_option:
        words[0] = Word(f"-{words[0].text}", words[0].literal)  # `tar xzf` without a dash
    given = parse_arguments(words, {"-f", "-C", "-T", "-X", "--file", "--directory"})
    to_stdout = given.has("-O", "--to-stdout")
    if given.has("-x", "--extract", "--get"):
        into = [w.path for w in given.values("-C", "--directory")]
        return Effect.NONE if to_stdout else Effect.changes(into or ["."])
    effect = Effect.NONE
    if given.has("-c", "-r", "-u", "-A", "--create", "--append", "--update", "--delete"):
        effect = change_of(given.values("-f", "--file"))
    if given.has("--remove-files"):
        effect |= change_of(given.operands)
    return effect


def unzip(call: Call) -> Effect:
    """unzip, unless it only lists or tests."""
    given = parse_arguments(call.arguments, {"-d", "-P", "-x"})
    if given.has("-l", "-t", "-p", "-v", "-Z", "-z"):
        return Effect.NONE
    return Effect.changes([w.path for w in given.values("-d")] or ["."])


def seven_zip(call: Call) -> Effect:
    """7z and rar, unless they only list or test."""
    what = call.arguments[0].text if call.arguments else "i"
    return Effect.NONE if what in {"l", "t", "i", "b", "h"} else Effect.changes(())


def rsync(call: Call) -> Effect:
    """rsync: the destination, if it is on this machine."""
    given = parse_arguments(call.arguments, {"-e", "-f", "-M", "-B", "-T"})
    if given.has("-n", "--dry-run", "--list-only") or len(given.operands) < 2:
        return Effect.NONE
    effect = change_of(given.operands[:-1]) if given.has("--remove-source-files") else Effect.NONE
    return effect | change_of(w for w in given.operands[-1:] if not _is_remote(w))


def scp(call: Call) -> Effect:
    """scp: the destination, if it is on this machine."""
    given = parse_arguments(call.arguments, {"-c", "-F", "-i", "-J", "-l", "-o", "-P", "-S"})
    return change_of(w for w in given.operands[-1:] if not _is_remote(w))


def _is_remote(word: Word) -> bool:
    return re.match(r"[^/]+:|rsync://", word.text) is not None


def curl(call: Call) -> Effect:
    """curl: the files that it is told to write."""
    given = parse_arguments(call.arguments, _CURL_VALUED)
    effect = change_of(given.values("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar"))
    if given.has("-O", "-J", "--remote-name", "--remote-name-all", "--output-dir"):
        effect |= Effect.changes([w.path for w in given.values("--output-dir")] or ["."])
    return effect


_CURL_VALUED = {
    "-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--output-dir", "-X", "-H", "-d",
    "-F", "-u", "-A", "-e", "-b", "-T", "-w", "-m", "-x", "-K", "-C", "-r", "-y", "-Y", "-z", "-E",
    "--request", "--header", "--data", "--form", "--user", "--url", "--max-time", "--retry",
}  # fmt: skip


def wget(call: Call) -> Effect:
    """wget, which writes unless told otherwise."""
    given = parse_arguments(call.arguments, {"-O", "-P", "-o", "-a", "-U", "-t", "-T", "-e", "-i"})
    if given.has("--spider"):
        return Effect.NONE
    outputs = given.values("-O", "--output-document")
    return (
        change_of(outputs)
        if outputs
        else Effect.changes([w.path for w in given.values("-P")] or ["."])
    )


def compressor(call: Call) -> Effect:
    """gzip and the like replace their operands, unless they write to standard output."""
    given = parse_arguments(call.arguments, {"-S", "--suffix", "-o", "-T"})
    if given.has("-c", "-t", "-l", "--stdout", "--to-stdout", "--test", "--list"):
        return Effect.NONE
    return change_of([*given.operands, *given.values("-o")])
