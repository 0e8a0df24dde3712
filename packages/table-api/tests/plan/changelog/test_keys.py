from typing import Any

import pytest

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    SortQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    WindowCall,
    WindowQueryOperation,
)
from table_api.plan.changelog.keys import unique_keys
from table_common.catalog import ResolvedSchema
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison, conversion, windows
from table_common.types import ArrayType, BigIntType, BooleanType, DataType, DoubleType, IntType, LogicalType, VarCharType

INT = IntType()
ROWS = ValuesQueryOperation((), ResolvedSchema.physical([("a", INT), ("b", INT), ("c", IntType(nullable=False))]))
MANY = ValuesQueryOperation(((), ()), ROWS.schema)


def column(position: int, side: int = 0, type_: LogicalType = INT) -> FieldReferenceExpression:
    return FieldReferenceExpression("abcdef"[position], type_, side, position)


def equal(left: ResolvedExpression, right: ResolvedExpression) -> ResolvedExpression:
    return CallExpression(comparison.EQUALS, (left, right), BooleanType())


def distinct_on(*positions: int) -> QueryOperation:
    """Rows that are unique in these of their columns a, b and c."""
    grouped = AggregateQueryOperation(tuple(map(column, positions)), (), tuple("abc"[i] for i in positions), MANY)
    others = [ValueLiteralExpression(None, INT) if i not in positions else column(positions.index(i)) for i in range(3)]
    return ProjectQueryOperation(tuple(others), ("a", "b", "c"), grouped)


def keys(node: QueryOperation) -> list[list[int]]:
    return sorted(sorted(key) for key in unique_keys(node)[id(node)])


def test_at_most_one_row_has_the_empty_key() -> None:
    assert keys(ROWS) == [[]]
    assert keys(MANY) == []
    assert keys(SortQueryOperation((), MANY, fetch=1)) == [[]]
    assert keys(AggregateQueryOperation((), (), (), MANY)) == [[]]


def test_a_column_that_is_compared_with_a_constant_leaves_the_key() -> None:
    rows = distinct_on(0, 1)
    assert keys(FilterQueryOperation(equal(column(0), ValueLiteralExpression(1, INT)), rows)) == [[1]]
    assert keys(FilterQueryOperation(equal(column(0), column(1)), rows)) == [[0, 1]]
    double = ProjectQueryOperation((column(0, type_=DoubleType()),), ("a",), distinct_on(0))
    assert keys(FilterQueryOperation(equal(column(0, type_=DoubleType()), ValueLiteralExpression(0.0, DoubleType())), double)) == [[0]]


def test_a_projection_moves_keys_and_drops_those_that_lose_a_column() -> None:
    rows = distinct_on(0, 1)
    assert keys(ProjectQueryOperation((column(1), column(0), column(0)), ("x", "y", "z"), rows)) == [[0, 1], [0, 2]]
    assert keys(ProjectQueryOperation((column(1),), ("x",), rows)) == []


def test_groups_are_unique_in_their_columns_and_in_a_key_of_the_input_among_them() -> None:
    assert keys(AggregateQueryOperation((column(2), column(0)), (), ("x", "y"), distinct_on(0))) == [[1]]
    sets = AggregateQueryOperation((column(0), column(1)), (), ("x", "y"), MANY, grouping_sets=((0,), (0, 1)))
    assert keys(sets) == [[0, 1, 2]]
    assert keys(AggregateQueryOperation((column(0),), (), ("x",), MANY, grouping_sets=((0,), (0,)))) == []


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (JoinType.INNER, [[0]]),
        (JoinType.LEFT_OUTER, [[0]]),
        (JoinType.RIGHT_OUTER, [[0, 4]]),
        (JoinType.FULL_OUTER, []),
        (JoinType.SEMI, [[0]]),
        (JoinType.ANTI, [[0]]),
    ],
)
def test_a_side_keeps_its_keys_if_its_rows_have_at_most_one_partner(kind: JoinType, found: list[list[int]]) -> None:
    assert keys(JoinQueryOperation(distinct_on(0), distinct_on(1), kind, equal(column(2), column(1, 1)))) == found


def test_both_keys_together_are_one_of_a_full_join_if_a_row_without_partner_differs_in_a_column_that_is_not_null() -> None:
    other = DistinctQueryOperation(ROWS)
    assert keys(JoinQueryOperation(distinct_on(0), MANY, JoinType.FULL_OUTER, None)) == []
    wide = AggregateQueryOperation((column(2, type_=IntType(nullable=False)),), (), ("c",), MANY)
    assert keys(JoinQueryOperation(distinct_on(0), wide, JoinType.FULL_OUTER, None)) == [[0, 3]]
    assert keys(JoinQueryOperation(other, other, JoinType.FULL_OUTER, None)) == []


def test_columns_of_different_types_do_not_say_that_there_is_one_partner() -> None:
    condition = equal(column(1), column(0, 1, BigIntType()))
    assert keys(JoinQueryOperation(distinct_on(0), distinct_on(0), JoinType.INNER, condition)) == [[0, 3]]


@pytest.mark.parametrize(
    ("kind", "is_all", "found"),
    [
        (SetOperationType.UNION, True, []),
        (SetOperationType.UNION, False, [[0, 1, 2]]),
        (SetOperationType.INTERSECT, True, [[0], [1]]),
        (SetOperationType.MINUS, True, [[0]]),
    ],
)
def test_set_operations(kind: SetOperationType, is_all: bool, found: list[list[int]]) -> None:
    assert keys(SetQueryOperation((distinct_on(0), distinct_on(1)), kind, is_all, (INT, INT, INT))) == found


def test_a_row_number_is_unique_within_its_partition() -> None:
    call = WindowCall(windows.ROW_NUMBER, (), BigIntType(nullable=False))
    assert keys(WindowQueryOperation((column(1),), (), (call,), ("rn",), MANY)) == [[1, 3]]


def test_an_element_is_told_by_its_row_and_its_position() -> None:
    lists = ProjectQueryOperation((column(0), column(1, type_=ArrayType(INT))), ("a", "l"), distinct_on(0))
    options: dict[str, Any] = {"child": lists, "expression": column(1, type_=ArrayType(INT))}
    assert keys(UnnestQueryOperation(names=("e", "n"), with_ordinality=True, **options)) == [[0, 3]]
    assert keys(UnnestQueryOperation(names=("e",), **options)) == []


def test_a_node_that_is_not_known_has_no_keys_and_is_passed() -> None:
    @dataclass(frozen=True)
    class OfAnEngine(QueryOperation):
        """A node of an engine."""

    node = OfAnEngine()
    assert unique_keys(node) == {id(node): frozenset()}


@pytest.mark.parametrize("function", [conversion.CAST, conversion.TRY_CAST])
def test_a_cast_that_keeps_different_values_different_keeps_the_key(function: FunctionDefinition) -> None:
    def casted(*types: LogicalType) -> QueryOperation:
        expression: ResolvedExpression = column(0)
        for type_ in types:
            expression = CallExpression(function, (expression, TypeLiteralExpression(DataType(type_))), type_)
        return ProjectQueryOperation((expression,), ("a",), distinct_on(0))

    assert keys(casted(BigIntType())) == keys(casted(BigIntType(), VarCharType())) == [[0]]
    assert keys(casted(VarCharType(3))) == keys(casted(BigIntType(), VarCharType(5))) == []
