"""The limits of depth."""

from __future__ import annotations

import sys

import pytest

from table_common.exceptions import ValidationException
from table_common.tree import MAX_PLAN_DEPTH, deep_recursion, require_plan_depth


def test_the_recursion_limit_is_higher_in_the_block_only() -> None:
    before = sys.getrecursionlimit()
    with deep_recursion():
        raised = sys.getrecursionlimit()
        with deep_recursion():
            assert sys.getrecursionlimit() == raised
        assert sys.getrecursionlimit() == raised > before
    assert sys.getrecursionlimit() == before


def test_recursion_beyond_the_limit_is_an_error_of_the_user() -> None:
    def endless(depth: int) -> int:
        return endless(depth + 1)

    with pytest.raises(ValidationException, match="is nested too deep"), deep_recursion():
        endless(0)


def test_the_deepest_plan_is_accepted() -> None:
    require_plan_depth(MAX_PLAN_DEPTH)
    with pytest.raises(ValidationException, match="has 2,001 nested operations, but at most 2,000"):
        require_plan_depth(MAX_PLAN_DEPTH + 1)
