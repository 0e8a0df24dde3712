"""What process table functions keep: how state entries are made, and that state can be sent to another process."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest
from process_functions import SET, Count, Machine, call_of

from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import ListView, MapView, ProcessTableFunction, StateHint
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.operators.process_table_state import ProcessState


@dataclass
class Bare:
    """A class without defaults."""

    a: int
    b: str


class Kinds(ProcessTableFunction[str]):
    """Has a state entry of each kind."""

    def eval(
        self,
        count: Annotated[Count, StateHint()],
        bare: Annotated[Bare, StateHint()],
        row: Annotated[Row, StateHint(type="ROW<x INT, y STRING>")],
        texts: Annotated[ListView[str], StateHint()],
        totals: Annotated[MapView[str, int], StateHint()],
        r: Annotated[Row, SET],
    ) -> Any: ...


def state_of(function: ProcessTableFunction[Any]) -> ProcessState:
    state = ProcessState(ExecutionContext(parallelism=1), call_of(function))
    state.prepare(4)
    return state


def test_new_entries_have_defaults_or_nothing() -> None:
    count, bare, row, texts, totals = state_of(Kinds()).objects_of(0)
    assert count == Count(0, None)
    assert bare == Bare(None, None)  # type: ignore[arg-type]  # what the test is about
    assert row == Row(x=None, y=None)
    assert (len(texts), len(totals)) == (0, 0)


def test_entries_of_a_key_are_its_own_and_written_as_columns_of_their_types() -> None:
    state = state_of(Kinds())
    assert state.keys is not None
    for slot in range(3):
        count, bare, row, texts, totals = state.objects_of(slot)
        count.rows, bare.a, row.x = slot, slot + 1, slot + 2
        texts.add(f"t{slot}")
        totals.put("n", slot)
    tables = state.tables()
    contents = {name: table.snapshot(np.arange(3)) for name, table in tables.items()}
    other = state_of(Kinds())
    for name, table in other.tables().items():
        assert table.refusal is None
        table.restore(np.array([3, 2, 0]), contents[name])
    assert other.objects_of(2)[0] == Count(1, None)
    assert [other.objects_of(slot)[1].a for slot in (3, 2, 0)] == [1, 2, 3]
    assert list(other.objects_of(3)[3]) == ["t0"]
    assert other.objects_of(0)[4].get("n") == 2


def test_state_can_be_pickled() -> None:
    state = state_of(Machine())
    state.objects_of(1)[0].rows = 5
    state.timers.set(1, "end", 7)
    state.context = None  # type: ignore[assignment]  # as the folder of maps has it
    copy = pickle.loads(pickle.dumps(state))
    assert copy.objects_of(1)[0].rows == 5
    assert copy.call_context._timers is copy.timers
    assert copy.timers.first_time == 7


def test_a_class_that_cannot_be_made_is_named() -> None:
    with pytest.raises(TableRuntimeException, match=r"The state 's' of .*Broken cannot be made by .*Fails\(\): no"):
        state_of(Broken())


class Fails:
    """Cannot be made."""

    n: int

    def __init__(self) -> None:
        raise ValueError("no")


class Broken(ProcessTableFunction[str]):
    def eval(self, s: Annotated[Fails, StateHint()], r: Annotated[Row, SET]) -> Any: ...
