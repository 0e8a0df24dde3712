"""Expressions of MATCH_RECOGNIZE over values of the match."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations import SubqueryExpression, ValuesQueryOperation
from table_api.resolution.aggregate_expression import AggregateExpression
from table_api.resolution.pattern_expressions import PatternExpressions
from table_common.catalog import ResolvedSchema
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import (
    ANY_VARIABLE,
    CallExpression,
    FieldReferenceExpression,
    MatchTime,
    PatternAggregate,
    PatternExpression,
    ResolvedExpression,
    RowNavigation,
    ValueLiteralExpression,
)
from table_common.functions.builtin import aggregates, arithmetic, windows
from table_common.types import BigIntType, BooleanType, IntType, LocalZonedTimestampType, TimestampKind, TimestampType

TIME = FieldReferenceExpression("ts", TimestampType(3, kind=TimestampKind.ROWTIME), 0, 1)
LOCAL_TIME = FieldReferenceExpression("ts", LocalZonedTimestampType(3), 0, 1)
VARIABLES = (ANY_VARIABLE, "A", "B")
POSITION = SourcePosition.of_offset("SELECT 1", 0, 6)


def column(variable: str = "A") -> FieldReferenceExpression:
    """Returns the column ``v`` of the rows of a variable."""
    return FieldReferenceExpression("v", IntType(), VARIABLES.index(variable), 0)


def number(value: int) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, IntType(nullable=False))


def call(function: Any, *args: ResolvedExpression, type_: Any = IntType()) -> CallExpression:
    return CallExpression(function, args, type_)


def aggregate(function: Any, *args: ResolvedExpression, **options: Any) -> AggregateExpression:
    return AggregateExpression(function, args, BigIntType(), **options)


def converted(expression: ResolvedExpression, *, is_measure: bool = True, time: FieldReferenceExpression = TIME) -> PatternExpression:
    return PatternExpressions(VARIABLES, time).convert(expression, lambda node: POSITION, is_measure=is_measure)


def test_a_column_is_that_of_the_last_row_of_its_variable() -> None:
    assert converted(column("B")).values == (RowNavigation("B", FieldReferenceExpression("v", IntType(), 0, 0), False, 0),)


def test_equal_values_are_computed_once_and_are_columns_of_the_expression() -> None:
    pattern = converted(call(arithmetic.PLUS, column(), call(arithmetic.PLUS, column(), column(ANY_VARIABLE))))
    assert [value.variable for value in pattern.values if isinstance(value, RowNavigation)] == ["A", ANY_VARIABLE]
    assert isinstance(pattern.expression, CallExpression)
    (left, _) = pattern.expression.args
    assert isinstance(left, FieldReferenceExpression)
    assert (left.input_index, left.field_index) == (0, 0)


@pytest.mark.parametrize(
    ("function", "args", "from_first", "offset"),
    [(windows.FIRST, (), True, 0), (windows.LAST, (), False, 0), (windows.FIRST, (2,), True, 2), (windows.LAST, (1,), False, 1)],
)
def test_first_and_last_count_from_their_end(function: Any, args: tuple[int, ...], from_first: bool, offset: int) -> None:
    (value,) = converted(call(function, column(), *map(number, args))).values
    assert isinstance(value, RowNavigation)
    assert (value.from_first, value.offset) == (from_first, offset)


def test_an_aggregate_is_over_the_rows_of_its_variable() -> None:
    (value,) = converted(aggregate(aggregates.SUM, call(arithmetic.PLUS, column("B"), number(1)))).values
    assert isinstance(value, PatternAggregate)
    assert value.variable == "B"


def test_a_count_of_rows_is_over_all_rows_of_the_match() -> None:
    (value,) = converted(aggregate(aggregates.COUNT)).values
    assert isinstance(value, PatternAggregate)
    assert value.variable == ANY_VARIABLE


def test_constant_arguments_of_an_aggregate_are_kept_apart() -> None:
    separator = number(5)
    (value,) = converted(aggregate(aggregates.LISTAGG, column(), separator)).values
    assert isinstance(value, PatternAggregate)
    assert (len(value.args), value.constants) == (1, (separator,))


def test_the_time_of_a_match_is_event_time_where_the_order_is() -> None:
    (value,) = converted(call(windows.MATCH_ROWTIME, type_=TimestampType(3))).values
    assert value == MatchTime(TimestampType(3, nullable=False, kind=TimestampKind.ROWTIME), TIME)
    (processing,) = converted(call(windows.MATCH_PROCTIME, type_=LocalZonedTimestampType(3))).values
    assert processing == MatchTime(LocalZonedTimestampType(3))


SUBQUERY = SubqueryExpression(SubqueryKind.EXISTS, ValuesQueryOperation((), ResolvedSchema(())), BooleanType(nullable=False))


@pytest.mark.parametrize(
    ("expression", "options", "error", "message"),
    [
        (SUBQUERY, {}, TableException, "Subqueries are not supported in MATCH_RECOGNIZE"),
        (call(windows.LAST, column(), column()), {}, ValidationException, "is a constant number of rows, 0 or more"),
        (call(windows.LAST, column(), number(-1)), {}, ValidationException, "is a constant number of rows, 0 or more"),
        (call(windows.LAST, number(1)), {}, ValidationException, "LAST takes a column of the rows"),
        (call(windows.LAST, call(arithmetic.PLUS, column("A"), column("B"))), {}, ValidationException, "its argument uses 'A' and 'B'"),
        (call(windows.LAST, call(windows.FIRST, column())), {}, ValidationException, "takes columns of one row, not navigation functions"),
        (call(windows.PREV, column()), {}, ValidationException, "PREV cannot be used in MEASURES"),
        (call(windows.PREV, column()), {"is_measure": False}, TableException, "PREV looks at rows outside of the match"),
        (call(windows.MATCH_ROWTIME), {"is_measure": False}, ValidationException, "can only be used in MEASURES"),
        (call(windows.MATCH_ROWTIME), {"time": LOCAL_TIME}, ValidationException, r"MATCH_ROWTIME\(\) is for rows with a TIMESTAMP"),
        (call(windows.MATCH_ROWTIME, column()), {}, ValidationException, "takes the time attribute, but column 'v' is INT"),
        (aggregate(aggregates.SUM, column(), distinct=True), {}, ValidationException, r"SUM\(DISTINCT …\) is not supported"),
        (aggregate(aggregates.SUM, column(), filter=column()), {}, ValidationException, "SUM takes neither FILTER nor an order"),
        (aggregate(aggregates.COUNT, column(), column()), {}, ValidationException, "COUNT takes one argument"),
        (aggregate(aggregates.SUM, call(windows.LAST, column())), {}, ValidationException, "not navigation functions"),
    ],
)
def test_what_a_match_does_not_have_is_refused_at_its_place(
    expression: ResolvedExpression, options: dict[str, Any], error: type[TableException], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        converted(expression, **options)
    assert caught.value.position == POSITION
