"""One value has a limit, whatever makes it; what makes it sees that before it is made, or block by block."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.types import VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.collect import ListAgg
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan
from table_runtime.columns import value_size
from table_runtime.columns.keys import KeyCodec
from table_runtime.columns.value_size import check_made_values, check_value_size, in_blocks, limited_values
from table_runtime.kernels.scalar import strings
from table_runtime.kernels.support import json_text

LIMIT = 1000


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small limit, and small blocks."""
    monkeypatch.setattr(value_size, "MAX_VALUE_SIZE", LIMIT)
    for module in (value_size, json_text, strings):
        monkeypatch.setattr(module, "LONG_TEXT", 10)


@pytest.mark.parametrize(
    "function",
    [
        strings.url_encode,
        strings.upper,
        strings.to_base64,
        json_text.quote,
        lambda text: strings.translate(text, "\u00df", "\U0001f600"),
        lambda text: strings.regexp_replace(text, ".", "12345"),
    ],
    ids=["url_encode", "upper", "to_base64", "json", "translate", "regexp_replace"],
)
def test_a_function_that_lengthens_a_text_refuses_a_value_that_is_too_large(limit: None, function: Callable[[str], str]) -> None:
    with pytest.raises(TableRuntimeException, match=r"would create a value of [\d,]+ characters, but a value may have 1,000"):
        function("\u00df" * 1001)


@pytest.mark.parametrize("function", [strings.url_encode, strings.upper, json_text.quote])
def test_blocks_give_what_the_whole_text_gives(monkeypatch: pytest.MonkeyPatch, function: Callable[[str], str]) -> None:
    text = 'Stra\u00dfe "1"\n\u0130\U0001f600 ~*+%' * 7
    whole = function(text)
    for module in (value_size, json_text, strings):
        monkeypatch.setattr(module, "LONG_TEXT", 3)
    assert function(text) == whole


def test_matches_that_are_longer_than_their_replacement_make_no_large_value(limit: None) -> None:
    assert strings.regexp_replace("a" * 10 + "b" * 989, "b+|a", "x" * 90) == "x" * 990


def test_a_text_of_a_block_is_changed_at_once() -> None:
    assert in_blocks("F", "ab", str.upper) == "AB"


def test_a_value_that_is_too_large_is_refused_after_it_was_made(limit: None) -> None:
    with pytest.raises(TableRuntimeException, match=r"F would create a value of [\d,]+ bytes, but a value may have 1,000"):
        check_made_values("F", pa.array([[1], [1] * 1000]))


def test_the_size_of_a_text_is_that_of_its_bytes(limit: None) -> None:
    with pytest.raises(TableRuntimeException, match=r"F would create a value of 1,002 bytes, but a value may have 1,000"):
        check_made_values("F", pa.array(["\u00df" * 501]))


def test_small_values_may_have_any_size_together(limit: None) -> None:
    check_made_values("F", pa.array(["x" * 100] * 100))


def test_listagg_refuses_a_value_that_is_too_large(limit: None, monkeypatch: pytest.MonkeyPatch) -> None:
    text = VarCharType()
    plan = AggregationPlan(KeyCodec([pa.int64()]), [ListAgg(AggregateSpec("LISTAGG", (text,), text))])
    states = plan.partial([pa.array([1] * 100)], [[pa.array(["x" * 20] * 100)]], 100)
    with pytest.raises(TableRuntimeException, match=r"LISTAGG would create a value of 2,[0-9]+ bytes"):
        plan.finish(states)


@pytest.mark.parametrize(
    ("text", "pairs", "expected"),
    [
        ("a=1,b,,c=2,,", ",", [("a", "1"), ("b", None), ("", None), ("c", "2")]),
        (",,", ",", []),
        ("a=1;;b=2", ";;", [("a", "1"), ("b", "2")]),
        ("a=1=2", ",", [("a", "1=2")]),
        ("a=1" + ",x" * 50 + ",a=3,", ",", [("a", "3"), ("x", None)]),
    ],
)
def test_str_to_map_cuts_a_long_text_block_by_block(
    monkeypatch: pytest.MonkeyPatch, text: str, pairs: str, expected: list[tuple[str, str | None]]
) -> None:
    from table_runtime.kernels.support import java_matching

    monkeypatch.setattr(java_matching, "_BLOCK", 5)
    assert strings.str_to_map(text, pairs) == expected


def test_values_have_a_smaller_limit_where_it_is_set() -> None:
    with limited_values(10), pytest.raises(TableRuntimeException, match="11 characters, but a value may have 10"):
        check_value_size("REPEAT", 11)
    check_value_size("REPEAT", 11)
