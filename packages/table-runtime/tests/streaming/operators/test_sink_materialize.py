from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from table_common.connector import RowKind
from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.sink_materialize import SinkMaterialize, SinkMaterializeState
from table_runtime.streaming.state import row_values
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change, Give

ROW = pa.schema([("k", pa.int32()), ("v", pa.float64())])


def operator(conflict: str | None = None) -> SinkMaterialize:
    return SinkMaterialize(ROW, [0], table="t", conflict=conflict)


def model(changes: Sequence[Change]) -> list[Change]:
    lists: dict[object, list[tuple[object, ...]]] = {}
    given: list[Change] = []
    for kind, row in changes:
        there = lists.setdefault(row[0], [])
        if kind[0] == "+":
            given.append(("+U" if there else "+I", row))
            there.append(row)
        elif repr(row) in map(repr, there):
            place = [repr(one) for one in there].index(repr(row))
            del there[place]
            if not there:
                given.append(("-D", row))
            elif place == len(there):
                given.append(("+U", there[-1]))
    return given


def ended(changes: Sequence[Change], conflict: str, context: ExecutionContext, change_batch: Callable[..., ChangeBatch]) -> list[object]:
    made = operator(conflict)
    state = made.create_state(context)
    given: list[object] = []

    def receive(batch: ChangeBatch) -> None:
        assert batch.kinds is not None
        assert np.all(batch.kinds == RowKind.INSERT.value)
        given.extend(zip(*(column.to_pylist() for column in batch.rows.columns), strict=True))

    made.process(change_batch(changes, ROW), 0, state, receive)
    assert given == []
    made.end_of_input(0, state, receive)
    return given


def test_the_previous_row_is_emitted_again_when_the_last_is_retracted(give: Give) -> None:
    changes = [("+I", (1, 1.0)), ("+I", (1, 2.0)), ("-D", (1, 2.0)), ("-D", (1, 1.0))]
    assert give(operator(), ROW, changes) == [("+I", (1, 1.0)), ("+U", (1, 2.0)), ("+U", (1, 1.0)), ("-D", (1, 1.0))]


def test_random_changes_equal_a_row_by_row_model(
    give: Give, random_changelog: Callable[..., list[Change]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_values, "_FEW", 0)
    for seed in rounds(40):
        changes = random_changelog(seed, lambda chance: (chance.choice([None, 1, 2]), chance.choice([None, 0.0, -0.0, 1.5])))
        for size in (1, 3, 100):
            assert repr(give(operator(), ROW, changes, size)) == repr(model(changes)), seed


def test_retractions_of_unknown_rows_are_ignored(give: Give) -> None:
    assert give(operator(), ROW, [("-D", (1, 1.0)), ("+I", (1, 1.0)), ("-D", (1, 9.0))]) == [("+I", (1, 1.0))]


def test_do_nothing_emits_the_first_row_of_each_key_at_the_end(context: ExecutionContext, change_batch: Callable[..., ChangeBatch]) -> None:
    changes = [("+I", (1, 1.0)), ("+I", (1, 2.0)), ("+I", (2, 3.0)), ("-D", (2, 3.0))]
    assert ended(changes, "NOTHING", context, change_batch) == [(1, 1.0)]


def test_do_error_names_the_key_with_several_rows(context: ExecutionContext, change_batch: Callable[..., ChangeBatch]) -> None:
    with pytest.raises(TableRuntimeException, match=r"2 rows with the same primary key \(k = 1\) of table t"):
        ended([("+I", (1, 1.0)), ("+I", (1, 2.0))], "ERROR", context, change_batch)


def test_rows_emitted_at_the_end_keep_their_order_after_a_restore(
    context: ExecutionContext, change_batch: Callable[..., ChangeBatch], restored: Callable[..., SinkMaterializeState]
) -> None:
    made = operator("NOTHING")
    state = made.create_state(context)
    snapshots: list[object] = []
    given: list[object] = []
    for key in (7, 3, 9, 1, 8, 2, 7, 5):
        made.process(change_batch([("+I", (key, 1.0))], ROW), 0, state, lambda batch: None)
        state = restored(made, state, snapshots)
    made.end_of_input(0, state, lambda batch: given.extend(batch.rows.column(0).to_pylist()))
    assert given == [7, 3, 9, 1, 8, 2, 5]
