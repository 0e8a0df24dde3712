from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_common.types import IntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.changelog.aggregates.function import slot_rows
from table_runtime.changelog.aggregates.registry import create_function_state


def test_the_row_whose_result_cannot_be_made_is_noted() -> None:
    state = create_function_state(
        make_accumulator(fn.SUM, AggregateSpec("SUM", (IntType(),), IntType())), [pa.int32()], has_retractions=True
    )

    def finish(start: int, end: int) -> pa.Array:
        if start <= 3 < end:
            raise TableRuntimeException("no")
        return pa.nulls(end - start)

    assert len(state.finished(finish, 3)) == 3
    assert state.failed_row is None
    with pytest.raises(TableRuntimeException, match="no"):
        state.finished(finish, 9)
    assert state.failed_row == 3


def test_a_snapshot_of_one_row_per_slot_begins_with_the_positions_of_the_slots() -> None:
    assert slot_rows([pa.array(["a", "b"]), pa.array([1.5, None])]).to_pydict() == {"c0": [0, 1], "c1": ["a", "b"], "c2": [1.5, None]}
