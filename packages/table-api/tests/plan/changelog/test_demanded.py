from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table_api.operations import QueryOperation
from table_api.operations.changelog import ALL_KINDS, DeleteKind, ModifyKind, RankQueryOperation, RankStrategy, UpdateKind
from table_api.plan.changelog.demanded import FULL, UPSERT, Demand, InputFacts, decisions
from table_common.functions import Monotonicity
from table_common.tree import preorder

if TYPE_CHECKING:
    from conftest import Inference

UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})
BY_KEY = Demand(UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.DELETE_BY_KEY)


def facts(kinds: frozenset[ModifyKind] = UPDATES, keys: frozenset[frozenset[int]] = frozenset(), width: int = 4) -> InputFacts:
    return InputFacts(kinds, keys, (Monotonicity.NOT_MONOTONIC,) * width)


def test_the_union_of_two_demands_satisfies_both() -> None:
    assert UPSERT | FULL == FULL
    assert UPSERT | BY_KEY == UPSERT
    assert BY_KEY | BY_KEY == BY_KEY


def test_a_projection_accepts_deletions_by_key_unless_it_has_expressions(inference: Inference) -> None:
    (decision,) = decisions(inference.query("SELECT age FROM t"), BY_KEY, [facts()])
    assert decision.demands == (BY_KEY,)
    (decision,) = decisions(inference.query("SELECT age + 1 FROM t"), BY_KEY, [facts()])
    assert decision.demands == (UPSERT,)


def test_a_filter_over_updates_requires_update_before(inference: Inference) -> None:
    filtered = inference.query("SELECT * FROM t WHERE age > 1")
    assert list(decisions(filtered, UPSERT, [facts()])) == []
    (decision,) = decisions(filtered, UPSERT, [facts(frozenset({ModifyKind.INSERT}))])
    assert decision.demands == (FULL,)


def test_a_join_with_a_non_equi_condition_requires_update_before(inference: Inference) -> None:
    join = inference.query("SELECT t.name FROM t JOIN u ON t.name = u.name").children[0]
    width = len(join.children[0].resolved_schema.columns)
    keyed = [facts(keys=frozenset({frozenset(range(width))})), facts(keys=frozenset({frozenset({0}), frozenset({1})}))]
    assert [decision.demands for decision in decisions(join, UPSERT, keyed)] == [(UPSERT, UPSERT)]
    more = inference.query("SELECT t.name FROM t JOIN u ON t.name = u.name AND t.age < u.id").children[0]
    assert list(decisions(more, UPSERT, [facts(keys=frozenset({frozenset(range(4))})), facts(keys=frozenset({frozenset(range(2))}))])) == []


def test_a_rank_offers_its_strategies_in_order_of_preference(inference: Inference) -> None:
    rank = inference.query("SELECT * FROM t ORDER BY age DESC LIMIT 3")
    (append,) = decisions(rank, FULL, [facts(frozenset({ModifyKind.INSERT}))])
    growing = InputFacts(UPDATES, frozenset({frozenset({0})}), (Monotonicity.CONSTANT, Monotonicity.INCREASING) * 2)
    update, retract = decisions(rank, FULL, [growing])
    (only,) = decisions(rank, FULL, [facts(ALL_KINDS)])
    names = [getattr(decision.node, "strategy").name for decision in (append, update, retract, only)]  # noqa: B009  # of the base class QueryOperation
    assert names == ["APPEND_FAST", "UPDATE_FAST", "RETRACT", "RETRACT"]
    assert (update.demands, retract.demands) == ((UPSERT,), (FULL,))


def test_from_changelog_always_emits_update_before(inference: Inference) -> None:
    call = "FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c', 'INSERT', 'd', 'DELETE'{}])"
    updates = ", 'b', 'UPDATE_BEFORE', 'a', 'UPDATE_AFTER'"
    with_updates = inference.query(f"SELECT * FROM {call.format(updates)}")
    inserts = facts(frozenset({ModifyKind.INSERT}))
    assert list(decisions(with_updates, UPSERT, [inserts])) == []
    (decision,) = decisions(with_updates, FULL, [inserts])
    assert decision.demands == (FULL,)
    (decision,) = decisions(inference.query(f"SELECT * FROM {call.format('')}"), UPSERT, [inserts])
    assert decision.demands == (FULL,)


@pytest.mark.parametrize("function", ["RANK", "DENSE_RANK"])
def test_ranks_with_ties_over_updates_keep_all_rows(inference: Inference, function: str) -> None:
    sql = f"SELECT name FROM (SELECT name, {function}() OVER (ORDER BY age DESC) AS n FROM t) WHERE n <= 3"
    (rank,) = (node for node in preorder(inference.query(sql), QueryOperation) if isinstance(node, RankQueryOperation))
    growing = InputFacts(UPDATES, frozenset({frozenset({0})}), (Monotonicity.CONSTANT, Monotonicity.INCREASING) * 2)
    (decision,) = decisions(rank, FULL, [growing])
    assert isinstance(decision.node, RankQueryOperation)
    assert decision.node.strategy is RankStrategy.RETRACT
