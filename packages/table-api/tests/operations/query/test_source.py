"""What is below a scan."""

from __future__ import annotations

from table_api.operations import ContextResolvedTable, QueryOperation, SourceQueryOperation, ValuesQueryOperation
from table_api.plan.explain import plan_text
from table_api.plan.rules.push_limit_into_scan import PushedLimit
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.frozen_dataclass import replace
from table_common.tree import map_children_of
from table_common.types import IntType

SCHEMA = ResolvedSchema.physical([("id", IntType())])


def scan() -> SourceQueryOperation:
    origin = CatalogTable(Schema.new_builder().build(), None, {"connector": "none"}, ())
    return SourceQueryOperation(ContextResolvedTable(ObjectIdentifier("c", "d", "t"), ResolvedCatalogTable(origin, SCHEMA)))


def test_runtime_filters_are_the_inputs_of_a_scan() -> None:
    keys = ValuesQueryOperation((), SCHEMA)
    waiting = replace(scan(), dynamic_filters=(keys,))
    assert waiting.children == (keys,)
    other = ValuesQueryOperation(((),), ResolvedSchema(()))
    assert map_children_of(waiting, QueryOperation, lambda _: other).dynamic_filters == (other,)


def test_a_plan_shows_runtime_filters_below_the_scan() -> None:
    waiting = replace(scan(), dynamic_filters=(ValuesQueryOperation((), SCHEMA),))
    assert plan_text(waiting).splitlines()[0] == "TableScan(table=[c.d.t], fields=[id], dynamicFilters=[id])"
    assert plan_text(waiting).splitlines()[1].startswith("+- Values(")


def test_a_push_down_keeps_the_columns_unless_it_says_others() -> None:
    pushed = replace(scan(), produced=SCHEMA)
    told = pushed.pushed.with_ability(PushedLimit(1))
    assert replace(pushed, pushed=told).resolved_schema == SCHEMA


def test_the_column_of_changes_stands_behind_what_was_produced() -> None:
    changes = scan().with_changes("$change")
    assert changes.resolved_schema.column_names == ("id", "$change")
    assert changes.change_column == "$change"
