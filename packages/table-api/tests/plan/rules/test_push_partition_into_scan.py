"""Pairs of plans: push_partition_into_scan.test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from plan_pairs import AblerSource, Pair, planned, with_abler_sources

from table_api.operations import QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.push_partition_into_scan import PushedPartitions, push_partition_into_scan
from table_common.exceptions import TableException
from table_common.tree import transform_up

PREPARED_BY = (with_abler_sources,)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, push_partition_into_scan, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert push_partition_into_scan(plan, context) is plan


QUERY = "SELECT v FROM p WHERE `year` > 2020"


class NothingListed(AblerSource):
    def list_partitions(self) -> Any:
        return None


class OtherKeys(AblerSource):
    def list_partitions(self) -> Sequence[Mapping[str, str | None]]:
        return [{"year": "2020"}]


def rewritten_with(source: AblerSource, context: RuleContext) -> tuple[QueryOperation, QueryOperation]:
    def change(node: QueryOperation) -> QueryOperation:
        return replace(node, source=source) if isinstance(node, SourceQueryOperation) else node

    plan = transform_up(planned(QUERY, context), QueryOperation, change)
    return plan, push_partition_into_scan(plan, context)


def test_a_source_that_lists_no_partitions_keeps_its_filter(context: RuleContext) -> None:
    plan, result = rewritten_with(NothingListed(), context)
    assert result is plan


def test_partitions_with_other_keys_than_the_table_are_refused(context: RuleContext) -> None:
    with pytest.raises(TableException, match=r"OtherKeys.list_partitions gave .*, but the keys of .* are year, kind"):
        rewritten_with(OtherKeys(), context)


def test_explain_shows_each_partition_with_null_and_bytes() -> None:
    pushed = PushedPartitions(({"year": "2020", "kind": None}, {"year": b"\x01", "kind": "a"}))
    assert list(pushed.summary_details()) == [("partitions", ["year=2020/kind=NULL", "year=x'01'/kind=a"])]
