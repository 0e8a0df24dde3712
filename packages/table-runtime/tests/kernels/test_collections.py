"""Arrays, maps, rows, JSON, VARIANT and BITMAP; the expected results are Flink's unless a test says otherwise."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions.symbols import JsonBehavior, JsonNullHandling, JsonType, JsonWrapper
from table_common.functions.builtin import bitmap, collections, json, variant
from table_common.types import IntType, VarCharType
from table_runtime.kernels.support.roaring import decode, encode

_DOCUMENT = '{"a":{"b":[1,2,{"c":null}]},"s":"x","n":1.50,"t":true,"z":null,"a b":7}'
_NULL, _ERROR, _DEFAULT = JsonBehavior.NULL, JsonBehavior.ERROR, JsonBehavior.DEFAULT
_NO_VALUE = (None, "STRING")


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
        (json.IS_JSON, ("[1",), False),
        (json.IS_JSON, ("{}", JsonType.OBJECT), True),
        (json.IS_JSON, ((None, "STRING"),), False),
        (json.JSON_EXISTS, ('{"a": [{ "b": 1 }]}', "$.a[0].b"), True),
        (json.JSON_EXISTS, ('{"a": true}', "$.b"), False),
        (json.JSON_VALUE, (_DOCUMENT, "$.s"), "x"),
        (json.JSON_VALUE, (_DOCUMENT, "$.t"), "true"),
        (json.JSON_VALUE, (_DOCUMENT, "$.['a b']"), "7"),
        (json.JSON_VALUE, (_DOCUMENT, "$.a.b[5]"), None),
        (json.JSON_VALUE, ("bad json", "$.a"), None),
        (json.JSON_VALUE, (_DOCUMENT, "$.a.b[1]", IntType(), _NULL, _NO_VALUE, _NULL, _NO_VALUE), 2),
        (json.JSON_VALUE, (_DOCUMENT, "lax $.q", VarCharType(), _DEFAULT, "dflt", _NULL, _NO_VALUE), "dflt"),
        (json.JSON_QUERY, (_DOCUMENT, "$.a"), '{"b":[1,2,{"c":null}]}'),
        (json.JSON_QUERY, (_DOCUMENT, "$.a.b[*]"), '[1,2,{"c":null}]'),
        (json.JSON_QUERY, (_DOCUMENT, "$.s"), None),
        (json.JSON_QUERY, (_DOCUMENT, "$.s", VarCharType(), JsonWrapper.CONDITIONAL_ARRAY, _NULL, _NULL), '["x"]'),
        (json.JSON_QUERY, (_DOCUMENT, "$.q", VarCharType(), JsonWrapper.WITHOUT_ARRAY, _NULL, JsonBehavior.EMPTY_ARRAY), "[]"),
        (json.JSON_OBJECT, (JsonNullHandling.NULL_ON_NULL, "b", 1, "a", Decimal("2.50"), "c", (None, "INT")), '{"a":2.50,"b":1,"c":null}'),
        (json.JSON_OBJECT, (JsonNullHandling.ABSENT_ON_NULL, "a", (None, "INT")), "{}"),
        (json.JSON_ARRAY, (JsonNullHandling.ABSENT_ON_NULL, "x", (None, "INT"), True), '["x",true]'),
        (json.JSON_STRING, (b"\x01\x02",), '"AQI="'),
        (json.JSON_STRING, (([1, None], "ARRAY<INT>"),), "[1,null]"),
        (json.JSON_QUOTE, ('é"',), '"\\u00e9\\""'),
        (json.JSON_UNQUOTE, ('"a\\"b"',), 'a"b'),
        (variant.PARSE_JSON, ('{"b":[true,null], "a":1}',), '{"a":1,"b":[true,null]}'),
        (variant.TRY_PARSE_JSON, ("[1",), None),
        (bitmap.BITMAP_CARDINALITY, ((encode([1, 5, 3, 5]), "BITMAP"),), 3),
        (bitmap.BITMAP_TO_STRING, ((encode([-1, 7]), "BITMAP"),), "{7,4294967295}"),
        (bitmap.BITMAP_TO_ARRAY, ((encode([2, 1]), "BITMAP"),), [1, 2]),
    ],
)
def test_fact(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    needs_constants = function is json.JSON_OBJECT or (function is json.JSON_VALUE and len(args) > 2)
    assert outcome(function, *args, columns=not needs_constants) == expected


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (collections.ELEMENT, (ints(1, 2),), "array of one element"),
        (collections.MAP_FROM_ARRAYS, (ints(1), ints(1, 2)), "as many keys as values"),
        (json.JSON_EXISTS, (_DOCUMENT, "strict $.q", _ERROR), "does not fit"),
        (json.JSON_VALUE, (_DOCUMENT, "$.n", IntType(), _NULL, _NO_VALUE, _NULL, _NO_VALUE), "no INT"),
        (json.JSON_VALUE, (_DOCUMENT, "q"), "not a JSON path"),
        (json.JSON_QUERY, (_DOCUMENT, "lax $.q", VarCharType(), JsonWrapper.WITHOUT_ARRAY, _ERROR, _NULL), "finds nothing"),
        (variant.PARSE_JSON, ('{"a":1,"a":2}',), "occurs twice"),
        (bitmap.BITMAP_FROM_BYTES, (b"xyz",), "not a serialized bitmap"),
    ],
)
def test_what_fails(outcome: Any, function: Any, args: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        outcome(function, *args)


def test_json_made_by_a_constructor_is_not_quoted_again(outcome: Any, expressions: Any) -> None:
    inner = expressions.call(json.JSON_OBJECT, JsonNullHandling.NULL_ON_NULL, "k", "v")
    assert outcome(json.JSON_ARRAY, JsonNullHandling.ABSENT_ON_NULL, inner) == '[{"k":"v"}]'


def test_a_field_of_a_row_is_taken_by_name(outcome: Any, expressions: Any) -> None:
    row = expressions.column(0, "ROW<a INT, b STRING>")
    call = expressions.call(collections.GET, row, ("b", "CHAR(1)"))
    assert call.output_type == VarCharType()


@pytest.mark.parametrize("values", [set(), {0, 65536, 2**32 - 1}, set(range(5000)), {3 * number for number in range(30000)}])
def test_a_bitmap_survives_its_bytes(values: set[int]) -> None:
    assert decode(encode(values)) == values


def test_a_bitmap_with_runs_is_read() -> None:
    # One container of one run: 10, 11, 12.
    data = bytes.fromhex("3b300000010000020001000a000200")
    assert decode(data) == {10, 11, 12}
