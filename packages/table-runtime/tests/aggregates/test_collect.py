"""Aggregates that keep all values of a group."""

from __future__ import annotations

import math
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn


def test_array_agg_keeps_nulls_and_the_order_of_the_input(aggregate: Any) -> None:
    result = aggregate(fn.ARRAY_AGG, ["INT"], "ARRAY<INT>", [("a", 3), ("b", 7), ("a", None)], [("a", 1)])
    assert result == {"a": [3, None, 1], "b": [7]}


def test_listagg_ignores_null_and_separates_by_a_comma(aggregate: Any) -> None:
    rows = [("a", "x"), ("a", None), ("b", None)], [("a", "y")]
    assert aggregate(fn.LISTAGG, ["STRING"], "STRING", *rows) == {"a": "x,y", "b": None}


def test_listagg_with_a_null_separator_is_null(aggregate: Any) -> None:
    assert aggregate(fn.LISTAGG, ["STRING"], "STRING", [("a", "x")], constants=(None,)) == {"a": None}


def test_listagg_of_empty_texts_is_not_null(aggregate: Any) -> None:
    assert aggregate(fn.LISTAGG, ["STRING"], "STRING", [("a", ""), ("a", "")], constants=("-",)) == {"a": "-"}


def test_values_are_in_the_order_of_the_call(aggregate: Any) -> None:
    rows = [("a", "x", 1), ("b", "z", 0), ("a", "y", None)], [("a", "w", 2)]
    result = aggregate(fn.LISTAGG, ["STRING", "INT"], "STRING", *rows, orders=((False, True),))
    assert result == {"a": "y,w,x", "b": "z"}


@pytest.mark.parametrize(("function", "expected"), [(fn.FIRST_VALUE, {"a": 20, "b": None}), (fn.LAST_VALUE, {"a": 10, "b": None})])
def test_the_first_and_last_value_of_an_order_skip_null(aggregate: Any, function: Any, expected: Any) -> None:
    rows = [("a", 10, 5), ("a", None, 0), ("b", None, 1)], [("a", 20, 1), ("a", None, 9)]
    assert aggregate(function, ["INT", "INT"], "INT", *rows, orders=((True, False),)) == expected


def test_collect_counts_equal_values(aggregate: Any) -> None:
    result = aggregate(fn.COLLECT, ["STRING"], "MULTISET<STRING>", [("a", "x"), ("a", "y"), ("b", None)], [("a", "x")])
    assert {group: dict(pairs) for group, pairs in result.items()} == {"a": {"x": 2, "y": 1}, "b": {}}


def test_collect_counts_equal_rows(aggregate: Any) -> None:
    row = {"i": 1, "t": None}
    result = aggregate(
        fn.COLLECT, ["ROW<i INT, t STRING>"], "MULTISET<ROW<i INT, t STRING>>", [("a", row), ("a", {"i": 2, "t": "x"})], [("a", row)]
    )
    assert result == {"a": [(row, 2), ({"i": 2, "t": "x"}, 1)]}


def test_collect_counts_nan_as_one_value(aggregate: Any) -> None:
    rows = [("a", float("nan")), ("a", float("inf") - float("inf"))], [("a", float("nan"))]
    ((_, count),) = aggregate(fn.COLLECT, ["DOUBLE"], "MULTISET<DOUBLE>", *rows)["a"]
    assert count == 3


def test_collect_counts_maps_with_entries_in_another_order_as_one_value(aggregate: Any) -> None:
    rows = [("a", [("k", 1), ("l", None)])], [("a", [("l", None), ("k", 1)])]
    assert aggregate(fn.COLLECT, ["MAP<STRING, INT>"], "MULTISET<MAP<STRING, INT>>", *rows)["a"] == [([("k", 1), ("l", None)], 2)]


@pytest.mark.parametrize(("fraction", "expected"), [(0.0, 1.0), (0.5, 2.5), (0.25, 1.75), (1.0, 4.0)])
def test_a_percentile_is_interpolated(aggregate: Any, fraction: float, expected: float) -> None:
    rows = [("a", 4), ("a", None), ("a", 1)], [("a", 3), ("a", 2), ("b", None)]
    assert aggregate(fn.PERCENTILE, ["INT"], "DOUBLE", *rows, constants=(fraction,)) == {"a": expected, "b": None}


@pytest.mark.parametrize("count", [15, 16, 100])
def test_a_percentile_of_few_and_of_many_values_is_interpolated_with_nan_last(aggregate: Any, count: int) -> None:
    values = [float(number * 7 % count) for number in range(count)]
    rows = [("a", value) for value in values], [("b", float("nan")), *(("b", value) for value in values), ("a", None)]
    constants = ([0.0, 0.5, 1.0],)
    found = aggregate(fn.PERCENTILE, ["DOUBLE"], "ARRAY<DOUBLE>", *rows, constants=constants)
    assert found["a"] == [0.0, (count - 1) / 2, float(count - 1)]
    assert found["b"][:2] == [0.0, count / 2]
    assert math.isnan(found["b"][2])


def test_several_fractions_give_an_array(aggregate: Any) -> None:
    result = aggregate(fn.PERCENTILE, ["INT"], "ARRAY<DOUBLE>", [("a", 1), ("a", 3)], constants=([0.0, 0.5, 1.0],))
    assert result == {"a": [1.0, 2.0, 3.0]}


def test_a_weight_repeats_its_row(aggregate: Any) -> None:
    rows = [("a", 10, 0.5, 3), ("a", 20, 0.5, 1), ("a", 99, 0.5, 0), ("a", 77, 0.5, None)]
    assert aggregate(fn.PERCENTILE, ["INT", "DOUBLE", "INT"], "DOUBLE", rows) == {"a": 10.0}


@pytest.mark.parametrize("fraction", [-0.1, 1.5, float("nan")])
def test_a_fraction_outside_of_0_to_1_is_refused(aggregate: Any, fraction: float) -> None:
    with pytest.raises(TableRuntimeException, match="PERCENTILE takes shares from 0 to 1"):
        aggregate(fn.PERCENTILE, ["INT"], "DOUBLE", [("a", 1)], constants=(fraction,))
