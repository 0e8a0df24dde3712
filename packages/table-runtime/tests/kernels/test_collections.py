"""Arrays, maps, rows, VARIANT and BITMAP; the expected results are Flink's unless a test says otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import bitmap, collections, variant
from table_common.types import VarCharType
from table_runtime.roaring import encode


def ints(*values: int | None) -> tuple[list[int | None], str]:
    """Returns an ARRAY<INT>."""
    return list(values), "ARRAY<INT>"


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (collections.ARRAY, (1, 2), [1, 2]),
        (collections.MAP, ("a", 1, "b", 2, "a", 3), [("a", 3), ("b", 2)]),
        (collections.CARDINALITY, (ints(1, 2, 3),), 3),
        (collections.CARDINALITY, (([("a", 1)], "MAP<STRING, INT>"),), 1),
        (collections.AT, (ints(5, 6), 2), 6),
        (collections.AT, (ints(5, 6), 3), None),  # by hand: Flink gives -1
        (collections.AT, (([("a", 1), ("b", 2)], "MAP<STRING, INT>"), "b"), 2),
        (collections.ELEMENT, (ints(5),), 5),
        (collections.ARRAY_APPEND, (ints(1), (None, "INT")), [1, None]),
        (collections.ARRAY_PREPEND, (ints(1), 0), [0, 1]),
        (collections.ARRAY_CONTAINS, (ints(1, None), (None, "INT")), True),
        (collections.ARRAY_CONTAINS, (ints(1), 2), False),
        (collections.ARRAY_POSITION, (ints(3, 2, 1), 1), 3),
        (collections.ARRAY_REMOVE, (ints(1, 2, 1), 1), [2]),
        (collections.ARRAY_CONCAT, (ints(1), ints(2, 3)), [1, 2, 3]),
        (collections.ARRAY_UNION, (ints(1, None), ints(None, 2)), [1, None, 2]),
        (collections.ARRAY_INTERSECT, (ints(1, 2, 2, 3), ints(2, 3, 4)), [2, 3]),
        (collections.ARRAY_EXCEPT, (ints(1, 2, 2, 3), ints(2)), [1, 3]),
        (collections.ARRAY_DISTINCT, (ints(2, 1, 2),), [2, 1]),
        (collections.ARRAY_REVERSE, (ints(1, None),), [None, 1]),
        (collections.ARRAY_SLICE, (ints(1, 2, 3, 4), -3, -2), [2, 3]),
        (collections.ARRAY_SLICE, (ints(1, 2), 5), []),
        (collections.ARRAY_SORT, (ints(3, None, 2),), [None, 2, 3]),
        (collections.ARRAY_MAX, (ints(3, None, 5),), 5),
        (collections.ARRAY_MIN, (ints(),), None),
        (collections.ARRAY_JOIN, ((["a", None, "b"], "ARRAY<STRING>"), "-", "N"), "a-N-b"),
        (collections.MAP_KEYS, (([("a", 1)], "MAP<STRING, INT>"),), ["a"]),
        (collections.MAP_ENTRIES, (([("a", 1)], "MAP<STRING, INT>"),), [{"key": "a", "value": 1}]),
        (collections.MAP_UNION, (([("a", 1)], "MAP<STRING, INT>"), ([("a", 2)], "MAP<STRING, INT>")), [("a", 2)]),
        (variant.PARSE_JSON, ('{"b":[true,null], "a":1}',), '{"a":1,"b":[true,null]}'),
        (variant.TRY_PARSE_JSON, ("[1",), None),
        (bitmap.BITMAP_CARDINALITY, ((encode([1, 5, 3, 5]), "BITMAP"),), 3),
        (bitmap.BITMAP_TO_STRING, ((encode([-1, 7]), "BITMAP"),), "{7,4294967295}"),
        (bitmap.BITMAP_TO_ARRAY, ((encode([2, 1]), "BITMAP"),), [1, 2]),
    ],
)
def test_fact(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    assert outcome(function, *args) == expected


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (collections.ELEMENT, (ints(1, 2),), "array of one element"),
        (collections.MAP_FROM_ARRAYS, (ints(1), ints(1, 2)), "as many keys as values"),
        (variant.PARSE_JSON, ('{"a":1,"a":2}',), "occurs twice"),
        (bitmap.BITMAP_FROM_BYTES, (b"xyz",), "not a serialized bitmap"),
    ],
)
def test_what_fails(outcome: Any, function: Any, args: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        outcome(function, *args)


def test_a_field_of_a_row_is_taken_by_name(outcome: Any, expressions: Any) -> None:
    row = expressions.column(0, "ROW<a INT, b STRING>")
    call = expressions.call(collections.GET, row, ("b", "CHAR(1)"))
    assert call.output_type == VarCharType()
