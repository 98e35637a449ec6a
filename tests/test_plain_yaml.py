"""YAML of anybody is read in bounded time."""

from __future__ import annotations

import sys
import time
from types import FrameType

import pytest
import yaml
import yaml.scanner

from hermes_checkpoints import plain_yaml

_SAME_HASH = (1 << 61) - 1
"""Python hashes each multiple of this number alike."""


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("text", ["{%s}", "!!set {%s}", "a: {<<: {%s}}"])
def test_keys_that_hash_alike_are_refused_at_once(text: str) -> None:
    keys = ", ".join(f"{number * _SAME_HASH}: 1" for number in range(1, 100_000))
    start = time.process_time()
    with pytest.raises(plain_yaml.Refused, match="large numbers as keys"):
        plain_yaml.load(text % keys)
    assert time.process_time() - start < 20


def test_numbers_are_keys_as_long_as_a_time_in_nanoseconds_and_more() -> None:
    assert plain_yaml.load("{1760000000000000000: a, -9223372036854775808: b}") == {
        1760000000000000000: "a",
        -9223372036854775808: "b",
    }
    assert plain_yaml.load(f"{{-{10**40}: a}}") == {-(10**40): "a"}
    assert plain_yaml.load("a: 111111111111111111111111") == {"a": 111111111111111111111111}


@pytest.mark.parametrize("text", ["!!map [a]", "!!set [a]", "!!map a"])
def test_what_is_called_a_mapping_and_is_none_is_refused(text: str) -> None:
    with pytest.raises(plain_yaml.Refused, match="expected a mapping"):
        plain_yaml.load(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"workdir": ' + "[" * 100_000, "- " * 100_000])
def test_a_text_nested_without_end_is_not_read_again_by_the_slow_parser(text: str) -> None:
    steps = 0

    def count(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event == "call" and frame.f_code.co_filename == yaml.scanner.__file__

    sys.setprofile(count)
    try:
        with pytest.raises(plain_yaml.Refused):
            plain_yaml.load(text)
    finally:
        sys.setprofile(None)
    assert steps == 0
