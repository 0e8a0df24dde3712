from __future__ import annotations

from plan_pairs import planned, with_sources

from table_api.operations import QueryOperation
from table_api.operations.changelog import DeduplicateQueryOperation, RankQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.rank_changes import rank_changes
from table_api.plan.rules.recognize_ranks import recognize_ranks
from table_common.functions.builtin import windows
from table_common.tree import preorder

ROW = "(SELECT k, v, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY ts {}) AS n FROM {}) WHERE n = 1)"
PREPARED = (push_filter_down, recognize_ranks, with_sources)


def changed(sql: str, context: RuleContext) -> tuple[QueryOperation, list[QueryOperation]]:
    """Returns the plan before, and the deduplications and ranks after the rule, from top to bottom."""
    plan = planned(f"SELECT * FROM {sql}", context, PREPARED)
    after = preorder(rank_changes(plan, context), QueryOperation)
    return plan, [node for node in after if isinstance(node, (DeduplicateQueryOperation, RankQueryOperation))]


def test_deduplications_of_insertions_stay_the_same_objects(context: RuleContext) -> None:
    for sql in ("e", ROW.format("k", "ASC", "e"), ROW.format("k", "DESC", "e"), ROW.format("k", "DESC", ROW.format("v", "ASC", "e"))):
        plan, nodes = changed(sql, context)
        assert rank_changes(plan, context) is plan
        assert not any(isinstance(node, RankQueryOperation) for node in nodes)


def test_a_deduplication_of_updates_becomes_a_rank(context: RuleContext) -> None:
    for direction, ascending in (("ASC", True), ("DESC", False)):
        _, (outer, inner) = changed(ROW.format("v", direction, ROW.format("k", "DESC", "e")), context)
        assert isinstance(inner, DeduplicateQueryOperation)
        assert isinstance(outer, RankQueryOperation)
        (order,) = outer.order_by
        assert (str(order.expression), order.ascending) == ("ts", ascending)
        assert (outer.function, outer.start, outer.end, outer.rank_name) == (windows.ROW_NUMBER, 1, 1, None)
        assert [str(key) for key in outer.partition_by] == ["v"]
