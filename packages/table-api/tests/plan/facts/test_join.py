from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.operations.changelog import ModifyKind
from table_api.plan.facts.record import UPSERT, InputFacts, decisions
from table_common.functions import Monotonicity

if TYPE_CHECKING:
    from conftest import Inference

UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def facts(kinds: frozenset[ModifyKind] = UPDATES, keys: frozenset[frozenset[int]] = frozenset(), width: int = 4) -> InputFacts:
    return InputFacts(kinds, keys, (Monotonicity.NOT_MONOTONIC,) * width)


def test_a_join_with_a_non_equi_condition_requires_update_before(inference: Inference) -> None:
    join = inference.query("SELECT t.name FROM t JOIN u ON t.name = u.name").children[0]
    width = len(join.children[0].resolved_schema.columns)
    keyed = [facts(keys=frozenset({frozenset(range(width))})), facts(keys=frozenset({frozenset({0}), frozenset({1})}))]
    assert [decision.demands for decision in decisions(join, UPSERT, keyed)] == [(UPSERT, UPSERT)]
    more = inference.query("SELECT t.name FROM t JOIN u ON t.name = u.name AND t.age < u.id").children[0]
    assert list(decisions(more, UPSERT, [facts(keys=frozenset({frozenset(range(4))})), facts(keys=frozenset({frozenset(range(2))}))])) == []
