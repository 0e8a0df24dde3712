"""Functions of JSON; the expected results are Flink's."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import json
from table_common.types import IntType, VarCharType
from table_common.types.symbols import JsonBehavior, JsonNullHandling, JsonType, JsonWrapper
from table_runtime.columns import value_size
from table_runtime.kernels.support import json_text

_DOCUMENT = '{"a":{"b":[1,2,{"c":null}]},"s":"x","n":1.50,"t":true,"z":null,"a b":7}'
_NULL, _ERROR, _DEFAULT = JsonBehavior.NULL, JsonBehavior.ERROR, JsonBehavior.DEFAULT
_NO_VALUE = (None, "STRING")


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
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
        (json.JSON_EXISTS, (_NO_VALUE, "$.a"), None),
        (json.JSON_VALUE, (_NO_VALUE, "$.a"), None),
        (json.JSON_QUERY, (_NO_VALUE, "$.a"), None),
        (json.JSON_VALUE, (_DOCUMENT, "$.z"), None),
        (json.JSON_QUOTE, (_NO_VALUE,), None),
        (json.JSON_STRING, (_NO_VALUE,), None),
    ],
)
def test_fact(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    needs_constants = function is json.JSON_OBJECT or (function is json.JSON_VALUE and len(args) > 2)
    assert outcome(function, *args, columns=not needs_constants) == expected


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (json.JSON_EXISTS, (_DOCUMENT, "strict $.q", _ERROR), "does not fit"),
        (json.JSON_VALUE, (_DOCUMENT, "$.n", IntType(), _NULL, _NO_VALUE, _NULL, _NO_VALUE), "not a valid INT"),
        (json.JSON_VALUE, (_DOCUMENT, "q"), "not a JSON path"),
        (json.JSON_QUERY, (_DOCUMENT, "lax $.q", VarCharType(), JsonWrapper.WITHOUT_ARRAY, _ERROR, _NULL), "finds nothing"),
    ],
)
def test_what_fails(outcome: Any, function: Any, args: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        outcome(function, *args)


def test_json_made_by_a_constructor_is_not_quoted_again(outcome: Any, expressions: Any) -> None:
    inner = expressions.call(json.JSON_OBJECT, JsonNullHandling.NULL_ON_NULL, "k", "v")
    assert outcome(json.JSON_ARRAY, JsonNullHandling.ABSENT_ON_NULL, inner) == '[{"k":"v"}]'


@pytest.mark.parametrize("text", ["\u00e4" * 100, "/" * 400])
def test_a_text_that_json_quote_makes_too_large_is_an_error_of_json_quote(outcome: Any, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(json_text, "LONG_TEXT", 10)
    monkeypatch.setattr(value_size, "LONG_TEXT", 10)
    with value_size.limited_values(500), pytest.raises(TableRuntimeException, match="JSON_QUOTE would create a value of"):
        outcome(json.JSON_QUOTE, text)


def test_a_text_that_is_too_long_for_json_quote_is_an_error_of_json_quote(outcome: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "LONG_TEXT", 10)
    monkeypatch.setattr(value_size, "LONG_TEXT", 10)
    with value_size.limited_values(500), pytest.raises(TableRuntimeException, match="JSON_QUOTE would create a value of"):
        outcome(json.JSON_QUOTE, "x" * 501)


def test_an_integer_of_too_many_digits_is_an_error_of_the_function(outcome: Any) -> None:
    with pytest.raises(TableRuntimeException, match="an integer of more than 4,300 digits"):
        outcome(json.JSON, "9" * 5_000)
