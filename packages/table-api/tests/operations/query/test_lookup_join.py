"""Lookup joins: their schema, and what EXPLAIN shows of side, keys and hint."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from table_api.operations import (
    ContextResolvedTable,
    JoinType,
    LookupJoinQueryOperation,
    LookupKey,
    LookupSide,
    SourceQueryOperation,
    ValuesQueryOperation,
)
from table_api.operations.query.lookup_join import LookupHint
from table_api.plan.calls import call
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.connector import LookupTableSource
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import comparison, strings
from table_common.types import IntType, VarCharType

SCHEMA = ResolvedSchema.physical([("id", IntType(nullable=False)), ("name", VarCharType(nullable=False))])
ID, NAME = (FieldReferenceExpression(c.name, c.data_type, 0, i) for i, c in enumerate(SCHEMA.columns))
LEFT = ValuesQueryOperation((), ResolvedSchema.physical([("k", IntType(nullable=False))]))
KEY = LookupKey(0, FieldReferenceExpression("k", IntType(nullable=False), 0, 0))


class Lookups(LookupTableSource):
    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        raise AssertionError("nothing is looked up here")


def side(*filters: Any, pushed: tuple[str, ...] = ()) -> LookupSide:
    origin = CatalogTable(Schema.new_builder().build(), None, {"connector": "none"}, ())
    scan = SourceQueryOperation(ContextResolvedTable(ObjectIdentifier("c", "d", "t"), ResolvedCatalogTable(origin, SCHEMA)))
    return LookupSide.of(scan, Lookups(), filters, (call(strings.UPPER, NAME), ID), ("upper", "id"), pushed)


def test_the_columns_of_the_side_are_those_of_its_projection() -> None:
    assert side().schema.column_names == ("upper", "id")
    assert (side().table, side().source_schema) == ("c.d.t", SCHEMA)


@pytest.mark.parametrize(("kind", "nullable"), [(JoinType.INNER, False), (JoinType.LEFT_OUTER, True)])
def test_the_columns_found_are_nullable_only_in_an_outer_join(kind: JoinType, nullable: bool) -> None:
    schema = LookupJoinQueryOperation(LEFT, side(), (KEY,), kind, None).resolved_schema
    assert schema.column_names == ("k", "upper", "id")
    assert [type_.nullable for type_ in schema.column_types] == [False, nullable, nullable]


def test_explain_shows_only_what_there_is() -> None:
    details = dict(LookupJoinQueryOperation(LEFT, side(), (KEY,), JoinType.INNER, None).summary_details())
    assert details == {"table": "c.d.t", "source": "Lookups", "joinType": "InnerJoin", "lookup": ["id=k"], "select": ["upper", "id"]}


def test_explain_shows_pushed_and_remaining_conditions() -> None:
    is_null = call(comparison.IS_NULL, NAME)
    join = LookupJoinQueryOperation(LEFT, side(is_null, pushed=("(id > 1)",)), (KEY,), JoinType.INNER, is_null)
    details = dict(join.summary_details())
    assert (details["filters"], details["where"], str(details["condition"])) == (["(id > 1)"], ["(name IS NULL)"], "(name IS NULL)")


@pytest.mark.parametrize(
    ("hint", "details"),
    [
        (LookupHint(), {}),
        (LookupHint(is_async=False, allows_unordered=True), {"async": False, "output-mode": "ALLOW_UNORDERED"}),
        (LookupHint(allows_unordered=False, capacity=3), {"output-mode": "ORDERED", "capacity": 3}),
        (
            LookupHint(timeout=timedelta(seconds=2), max_attempts=4, fixed_delay=timedelta(seconds=1)),
            {"timeout": "0:00:02", "retry": ["lookup_miss, 4 attempts, 0:00:01 apart"]},
        ),
    ],
)
def test_explain_shows_the_options_of_the_hint_that_are_set(hint: LookupHint, details: dict[str, object]) -> None:
    assert dict(hint.summary_details()) == details
