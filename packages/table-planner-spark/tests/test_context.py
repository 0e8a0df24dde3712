"""What one translation remembers: the names that are taken, the nodes with several readers and the columns that become too large."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import ProjectQueryOperation, QueryOperation, SetOperationType, SetQueryOperation, ValuesQueryOperation
from table_common.catalog import ResolvedSchema
from table_common.configuration import Configuration
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import arithmetic
from table_common.types import IntType
from table_planner_spark.context import LoweringContext

INT = IntType()


@pytest.fixture
def context() -> LoweringContext:
    """A context that never asks Spark for anything."""
    session: Any = None
    return LoweringContext(session, Configuration())


def values() -> QueryOperation:
    return ValuesQueryOperation(((ValueLiteralExpression(0, INT),),), ResolvedSchema.physical([("a", INT)]))


def doubled(levels: int) -> list[QueryOperation]:
    """Returns projections that each add the column of the one before to itself."""
    nodes = [values()]
    column = FieldReferenceExpression("a", INT, 0, 0)
    for _ in range(levels):
        nodes.append(ProjectQueryOperation((CallExpression(arithmetic.PLUS, (column, column), INT),), ("a",), nodes[-1]))
    return nodes


def test_no_name_is_given_twice(context: LoweringContext) -> None:
    assert len({*context.new_names(["a", "a"]), context.new_name("a")}) == 3


def test_a_name_has_only_characters_of_words(context: LoweringContext) -> None:
    assert context.new_name("a b.c`d") == "a_b_c_d_1"


def test_names_of_a_table_are_kept_once(context: LoweringContext) -> None:
    assert [context.reserve_names(names, "t") for names in (["a", "b"], ["b", "c"], ["c"])] == [True, False, True]


def test_a_name_like_those_of_the_context_is_not_kept(context: LoweringContext) -> None:
    assert not context.reserve_names(["a_1"], "t")


def test_a_node_that_two_others_read_has_no_single_reader(context: LoweringContext) -> None:
    shared = values()
    plan = SetQueryOperation((shared, shared), SetOperationType.UNION, True, (INT,))
    context.analyze_sharing(plan)
    assert not context.has_one_reader(shared)


def test_each_level_before_the_limit_may_be_written_out(context: LoweringContext) -> None:
    nodes = doubled(8)
    context.analyze_sizes(nodes[-1])
    assert [node for node in nodes if context.large_columns(node)] == []


def test_a_column_is_too_large_again_only_after_as_many_levels(context: LoweringContext) -> None:
    nodes = doubled(40)
    context.analyze_sizes(nodes[-1])
    assert [level for level, node in enumerate(nodes) if context.large_columns(node)] == [9, 18, 27, 36]


def test_sizes_of_one_plan_are_not_kept_for_the_next(context: LoweringContext) -> None:
    nodes = doubled(40)
    context.analyze_sizes(nodes[-1])
    context.analyze_sizes(values())
    assert not any(map(context.large_columns, nodes))


def test_a_single_long_expression_is_not_too_large(context: LoweringContext) -> None:
    total: Any = FieldReferenceExpression("a", INT, 0, 0)
    for _ in range(2000):
        total = CallExpression(arithmetic.PLUS, (total, ValueLiteralExpression(1, INT)), INT)
    node = ProjectQueryOperation((total,), ("a",), values())
    context.analyze_sizes(node)
    assert not context.large_columns(node)
