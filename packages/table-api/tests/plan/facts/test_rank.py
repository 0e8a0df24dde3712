from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table_api.operations import QueryOperation
from table_api.operations.changelog import ALL_KINDS, ModifyKind, RankQueryOperation, RankStrategy
from table_api.plan.facts.record import FULL, UPSERT, InputFacts, decisions
from table_common.functions import Monotonicity
from table_common.tree import preorder

if TYPE_CHECKING:
    from conftest import Inference

UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def facts(kinds: frozenset[ModifyKind] = UPDATES, keys: frozenset[frozenset[int]] = frozenset(), width: int = 4) -> InputFacts:
    return InputFacts(kinds, keys, (Monotonicity.NOT_MONOTONIC,) * width)


def test_a_rank_offers_its_strategies_in_order_of_preference(inference: Inference) -> None:
    rank = inference.query("SELECT * FROM t ORDER BY age DESC LIMIT 3")
    (append,) = decisions(rank, FULL, [facts(frozenset({ModifyKind.INSERT}))])
    growing = InputFacts(UPDATES, frozenset({frozenset({0})}), (Monotonicity.CONSTANT, Monotonicity.INCREASING) * 2)
    update, retract = decisions(rank, FULL, [growing])
    (only,) = decisions(rank, FULL, [facts(ALL_KINDS)])
    names = [getattr(decision.node, "strategy").name for decision in (append, update, retract, only)]  # noqa: B009  # of the base class QueryOperation
    assert names == ["APPEND_FAST", "UPDATE_FAST", "RETRACT", "RETRACT"]
    assert (update.demands, retract.demands) == ((UPSERT,), (FULL,))


@pytest.mark.parametrize("function", ["RANK", "DENSE_RANK"])
def test_ranks_with_ties_over_updates_keep_all_rows(inference: Inference, function: str) -> None:
    sql = f"SELECT name FROM (SELECT name, {function}() OVER (ORDER BY age DESC) AS n FROM t) WHERE n <= 3"
    (rank,) = (node for node in preorder(inference.query(sql), QueryOperation) if isinstance(node, RankQueryOperation))
    growing = InputFacts(UPDATES, frozenset({frozenset({0})}), (Monotonicity.CONSTANT, Monotonicity.INCREASING) * 2)
    (decision,) = decisions(rank, FULL, [growing])
    assert isinstance(decision.node, RankQueryOperation)
    assert decision.node.strategy is RankStrategy.RETRACT
