from __future__ import annotations

import pytest

from table_common.java_patterns.group_values import optional_groups, uncertain_groups
from table_common.java_patterns.nodes import Node
from table_common.java_patterns.pattern import read_java_pattern


def tree(pattern: str) -> Node:
    read = read_java_pattern(pattern)
    assert read is not None
    return read.tree


@pytest.mark.parametrize(
    ("pattern", "groups"),
    [
        ("(a)", set()),
        ("(a)?", {1}),
        ("(a)|(b)", {1, 2}),
        ("(a)+", set()),
        ("(a)*", {1}),
        ("(a){2,3}", set()),
        ("(?!(a))b", {1}),
        ("((a)?b)", {2}),
    ],
)
def test_groups_in_optional_parts_may_be_unset(pattern: str, groups: set[int]) -> None:
    assert optional_groups(tree(pattern)) == groups


@pytest.mark.parametrize(("pattern", "groups"), [("(a)", set()), ("(a)?b", set()), ("(?!(a))b", {1})])
def test_groups_of_failed_attempts_are_uncertain(pattern: str, groups: set[int]) -> None:
    assert uncertain_groups(tree(pattern)) == groups
