"""What a scan shows and hands to walks of what its source was given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from table_api.operations import ContextResolvedTable, PushedAbility, PushedDown, QueryOperation, SourceQueryOperation
from table_api.plan.explain import plan_text
from table_api.plan.rules.push_filter_into_scan import PushedFilters
from table_api.plan.rules.push_limit_into_scan import PushedLimit
from table_api.plan.rules.push_partition_into_scan import PushedPartitions
from table_common.annotation import override
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import children_of, map_children_of
from table_common.types import BooleanType

FLAG = FieldReferenceExpression("flag", BooleanType(), 0, 0)


@dataclass(frozen=True, slots=True)
class Sampled(PushedAbility):
    """An ability that nothing else knows."""

    share: float
    reduces_rows: ClassVar[bool] = True

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "sample", self.share


def scan(*abilities: PushedAbility) -> SourceQueryOperation:
    pushed = PushedDown()
    for ability in abilities:
        pushed = pushed.with_ability(ability)
    origin = CatalogTable(Schema.new_builder().build(), None, {"connector": "none"}, ())
    schema = ResolvedSchema.physical([("flag", BooleanType())])
    table = ContextResolvedTable(ObjectIdentifier("c", "d", "t"), ResolvedCatalogTable(origin, schema))
    return SourceQueryOperation(table, pushed=pushed)


def test_walks_find_the_conditions_that_a_source_has_taken() -> None:
    assert children_of(scan(PushedLimit(3), PushedFilters((FLAG,))), ResolvedExpression) == (FLAG,)
    assert children_of(scan(PushedFilters((FLAG,))), QueryOperation) == ()


def test_walks_replace_the_conditions_that_a_source_has_taken() -> None:
    renamed = replace(FLAG, name="other")
    changed = map_children_of(scan(PushedLimit(3), PushedFilters((FLAG,))), ResolvedExpression, lambda _: renamed)
    assert changed.pushed.get(PushedFilters) == PushedFilters((renamed,))
    assert changed.pushed.get(PushedLimit) == PushedLimit(3)


def test_plans_show_abilities_in_one_order_whichever_was_pushed_first() -> None:
    expected = "TableScan(table=[c.d.t], fields=[flag], partitions=[p=NULL], filters=[flag], limit=[3])"
    abilities = [PushedPartitions(({"p": None},)), PushedFilters((FLAG,)), PushedLimit(3)]
    assert plan_text(scan(*abilities)) == plan_text(scan(*reversed(abilities))) == expected


def test_an_ability_is_told_once() -> None:
    assert scan(PushedLimit(3), PushedLimit(2)).pushed.abilities == (PushedLimit(2),)


def test_a_new_ability_needs_no_change_of_the_scan() -> None:
    sampled = scan(PushedLimit(3), Sampled(0.5))
    assert plan_text(sampled) == "TableScan(table=[c.d.t], fields=[flag], limit=[3], sample=[0.5])"
    assert sampled.pushed.reduces_rows
    assert not sampled.pushed.changes_columns
