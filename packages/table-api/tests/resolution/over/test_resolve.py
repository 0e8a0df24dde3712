"""OVER windows: what they become, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import (
    FilterQueryOperation,
    FrameBoundKind,
    FrameUnit,
    QueryOperation,
    WindowQueryOperation,
)
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import TableException, ValidationException
from table_common.types import BigIntType, DecimalType, DoubleType, IntType


@pytest.fixture
def query(session: Any) -> Any:
    """Converts a query."""

    def convert(text: str) -> QueryOperation:
        operation = convert_statement(parse_statement(text), session, text)
        assert isinstance(operation, QueryOperation)
        return operation

    return convert


def window_of(operation: QueryOperation) -> WindowQueryOperation:
    while not isinstance(operation, WindowQueryOperation):
        (operation,) = operation.children
    return operation


def frame_of(operation: QueryOperation) -> Any:
    return window_of(operation).calls[0].frame


def test_an_order_makes_a_running_frame(query: Any) -> None:
    frame = frame_of(query("SELECT SUM(age) OVER (ORDER BY pay) FROM t"))
    assert str(frame) == "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


def test_without_an_order_the_frame_is_the_partition(query: Any) -> None:
    frame = frame_of(query("SELECT SUM(age) OVER (PARTITION BY name) FROM t"))
    assert (frame.lower.kind, frame.upper.kind) == (FrameBoundKind.UNBOUNDED_PRECEDING, FrameBoundKind.UNBOUNDED_FOLLOWING)


def test_one_bound_is_the_lower_one(query: Any) -> None:
    frame = frame_of(query("SELECT SUM(age) OVER (ORDER BY pay ROWS 2 PRECEDING) FROM t"))
    assert str(frame) == "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"


def test_ranks_have_no_frame(query: Any) -> None:
    assert frame_of(query("SELECT RANK() OVER (ORDER BY pay) FROM t")) is None


def test_distances_of_a_range_are_of_the_type_of_the_key(query: Any) -> None:
    frame = frame_of(query("SELECT SUM(age) OVER (ORDER BY pay RANGE 2 PRECEDING) FROM t"))
    assert frame.unit is FrameUnit.RANGE
    assert isinstance(frame.lower.offset.output_type, DecimalType)


@pytest.mark.parametrize(
    ("key", "distance", "expected"),
    [
        ("DECIMAL(38, 10)", "12345678901234567890123456.0", "12345678901234567890123456.0000000000"),
        ("DECIMAL(38, 10)", "0.12345678909999999999", "0.1234567890"),
        ("DECIMAL(3, 1)", "199.08", "199.0"),
        ("DECIMAL(3, 1)", "12345678901234567890123456.0", "200.0"),
    ],
)
def test_a_decimal_distance_has_the_scale_of_the_key(query: Any, key: str, distance: str, expected: str) -> None:
    frame = frame_of(query(f"SELECT SUM(age) OVER (ORDER BY CAST(pay AS {key}) RANGE {distance} PRECEDING) FROM t"))
    assert str(frame.lower.offset.value) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("ROW_NUMBER() OVER (ORDER BY pay)", BigIntType(nullable=False)),
        ("CUME_DIST() OVER (ORDER BY pay)", DoubleType(nullable=False)),
        ("MAX(1) OVER (ORDER BY pay)", IntType(nullable=False)),
        ("MAX(1) OVER (ORDER BY pay ROWS 1 PRECEDING)", IntType()),
        ("MAX(1) FILTER (WHERE age > 1) OVER ()", IntType()),
        ("LAG(age) OVER (ORDER BY pay)", IntType()),
        ("LAG(age, 1, 0) OVER (ORDER BY pay)", IntType()),
        ("LAG(1, 1, 0) OVER (ORDER BY pay)", IntType(nullable=False)),
    ],
)
def test_result_types(query: Any, call: str, expected: Any) -> None:
    assert query(f"SELECT {call} AS x FROM t").resolved_schema.column_types == (expected,)


def test_a_window_over_a_column_that_is_not_grouped_is_refused(query: Any) -> None:
    with pytest.raises(ValidationException, match="'age' is neither in GROUP BY nor inside an aggregate"):
        query("SELECT name, SUM(age) OVER () FROM t GROUP BY name")


def test_qualify_filters_above_the_window(query: Any) -> None:
    operation = query("SELECT name FROM t QUALIFY RANK() OVER (ORDER BY pay) = 1")
    assert isinstance(operation.child, FilterQueryOperation)
    assert isinstance(operation.child.child, WindowQueryOperation)


def test_qualify_knows_the_names_that_select_gives(query: Any) -> None:
    operation = query("SELECT name, RANK() OVER (ORDER BY pay) AS n FROM t QUALIFY n = 1")
    assert str(operation.child.condition) == "($w0 = 1)"


def test_a_named_window_is_as_if_written_in_place(query: Any) -> None:
    named = query("SELECT SUM(age) OVER w AS s FROM t WINDOW w AS (PARTITION BY name ORDER BY pay)")
    assert named == query("SELECT SUM(age) OVER (PARTITION BY name ORDER BY pay) AS s FROM t")


def test_a_window_builds_on_one_before_it(query: Any) -> None:
    named = query("SELECT SUM(age) OVER (v ROWS 1 PRECEDING) AS s FROM t WINDOW w AS (PARTITION BY name), v AS (w ORDER BY pay)")
    assert named == query("SELECT SUM(age) OVER (PARTITION BY name ORDER BY pay ROWS 1 PRECEDING) AS s FROM t")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT ROW_NUMBER() FROM t", "ROW_NUMBER needs an OVER window"),
        ("SELECT ROW_NUMBER() OVER () FROM t", "ROW_NUMBER needs an ORDER BY"),
        ("SELECT RANK() OVER (ORDER BY age ROWS 1 PRECEDING) FROM t", "takes no ROWS frame"),
        ("SELECT RANK() FILTER (WHERE age > 1) OVER (ORDER BY age) FROM t", "neither DISTINCT nor FILTER"),
        ("SELECT UPPER(name) OVER () FROM t", "OVER needs an aggregate"),
        ("SELECT SUM(age) IGNORE NULLS OVER () FROM t", "does not take IGNORE NULLS"),
        ("SELECT NTILE(0) OVER (ORDER BY age) FROM t", "number of buckets above 0"),
        ("SELECT name FROM t WHERE RANK() OVER (ORDER BY age) < 3", "RANK cannot be used in WHERE"),
        ("SELECT name FROM t GROUP BY RANK() OVER (ORDER BY age)", "RANK cannot be used in GROUP BY"),
        ("SELECT COUNT(*) FROM t HAVING RANK() OVER (ORDER BY COUNT(*)) < 3", "cannot be used in HAVING"),
        ("SELECT name FROM t QUALIFY age = 1", "QUALIFY needs at least one window function"),
        ("SELECT SUM(RANK() OVER (ORDER BY age)) FROM t", "a window function among its arguments"),
        ("SELECT SUM(RANK() OVER (ORDER BY age)) OVER () FROM t", "a window function inside of it"),
        ("SELECT SUM(age) OVER w FROM t", "Window 'w' does not exist"),
        ("SELECT 1 FROM t WINDOW w AS (ORDER BY age), w AS (ORDER BY pay)", "'w' is defined twice"),
        ("SELECT SUM(age) OVER (w ORDER BY pay) FROM t WINDOW w AS (ORDER BY age)", "'w' has an ORDER BY already"),
        ("SELECT SUM(age) OVER (w PARTITION BY pay) FROM t WINDOW w AS (ORDER BY age)", "cannot have its own PARTITION BY"),
        ("SELECT SUM(age) OVER (w) FROM t WINDOW w AS (ORDER BY age ROWS 1 PRECEDING)", "no other window can be based on it"),
        (
            "SELECT SUM(age) OVER (ORDER BY age ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM t",
            "begin with FOLLOWING and end with PRECEDING",
        ),
        ("SELECT SUM(age) OVER (ORDER BY age ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM t", "begin with UNBOUNDED FOLLOWING"),
        ("SELECT SUM(age) OVER (ORDER BY age ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM t", "end with UNBOUNDED PRECEDING"),
        ("SELECT SUM(age) OVER (ORDER BY age, pay RANGE 1 PRECEDING) FROM t", "needs one order key, but there is 2 of them"),
        ("SELECT SUM(age) OVER (RANGE 1 PRECEDING) FROM t", "needs one order key, but there is none"),
        ("SELECT SUM(age) OVER (ORDER BY age ROWS 1.5 PRECEDING) FROM t", "a number of rows"),
        (
            "SELECT SUM(age) OVER (ORDER BY CAST(pay AS DECIMAL(38, 37)) RANGE 10.5 PRECEDING) FROM t",
            r"over DECIMAL\(38, 37\) is less than 1e1, but got 10.5",
        ),
        ("SELECT SUM(age) OVER (ORDER BY age ROWS age PRECEDING) FROM t", "a constant of 0 or more"),
        ("SELECT SUM(age) OVER (ORDER BY name RANGE 1 PRECEDING) FROM t", "needs a number or a time in ORDER BY"),
        ("SELECT SUM(age) OVER (ORDER BY age RANGE INTERVAL '1' DAY PRECEDING) FROM t", "a number"),
    ],
)
def test_what_is_refused(query: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message) as caught:
        query(text)
    assert caught.value.position is not None


def test_an_order_inside_the_call_is_refused(query: Any) -> None:
    with pytest.raises(TableException, match="its own ORDER BY"):
        query("SELECT LISTAGG(name) WITHIN GROUP (ORDER BY age) OVER () FROM t")
