"""What became of each ref of a push: by its flag alone, and what is not confirmed is not sent."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from hermes_checkpoints.remote.pushed import Answer, outcomes

REF = st.from_regex(r"refs/checkpoints/[a-c]/[0-9]{1,2}", fullmatch=True)
FLAG = st.sampled_from([*" +-*=!", "x", "", "**"])
WORDS = st.text("abc ()[]\t:!*=", max_size=12)


def line(flag: str, ref: str, words: str) -> bytes:
    return f"{flag}\t{'a' * 40}:{ref}\t{words}\n".encode()


def test_each_flag_has_its_meaning() -> None:
    told = {
        "*": (Answer.NEW, True),
        "=": (Answer.SAME, True),
        " ": (Answer.FORWARD, True),
        "+": (Answer.FORCED, True),
        "-": (Answer.DELETED, False),
        "!": (Answer.REJECTED, False),
    }
    for flag, (answer, is_there) in told.items():
        (found,) = outcomes(
            b"To x\n" + line(flag, "refs/a", "[new branch]") + b"Done\n", ["refs/a"]
        ).values()
        assert (found.answer, found.is_there, found.words) == (answer, is_there, b"[new branch]")
        assert found.is_gone == (flag == "-")


@given(st.lists(st.tuples(FLAG, REF, WORDS), max_size=8), st.lists(REF, unique=True, max_size=4))
def test_only_what_was_asked_for_and_confirmed_once_is_there(
    told: list[tuple[str, str, str]], asked: list[str]
) -> None:
    output = b"".join(line(*one) for one in told)
    found = outcomes(output, asked)
    assert list(found) == asked
    known = {one.value for one in Answer} - {""}
    for ref in asked:
        flags = {flag for flag, named, _ in told if named == ref and flag in known}
        assert found[ref].ref == ref
        assert found[ref].is_there == (len(flags) == 1 and flags <= {"*", "=", " ", "+"})
        assert (found[ref].answer is Answer.UNTOLD) == (not flags)


@given(st.binary(max_size=200))
@example(b"*\t:refs/checkpoints/a/1")
@example(b"*")
@example(b"\t\t\t")
@example(b"\xff\tx\xff:refs/checkpoints/a/1\t\n")
def test_whatever_is_printed_is_read(output: bytes) -> None:
    found = outcomes(output, ["refs/checkpoints/a/1"])
    assert found.keys() == {"refs/checkpoints/a/1"}


def test_words_that_look_like_a_line_do_not_turn_a_refusal_into_a_success() -> None:
    ref = "refs/checkpoints/a/1"
    output = line("!", ref, "[remote rejected] (no") + line("*", ref, "[new reference])")
    assert outcomes(output, [ref])[ref].answer is Answer.REJECTED
    assert outcomes(output[::-1], [ref])[ref].answer is Answer.UNTOLD
