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
    """Returns rows of the columns a, b and c with a unique key at these positions."""
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


def test_a_column_that_equals_a_constant_is_removed_from_the_key() -> None:
    rows = distinct_on(0, 1)
    assert keys(FilterQueryOperation(equal(column(0), ValueLiteralExpression(1, INT)), rows)) == [[1]]
    assert keys(FilterQueryOperation(equal(column(0), column(1)), rows)) == [[0, 1]]
    double = ProjectQueryOperation((column(0, type_=DoubleType()),), ("a",), distinct_on(0))
    assert keys(FilterQueryOperation(equal(column(0, type_=DoubleType()), ValueLiteralExpression(0.0, DoubleType())), double)) == [[0]]


def test_a_projection_drops_keys_with_columns_that_are_not_projected() -> None:
    rows = distinct_on(0, 1)
    assert keys(ProjectQueryOperation((column(1), column(0), column(0)), ("x", "y", "z"), rows)) == [[0, 1], [0, 2]]
    assert keys(ProjectQueryOperation((column(1),), ("x",), rows)) == []


def test_grouping_columns_and_input_keys_among_them_are_unique() -> None:
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
def test_a_join_keeps_the_keys_of_a_side_whose_rows_have_at_most_one_match(kind: JoinType, found: list[list[int]]) -> None:
    assert keys(JoinQueryOperation(distinct_on(0), distinct_on(1), kind, equal(column(2), column(1, 1)))) == found


def test_a_full_join_combines_both_keys_if_a_not_null_column_marks_unmatched_rows() -> None:
    other = DistinctQueryOperation(ROWS)
    assert keys(JoinQueryOperation(distinct_on(0), MANY, JoinType.FULL_OUTER, None)) == []
    wide = AggregateQueryOperation((column(2, type_=IntType(nullable=False)),), (), ("c",), MANY)
    assert keys(JoinQueryOperation(distinct_on(0), wide, JoinType.FULL_OUTER, None)) == [[0, 3]]
    assert keys(JoinQueryOperation(other, other, JoinType.FULL_OUTER, None)) == []


def test_an_equality_of_different_types_does_not_prove_a_single_match() -> None:
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


def test_row_key_and_ordinality_identify_an_unnested_element() -> None:
    lists = ProjectQueryOperation((column(0), column(1, type_=ArrayType(INT))), ("a", "l"), distinct_on(0))
    options: dict[str, Any] = {"child": lists, "expression": column(1, type_=ArrayType(INT))}
    assert keys(UnnestQueryOperation(names=("e", "n"), with_ordinality=True, **options)) == [[0, 3]]
    assert keys(UnnestQueryOperation(names=("e",), **options)) == []


def test_a_node_of_an_unknown_class_has_no_keys() -> None:
    @dataclass(frozen=True)
    class OfAnEngine(QueryOperation):
        """A node that only one engine knows."""

    node = OfAnEngine()
    assert unique_keys(node) == {id(node): frozenset()}


@pytest.mark.parametrize("function", [conversion.CAST, conversion.TRY_CAST])
def test_an_injective_cast_keeps_the_key(function: FunctionDefinition) -> None:
    def casted(*types: LogicalType) -> QueryOperation:
        expression: ResolvedExpression = column(0)
        for type_ in types:
            expression = CallExpression(function, (expression, TypeLiteralExpression(DataType(type_))), type_)
        return ProjectQueryOperation((expression,), ("a",), distinct_on(0))

    assert keys(casted(BigIntType())) == keys(casted(BigIntType(), VarCharType())) == [[0]]
    assert keys(casted(VarCharType(3))) == keys(casted(BigIntType(), VarCharType(5))) == []
