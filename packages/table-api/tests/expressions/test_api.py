"""Functions that create expressions: columns, constants, calls, logic and JSON."""

from __future__ import annotations

import pytest

from table_api.expressions import (
    Expression,
    JsonOnNull,
    and_,
    array,
    call,
    coalesce,
    col,
    concat,
    if_then_else,
    json_array_agg,
    json_object,
    lit,
    log,
    map_,
    null_of,
    rand_integer,
    range_,
    row,
    row_interval,
)
from table_api.expressions.unresolved import Literal, Reference, Star
from table_common.exceptions import ValidationException
from table_common.functions.builtin import lookup_built_in
from table_common.types import BigIntType, DataTypes, IntType


def test_a_column_is_a_reference_of_one_part_even_with_a_dot_in_its_name() -> None:
    assert col("a.b").unresolved == Reference(("a.b",))


def test_the_column_star_stands_for_all_columns() -> None:
    assert col("*").unresolved == Star()


def test_a_literal_with_a_type_has_this_type() -> None:
    assert lit(1, DataTypes.BIGINT()).unresolved == Literal(1, BigIntType())


def test_null_has_the_type_that_is_asked_for() -> None:
    assert null_of(DataTypes.INT()).unresolved == Literal(None, IntType())


@pytest.mark.parametrize(
    ("expression", "summary"),
    [
        (call("cat.db.f", 1), "cat.db.f(1)"),
        (call(lookup_built_in("UPPER"), col("a")), "UPPER(a)"),
        (and_(True, col("a"), col("b")), "AND(True, a, b)"),
        (if_then_else(col("a"), 1, 2), "CASE(a, 1, 2)"),
        (log(col("a")), "LOG(a)"),
        (log(col("a"), 2), "LOG(2, a)"),
        (rand_integer(10), "RAND_INTEGER(10)"),
        (rand_integer(10, 7), "RAND_INTEGER(7, 10)"),
        (array(1, 2), "ARRAY(1, 2)"),
        (row(1, "a"), "ROW(1, 'a')"),
        (map_("k", 1), "MAP('k', 1)"),
        (json_object(JsonOnNull.ABSENT, "k", 1), "JSON_OBJECT(ABSENT_ON_NULL, 'k', 1)"),
        (json_array_agg(JsonOnNull.NULL, col("a")), "JSON_ARRAYAGG_NULL_ON_NULL(a)"),
    ],
    ids=str,
)
def test_a_function_calls_the_built_in_function_with_its_arguments(expression: Expression, summary: str) -> None:
    assert str(expression) == summary


@pytest.mark.parametrize("expression", [coalesce(None, 1), concat(None, "a")], ids=str)
def test_none_is_null_where_all_arguments_count(expression: Expression) -> None:
    assert str(expression).partition("(")[2].startswith("NULL, ")


def test_a_number_of_rows_is_a_bigint() -> None:
    assert row_interval(3).unresolved == Literal(3, BigIntType(nullable=False))


def test_a_range_from_a_name_to_a_position_is_refused() -> None:
    with pytest.raises(ValidationException, match="two names or two positions, but got 'a' and 2"):
        range_("a", 2)


def test_what_is_neither_a_name_nor_a_function_cannot_be_called() -> None:
    with pytest.raises(ValidationException, match="'int' is not a function of ours"):
        call(3)
