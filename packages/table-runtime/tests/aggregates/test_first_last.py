"""The value of one row of a group."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn

ROWS = [("a", None), ("b", None), ("a", 1)], [("a", 2), ("a", None), ("b", None)]


def test_the_first_value_skips_null(aggregate: Any) -> None:
    assert aggregate(fn.FIRST_VALUE, ["INT"], "INT", *ROWS) == {"a": 1, "b": None}


def test_the_last_value_skips_null(aggregate: Any) -> None:
    assert aggregate(fn.LAST_VALUE, ["INT"], "INT", *ROWS) == {"a": 2, "b": None}


@pytest.mark.parametrize(
    ("type_", "value"), [("ARRAY<INT>", [1, None]), ("ROW<i INT>", {"i": None}), ("MAP<STRING, INT>", [("k", 1)]), ("BYTES", b"")]
)
def test_values_of_every_type_are_kept(aggregate: Any, type_: str, value: Any) -> None:
    assert aggregate(fn.FIRST_VALUE, [type_], type_, [("a", None)], [("a", value)]) == {"a": value}


def test_a_single_value_may_be_null(aggregate: Any) -> None:
    assert aggregate(fn.SINGLE_VALUE, ["INT"], "INT", [("a", None)], [("b", 5)]) == {"a": None, "b": 5}


@pytest.mark.parametrize("batches", [[[("a", 1), ("a", 1)]], [[("a", 1)], [("a", None)]]])
def test_two_rows_have_no_single_value(aggregate: Any, batches: Any) -> None:
    with pytest.raises(TableRuntimeException, match="more than one row"):
        aggregate(fn.SINGLE_VALUE, ["INT"], "INT", *batches)
