from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from table_api.operations import (
    QUERY_OPERATIONS,
    FromChangelogQueryOperation,
    LookupJoinQueryOperation,
    MatchRecognizeQueryOperation,
    ProcessTableFunctionQueryOperation,
    SortQueryOperation,
    SourceQueryOperation,
    ToChangelogQueryOperation,
    VersionedJoinQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    ALL_KINDS,
    CHANGELOG_OPERATIONS,
    DeduplicateQueryOperation,
    DeleteKind,
    DropUpdateBeforeQueryOperation,
    IntervalJoinQueryOperation,
    ModifyKind,
    OverAggregateQueryOperation,
    TemporalSortQueryOperation,
    UpdateKind,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
)
from table_api.plan.facts import record
from table_api.plan.facts.record import FULL, UPSERT, Demand, InputFacts, NodeFacts, decisions, facts_of, kinds_of_changes, register
from table_common.exceptions import ValidationException
from table_common.functions import Monotonicity

if TYPE_CHECKING:
    from conftest import Inference

INSERTS = frozenset({ModifyKind.INSERT})
UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})
WITHOUT_RULES = {SortQueryOperation, WindowQueryOperation}
BY_KEY = Demand(UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.DELETE_BY_KEY)


def facts(kinds: frozenset[ModifyKind] = UPDATES, keys: frozenset[frozenset[int]] = frozenset(), width: int = 4) -> InputFacts:
    return InputFacts(kinds, keys, (Monotonicity.NOT_MONOTONIC,) * width)


def test_every_node_that_runs_on_changelogs_has_rules() -> None:
    nodes = {*QUERY_OPERATIONS, *CHANGELOG_OPERATIONS} - {DropUpdateBeforeQueryOperation}  # inference itself adds these
    assert {node for node in nodes if facts_of(node).changes is None} == WITHOUT_RULES
    assert {node for node in nodes if facts_of(node).demands is None} == WITHOUT_RULES


def test_stateless_nodes_emit_the_kinds_of_their_input(inference: Inference) -> None:
    project = inference.query("SELECT age + 1 FROM t WHERE age > 1")
    for kinds in (INSERTS, UPDATES, ALL_KINDS):
        assert kinds_of_changes(project, [kinds]) == kinds


def test_limit_over_insertions_is_insert_only_and_other_ranks_retract(inference: Inference) -> None:
    limit = inference.query("SELECT * FROM t LIMIT 3")
    assert kinds_of_changes(limit, [INSERTS]) == INSERTS
    assert kinds_of_changes(limit, [UPDATES]) == ALL_KINDS
    assert kinds_of_changes(inference.query("SELECT * FROM t ORDER BY age LIMIT 3"), [INSERTS]) == ALL_KINDS


def test_from_changelog_emits_the_kinds_in_its_op_mapping(inference: Inference) -> None:
    node = inference.query("SELECT * FROM FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c', 'INSERT', 'd', 'DELETE'])")
    assert kinds_of_changes(node, [INSERTS]) == {ModifyKind.INSERT, ModifyKind.DELETE}


def test_from_changelog_refuses_changes_as_input(inference: Inference) -> None:
    with pytest.raises(
        ValidationException,
        match=r"requires an insert-only input, but its table \(Aggregate\(groupBy=\[name\].*\)\) updates or deletes rows",
    ):
        inference.collected("SELECT * FROM FROM_CHANGELOG((SELECT name, COUNT(*) AS n FROM t GROUP BY name), DESCRIPTOR(name))")


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


LACKING = {
    "keys": {MatchRecognizeQueryOperation, ToChangelogQueryOperation, FromChangelogQueryOperation},
    "needs": {SourceQueryOperation, LookupJoinQueryOperation, ToChangelogQueryOperation, ProcessTableFunctionQueryOperation},
}
"""Nodes of both modes that have no unique keys, and those that use and keep all columns."""
READ_WATERMARKS = {
    DeduplicateQueryOperation,
    IntervalJoinQueryOperation,
    MatchRecognizeQueryOperation,
    OverAggregateQueryOperation,
    ProcessTableFunctionQueryOperation,
    TemporalSortQueryOperation,
    VersionedJoinQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
    WindowTableFunctionQueryOperation,
}
"""Nodes for which event time may matter; others treat each row alone or by the order in which rows come."""


def test_it_is_said_which_nodes_lack_which_facts() -> None:
    for name, lacking in LACKING.items():
        assert {node for node in QUERY_OPERATIONS if getattr(facts_of(node), name) is None} == lacking
    assert all((facts_of(node).needs is None) == (facts_of(node).rebuilt is None) for node in (*QUERY_OPERATIONS, *CHANGELOG_OPERATIONS))
    assert all(facts_of(node).keys is not None for node in CHANGELOG_OPERATIONS)
    nodes = {*QUERY_OPERATIONS, *CHANGELOG_OPERATIONS}
    assert {node for node in nodes if facts_of(node).reads_watermarks is not None} == READ_WATERMARKS
    assert all(facts_of(node).reads_watermarks is not None for node in nodes if facts_of(node).follows_clock is not None)


def test_every_file_of_facts_registers_the_classes_of_one_file_of_operations() -> None:
    for file in Path(record.__file__).parent.glob("*.py"):
        if "register(" in file.read_text() and file.stem != "record":
            import_module(f"{record.__package__}.{file.stem}")
            (cls,) = [cls for cls, found in record._facts.items() if cls.__module__.endswith(f".{file.stem}") and found != NodeFacts()]
            assert facts_of(cls) == record._facts[cls]


def test_facts_are_registered_once() -> None:
    facts_of(SortQueryOperation)
    with pytest.raises(ValueError, match="SortQueryOperation are registered twice"):
        register(SortQueryOperation, NodeFacts())
