import pytest

from table_api.operations import (
    FilterQueryOperation,
    FromChangelogQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    ValuesQueryOperation,
)
from table_api.plan.column_use import is_known, needed_columns
from table_api.plan.facts.columns import identity, picked, restore
from table_api.plan.rules.prune_columns import prune_columns
from table_common.catalog import ResolvedSchema
from table_common.connector import RowKind
from table_common.expressions import CallExpression, FieldReferenceExpression
from table_common.functions.builtin import comparison
from table_common.types import BooleanType, IntType, VarCharType

ROWS = ValuesQueryOperation((), ResolvedSchema.physical([(name, IntType()) for name in "abcd"]))


def column(position: int, input_index: int = 0) -> FieldReferenceExpression:
    return FieldReferenceExpression("abcd"[position], IntType(), input_index, position)


def test_a_filter_needs_its_condition_and_what_its_reader_uses() -> None:
    condition = CallExpression(comparison.IS_NULL, (column(2),), BooleanType(nullable=False))
    rows = FilterQueryOperation(condition, ROWS)
    needed = needed_columns(ProjectQueryOperation((column(0),), ("a",), rows))
    assert needed[id(rows)] == {0}
    assert needed[id(ROWS)] == {0, 2}


def test_a_join_needs_the_columns_of_its_condition_on_both_sides() -> None:
    right = ValuesQueryOperation((), ROWS.schema)
    condition = CallExpression(comparison.EQUALS, (column(1), column(3, 1)), BooleanType())
    join = JoinQueryOperation(ROWS, right, JoinType.SEMI, condition)
    needed = needed_columns(ProjectQueryOperation((column(0),), ("a",), join))
    assert needed[id(ROWS)] == {0, 1}
    assert needed[id(right)] == {3}


def test_an_input_of_which_nothing_is_used_keeps_one_column_so_that_its_rows_count() -> None:
    literal = CallExpression(comparison.IS_NULL, (), BooleanType(nullable=False))
    assert needed_columns(ProjectQueryOperation((literal,), ("x",), ROWS))[id(ROWS)] == {0}


def test_picked_columns_are_put_back_at_their_places() -> None:
    node, positions = picked(ROWS, frozenset({1, 3}))
    assert positions == {1: 0, 3: 1}
    assert node.resolved_schema.column_names == ("b", "d")
    assert identity(ROWS) == {0: 0, 1: 1, 2: 2, 3: 3}
    assert restore((ROWS, identity(ROWS)), ROWS.schema) is ROWS


def test_nodes_of_an_engine_are_not_known() -> None:
    class OfAnEngine(QueryOperation):
        """A node that no rule knows."""

    assert is_known(ROWS)
    assert not is_known(object.__new__(OfAnEngine))


@pytest.mark.parametrize("op", range(4))
@pytest.mark.parametrize("used", ["a", "b", "ab", "ac", "abc"])
def test_from_changelog_keeps_the_column_of_the_kinds_and_the_columns_of_its_readers(op: int, used: str) -> None:
    names = "abc"[:op] + "k" + "abc"[op:]
    columns = [(name, VarCharType() if name == "k" else IntType()) for name in names]
    rows = ValuesQueryOperation((), ResolvedSchema.physical(columns))
    node = FromChangelogQueryOperation(rows, FieldReferenceExpression("k", VarCharType(), 0, op), (("i", RowKind.INSERT),))
    selected = tuple(FieldReferenceExpression(name, IntType(), 0, "abc".index(name)) for name in used)
    pruned = prune_columns(ProjectQueryOperation(selected, tuple(used), node), None)
    assert isinstance(pruned, ProjectQueryOperation)
    narrow = pruned.child
    assert isinstance(narrow, FromChangelogQueryOperation)
    assert list(narrow.child.resolved_schema.column_names) == [name for name in names if name in used or name == "k"]
    assert narrow.child.resolved_schema.column_names[narrow.op.field_index] == "k"
    assert [narrow.resolved_schema.column_names[reference.field_index] for reference in pruned.projection] == list(used)
