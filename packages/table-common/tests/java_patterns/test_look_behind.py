from __future__ import annotations

import pytest

from table_common.java_patterns.look_behind import is_deterministic, widths_behind
from table_common.java_patterns.nodes import Node
from table_common.java_patterns.pattern import read_java_pattern


def tree(pattern: str) -> Node:
    read = read_java_pattern(pattern)
    assert read is not None
    return read.tree


@pytest.mark.parametrize(
    ("pattern", "widths"),
    [("ab", (2, 2)), ("a|bcd", (1, 3)), ("a{2,4}", (2, 4)), ("a?", (0, 1)), ("", (0, 0)), ("(?:ab){3}", (6, 6))],
)
def test_a_bounded_part_has_a_least_and_a_greatest_width(pattern: str, widths: tuple[int, int]) -> None:
    assert widths_behind(tree(pattern)) == widths


def test_java_refuses_an_unbounded_group() -> None:
    assert widths_behind(tree("(?:a|b)*")) is None


@pytest.mark.parametrize(("pattern", "deterministic"), [("ab", True), ("a{3}", True), ("a|b", False)])
def test_a_choice_is_not_deterministic(pattern: str, deterministic: bool) -> None:
    assert is_deterministic(tree(pattern)) is deterministic
