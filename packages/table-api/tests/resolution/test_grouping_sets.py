"""The grouping sets of ROLLUP, CUBE and GROUPING SETS."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.grouping_sets import GroupingSets, GroupingSetsKind
from table_api.expressions.unresolved import Call, Literal, Reference, UnresolvedExpression
from table_api.operations import (
    AggregateQueryOperation,
    ProjectQueryOperation,
)
from table_api.resolution.operation_builder import OperationBuilder
from table_common.exceptions import ValidationException
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import IntType


def col(*path: str) -> Reference:
    return Reference(path)


def lit(value: int) -> Literal:
    return Literal(value, IntType(nullable=False))


def op(name: str, *args: UnresolvedExpression) -> Call:
    return Call(BUILT_INS_BY_NAME[name], args)


def fn(name: str, *args: UnresolvedExpression, **options: Any) -> Call:
    return Call((name,), args, **options)


def test_rollup_makes_a_set_for_every_prefix(sql: OperationBuilder) -> None:
    rollup = GroupingSets(GroupingSetsKind.ROLLUP, ((col("name"),), (col("age"),)))
    operation = sql.aggregate(sql.from_path(("t",)), [rollup], [col("name"), fn("COUNT", star=True)])
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, AggregateQueryOperation)
    assert operation.child.grouping_sets == ((0, 1), (0,), ())


def test_cube_and_a_column_are_combined(sql: OperationBuilder) -> None:
    cube = GroupingSets(GroupingSetsKind.CUBE, ((col("age"),), (col("pay"),)))
    operation = sql.aggregate(sql.from_path(("t",)), [col("name"), cube], [fn("COUNT", star=True)])
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, AggregateQueryOperation)
    assert operation.child.grouping_sets == ((0, 1, 2), (0, 1), (0, 2), (0,))


def test_a_cube_of_too_many_columns_is_refused(sql: OperationBuilder) -> None:
    cube = GroupingSets(GroupingSetsKind.CUBE, tuple((op("PLUS", col("age"), lit(i)),) for i in range(13)))
    with pytest.raises(ValidationException, match="CUBE of 13 columns would create 8192 grouping sets"):
        sql.aggregate(sql.from_path(("t",)), [cube], [fn("COUNT", star=True)])


def test_grouping_sets_of_more_columns_than_the_grouping_id_has_bits_are_refused(sql: OperationBuilder) -> None:
    rollup = GroupingSets(GroupingSetsKind.ROLLUP, tuple((op("PLUS", col("age"), lit(i)),) for i in range(64)))
    with pytest.raises(ValidationException, match="The grouping sets have 64 columns; 63 are allowed"):
        sql.aggregate(sql.from_path(("t",)), [rollup], [fn("COUNT", star=True)])
