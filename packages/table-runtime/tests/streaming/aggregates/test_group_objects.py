from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.functions.builtin import aggregates as fn
from table_common.types import IntType
from table_runtime.streaming.aggregates.group_objects import GroupObjects


class Values(GroupObjects[list[int]]):
    """The values of each group; a retraction removes the last one if it is equal."""

    @override
    def create(self) -> list[int]:
        return []

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[Any]:
        values: list[Any] = args[0].to_pylist()
        return values

    @override
    def add(self, group: list[int], value: int) -> None:
        group.append(value)

    @override
    def remove(self, group: list[int], value: int) -> bool:
        if group[-1:] != [value]:
            return False
        group.pop()
        return True

    @override
    def entries(self, groups: Sequence[list[int]]) -> tuple[Any, list[pa.Array]]:
        values = [value for group in groups for value in group]
        return np.array([len(group) for group in groups]), [pa.array(values, pa.int32())]

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        return self.inputs(columns, len(columns[0]))

    @override
    def group_of(self, rows: Sequence[int]) -> list[int]:
        return list(rows)

    @override
    def result(self, group: list[int]) -> list[int]:
        return group.copy()

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        return pa.array(results, pa.list_(pa.int32()))


def values(accumulator_of: Any) -> Values:
    return Values(accumulator_of(fn.LAST_VALUE, [IntType()], IntType()))


def test_each_group_has_an_object_to_which_its_rows_are_applied(run_state: Any, accumulator_of: Any) -> None:
    rows = [(0, 1, True, (1,)), (1, 1, True, (2,)), (0, 1, True, (3,)), (0, -1, True, (3,)), (1, 1, False, (9,)), (1, 1, True, (None,))]
    wanted = [[1], [2], [1, 3], [1], [2], [2]]
    for size in (1, 2, 10):
        assert run_state(values(accumulator_of), [pa.int32()], rows, size) == wanted


def test_the_object_of_an_ended_group_is_dropped(run_state: Any, accumulator_of: Any) -> None:
    state = values(accumulator_of)
    assert run_state(state, [pa.int32()], [(0, 1, True, (1,)), (0, -1, True, (5,)), (0, 1, True, (2,))], 2) == [[1], [1], [2]]
    assert state.groups == {0: [2]}


def test_ignored_retractions_are_reported(run_state: Any, accumulator_of: Any) -> None:
    state = values(accumulator_of)
    run_state(state, [pa.int32()], [(0, 1, True, (1,)), (0, 1, True, (1,)), (0, -1, True, (7,))])
    assert state.ignored == {2}


def test_only_needed_results_are_computed(run_state: Any, accumulator_of: Any) -> None:
    rows = [(0, 1, True, (1,)), (1, 1, True, (2,)), (0, 1, True, (3,))]
    assert run_state(values(accumulator_of), [pa.int32()], rows, nets=True) == [{0: [1, 3], 1: [2]}]


def test_a_group_without_an_object_has_the_result_over_no_rows(accumulator_of: Any) -> None:
    assert values(accumulator_of).current(np.array([4], np.int64)).to_pylist() == [[]]


def test_a_snapshot_holds_the_groups_of_the_given_slots(run_state: Any, accumulator_of: Any) -> None:
    state = values(accumulator_of)
    run_state(state, [pa.int32()], [(0, 1, True, (1,)), (2, 1, True, (2,)), (0, 1, True, (3,)), (1, 1, True, (4,))])
    content = state.snapshot(np.array([2, 5, 0]))
    assert content.to_pydict() == {"c0": [0, 2, 2], "c1": [2, 1, 3]}
    other = values(accumulator_of)
    other.restore(np.array([7, 8, 9]), content)
    assert other.groups == {7: [2], 9: [1, 3]}
