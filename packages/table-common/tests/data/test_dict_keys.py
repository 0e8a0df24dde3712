"""Tests for table_common.data.dict_keys."""

from __future__ import annotations

from table_common.data import Row
from table_common.data.dict_keys import hashable


def test_lists_and_dicts_become_tuples_at_every_depth() -> None:
    assert hashable([1, [2, {"a": [3]}]]) == (1, (2, (("a", (3,)),)))


def test_rows_keep_their_names() -> None:
    converted = hashable(Row(a=[1], b=2))
    assert converted == Row(a=(1,), b=2)
    assert {converted: 1}[Row(a=(1,), b=2)] == 1


def test_other_values_are_unchanged() -> None:
    assert hashable("x") == "x"
