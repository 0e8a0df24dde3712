"""Changes, demands, keys and columns of interval joins, joins with versions, and sorts by time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_api.operations import (
    AggregateQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SortOrder,
    ValuesQueryOperation,
    VersionedJoinQueryOperation,
)
from table_api.operations.changelog import (
    ALL_KINDS,
    INSERTS,
    IntervalJoinQueryOperation,
    ModifyKind,
    TemporalSortQueryOperation,
)
from table_api.plan.changelog.keys import unique_keys
from table_api.plan.column_use import needed_columns
from table_api.plan.facts.columns import picked
from table_api.plan.facts.record import FULL, UPSERT, InputFacts, decisions, kinds_of_changes
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression
from table_common.functions import Monotonicity
from table_common.functions.builtin import comparison
from table_common.types import BooleanType, IntType, TimestampKind, TimestampType

INT, TIME = IntType(), TimestampType(3, kind=TimestampKind.ROWTIME)
TYPES = (INT, INT, TIME, INT)
ROWS = ValuesQueryOperation(((), ()), ResolvedSchema.physical([(name, type_) for name, type_ in zip("abtd", TYPES, strict=True)]))
OTHERS = ValuesQueryOperation(((), (), ()), ROWS.schema)
UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def column(position: int, side: int = 0) -> FieldReferenceExpression:
    return FieldReferenceExpression("abtd"[position], TYPES[position], side, position)


EQUAL = CallExpression(comparison.EQUALS, (column(0), column(0, 1)), BooleanType())
INTERVAL = IntervalJoinQueryOperation(ROWS, OTHERS, JoinType.LEFT_OUTER, EQUAL, times=(column(2), column(2, 1)), lower=-1, upper=1)
VERSIONED = VersionedJoinQueryOperation(ROWS, OTHERS, JoinType.LEFT_OUTER, EQUAL, (column(2), column(2, 1)))
SORT = TemporalSortQueryOperation((SortOrder(column(2), True, True), SortOrder(column(1), True, True)), ROWS)


def facts(kinds: frozenset[ModifyKind]) -> InputFacts:
    return InputFacts(kinds, frozenset(), (Monotonicity.NOT_MONOTONIC,) * 4)


def unique() -> QueryOperation:
    """Returns rows of which no two are equal."""
    return AggregateQueryOperation(tuple(map(column, range(4))), (), tuple("abtd"), ROWS)


@pytest.mark.parametrize(("node", "inputs"), [(INTERVAL, 2), (SORT, 1)])
def test_interval_joins_and_sorts_read_and_give_insertions(node: QueryOperation, inputs: int) -> None:
    assert kinds_of_changes(node, [INSERTS] * inputs) == INSERTS
    assert [decision.demands for decision in decisions(node, UPSERT, [facts(INSERTS)] * inputs)] == [(FULL,) * inputs]
    for number in range(inputs):
        given = [INSERTS] * inputs
        given[number] = UPDATES
        with pytest.raises(ValidationException, match="insert-only input"):
            kinds_of_changes(node, given)


def test_a_join_with_versions_gives_the_kinds_of_its_left_input() -> None:
    for left in (INSERTS, UPDATES, ALL_KINDS):
        assert kinds_of_changes(VERSIONED, [left, ALL_KINDS]) == left


def test_a_join_with_versions_needs_no_row_before_an_update_on_the_right() -> None:
    assert [decision.demands for decision in decisions(VERSIONED, FULL, [facts(UPDATES), facts(ALL_KINDS)])] == [(FULL, UPSERT)]
    assert [decision.demands for decision in decisions(VERSIONED, UPSERT, [facts(INSERTS), facts(ALL_KINDS)])] == [(FULL, UPSERT)]
    assert list(decisions(VERSIONED, UPSERT, [facts(UPDATES), facts(ALL_KINDS)])) == []


def test_rows_joined_with_versions_keep_the_keys_of_the_left_input() -> None:
    left = unique()
    for right in (OTHERS, unique()):
        node = replace(VERSIONED, left=left, right=right)
        assert unique_keys(node)[id(node)] == frozenset({frozenset(range(4))})
    assert not unique_keys(VERSIONED)[id(VERSIONED)]


def test_an_interval_join_has_the_keys_of_a_join() -> None:
    node = replace(INTERVAL, left=unique(), right=unique())
    assert unique_keys(node)[id(node)] == frozenset({frozenset(range(8))})


def test_times_are_needed_though_nothing_reads_them() -> None:
    needed = needed_columns(ProjectQueryOperation((column(1),), ("b",), VERSIONED))
    assert needed[id(ROWS)] == {0, 1, 2}
    assert needed[id(OTHERS)] == {0, 2}


def test_references_to_times_follow_their_columns_when_others_go() -> None:
    narrow, positions = picked(VERSIONED, frozenset({3, 7}))
    assert [narrow.resolved_schema.column_names[positions[old]] for old in (3, 7)] == ["d", "d"]
    while not isinstance(narrow, VersionedJoinQueryOperation):
        (narrow,) = narrow.children
    assert [child.resolved_schema.column_names[time.field_index] for child, time in zip(narrow.children, narrow.times, strict=True)] == [
        "t",
        "t",
    ]
    for side, (child, time) in enumerate(zip(narrow.children, narrow.times, strict=True)):
        assert time.input_index == side
        assert len(child.resolved_schema.columns) <= 4
