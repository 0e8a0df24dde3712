from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from table_api.operations import (
    QUERY_OPERATIONS,
    AggregateQueryOperation,
    SortQueryOperation,
    WindowQueryOperation,
)
from table_api.operations.changelog import ALL_KINDS, CHANGELOG_OPERATIONS, DropUpdateBeforeQueryOperation, ModifyKind
from table_api.plan.changelog.demanded import decisions
from table_api.plan.changelog.given import given_kinds
from table_common.exceptions import ValidationException
from table_common.functions import AggregateFunction, as_user_function

if TYPE_CHECKING:
    from conftest import Inference

INSERTS = frozenset({ModifyKind.INSERT})
UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})
WITHOUT_RULES = {SortQueryOperation, WindowQueryOperation}


def test_every_node_that_runs_on_changelogs_has_rules() -> None:
    nodes = {*QUERY_OPERATIONS, *CHANGELOG_OPERATIONS} - {DropUpdateBeforeQueryOperation}  # inference itself adds these
    assert given_kinds.missing(nodes) == WITHOUT_RULES
    assert decisions.missing(nodes) == WITHOUT_RULES


def test_stateless_nodes_emit_the_kinds_of_their_input(inference: Inference) -> None:
    project = inference.query("SELECT age + 1 FROM t WHERE age > 1")
    for kinds in (INSERTS, UPDATES, ALL_KINDS):
        assert given_kinds(project, [kinds]) == kinds


def test_an_aggregate_deletes_only_if_rows_are_retracted(inference: Inference) -> None:
    aggregate = inference.query("SELECT age, COUNT(*) FROM t GROUP BY age").children[0]
    assert given_kinds(aggregate, [INSERTS]) == UPDATES
    assert given_kinds(aggregate, [UPDATES]) == ALL_KINDS


def test_limit_over_insertions_is_insert_only_and_other_ranks_retract(inference: Inference) -> None:
    limit = inference.query("SELECT * FROM t LIMIT 3")
    assert given_kinds(limit, [INSERTS]) == INSERTS
    assert given_kinds(limit, [UPDATES]) == ALL_KINDS
    assert given_kinds(inference.query("SELECT * FROM t ORDER BY age LIMIT 3"), [INSERTS]) == ALL_KINDS


def test_set_operations_retract_rows_that_the_other_input_removes(inference: Inference) -> None:
    def kinds(sql: str, *inputs: frozenset[ModifyKind]) -> frozenset[ModifyKind]:
        return given_kinds(inference.query(sql), inputs)

    assert kinds("SELECT name FROM t UNION ALL SELECT name FROM u", INSERTS, UPDATES) == UPDATES
    assert kinds("SELECT name FROM t INTERSECT SELECT name FROM u", INSERTS, INSERTS) == INSERTS
    assert kinds("SELECT name FROM t INTERSECT SELECT name FROM u", INSERTS, UPDATES) == ALL_KINDS
    assert kinds("SELECT name FROM t EXCEPT SELECT name FROM u", INSERTS, INSERTS) == ALL_KINDS


def test_from_changelog_emits_the_kinds_in_its_op_mapping(inference: Inference) -> None:
    node = inference.query("SELECT * FROM FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c', 'INSERT', 'd', 'DELETE'])")
    assert given_kinds(node, [INSERTS]) == {ModifyKind.INSERT, ModifyKind.DELETE}


def test_from_changelog_refuses_changes_as_input(inference: Inference) -> None:
    with pytest.raises(
        ValidationException,
        match=r"requires an insert-only input, but its table \(Aggregate\(groupBy=\[name\].*\)\) updates or deletes rows",
    ):
        inference.collected("SELECT * FROM FROM_CHANGELOG((SELECT name, COUNT(*) AS n FROM t GROUP BY name), DESCRIPTOR(name))")


class Total(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class RetractableTotal(Total):
    def retract(self, accumulator: list[int], value: int) -> None:
        accumulator[0] -= value


@pytest.mark.parametrize("function", [Total, RetractableTotal])
def test_a_user_aggregate_over_updates_needs_retract(inference: Inference, function: type[Total]) -> None:
    aggregate = inference.query("SELECT n, MAX(age) FROM (SELECT age, COUNT(*) AS n FROM t GROUP BY age) WHERE n > 1 GROUP BY n").children[
        0
    ]
    assert isinstance(aggregate, AggregateQueryOperation)
    (call,) = aggregate.aggregates
    aggregate = replace(aggregate, aggregates=(replace(call, function=as_user_function(function())),))
    assert given_kinds(aggregate, [INSERTS]) == UPDATES
    if function is RetractableTotal:
        assert given_kinds(aggregate, [UPDATES]) == ALL_KINDS
        return
    with pytest.raises(ValidationException) as error:
        given_kinds(aggregate, [UPDATES])
    text = str(error.value)
    assert (
        "The function Total has no method retract, but its input updates or deletes rows: Aggregate(groupBy=[age], select=[COUNT(*)" in text
    )
    assert "hint: define retract(self, accumulator, ...)" in text
