from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from table_api.operations import (
    AggregateQueryOperation,
)
from table_api.operations.changelog import ALL_KINDS, ModifyKind
from table_api.plan.facts.record import kinds_of_changes
from table_common.exceptions import ValidationException
from table_common.functions import AggregateFunction, as_user_function

if TYPE_CHECKING:
    from conftest import Inference

INSERTS = frozenset({ModifyKind.INSERT})
UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


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


def test_an_aggregate_deletes_only_if_rows_are_retracted(inference: Inference) -> None:
    aggregate = inference.query("SELECT age, COUNT(*) FROM t GROUP BY age").children[0]
    assert kinds_of_changes(aggregate, [INSERTS]) == UPDATES
    assert kinds_of_changes(aggregate, [UPDATES]) == ALL_KINDS


@pytest.mark.parametrize("function", [Total, RetractableTotal])
def test_a_user_aggregate_over_updates_needs_retract(inference: Inference, function: type[Total]) -> None:
    aggregate = inference.query("SELECT n, MAX(age) FROM (SELECT age, COUNT(*) AS n FROM t GROUP BY age) WHERE n > 1 GROUP BY n").children[
        0
    ]
    assert isinstance(aggregate, AggregateQueryOperation)
    (call,) = aggregate.aggregates
    aggregate = replace(aggregate, aggregates=(replace(call, function=as_user_function(function())),))
    assert kinds_of_changes(aggregate, [INSERTS]) == UPDATES
    if function is RetractableTotal:
        assert kinds_of_changes(aggregate, [UPDATES]) == ALL_KINDS
        return
    with pytest.raises(ValidationException) as error:
        kinds_of_changes(aggregate, [UPDATES])
    text = str(error.value)
    assert (
        "The function Total has no method retract, but its input updates or deletes rows: Aggregate(groupBy=[age], select=[COUNT(*)" in text
    )
    assert "hint: define retract(self, accumulator, ...)" in text
