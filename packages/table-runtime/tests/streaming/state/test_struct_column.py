"""States as arrays: defaults, types, and the form in which objects of the same class are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import ArgumentHint, ArgumentTrait, ProcessTableFunction, StateHint, UserFunction
from table_runtime.streaming.state.object_column import ObjectColumn
from table_runtime.streaming.state.struct_column import StructColumn


@dataclass
class State:
    rows: int = 3
    is_on: bool = True
    ratio: float = 0.5
    text: str | None = None


class Function(ProcessTableFunction[str]):
    def eval_batch(
        self, state: Annotated[State, StateHint()], r: Annotated[Any, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]
    ) -> Any: ...


def entry() -> Any:
    process = UserFunction(Function()).process
    assert process is not None
    return process.states[0]


def column() -> StructColumn:
    made = StructColumn("f", entry(), State())
    made.grow(10)
    return made


def test_new_slots_have_the_defaults_of_the_class() -> None:
    states = column()
    fields: Any = states.of(np.array([7, 2]))
    assert (fields.rows.tolist(), fields.is_on.tolist(), fields.ratio.tolist(), fields.text.tolist()) == (
        [3, 3],
        [True] * 2,
        [0.5] * 2,
        [None] * 2,
    )
    assert states.value_of(7) is None
    fields.rows += 1
    fields.text = np.array(["a", None], object)
    fields.ratio = np.array([1, 2])
    fields.is_on = False
    states.set(np.array([7, 2]), fields)
    assert states.value_of(7) == State(4, False, 1.0, "a")
    assert states.has(np.array([2, 3, 70])).tolist() == [True, False, False]
    states.clear(np.array([7]))
    assert states.value_of(7) is None
    assert states.of(np.array([7])).__dict__["rows"].tolist() == [3]


def test_a_snapshot_is_that_of_objects() -> None:
    states = column()
    fields: Any = states.of(np.array([1, 4]))
    fields.text = np.array(["x", "y"], object)
    states.set(np.array([1, 4]), fields)
    objects, again = ObjectColumn("f", entry().extracted), column()
    objects.restore(np.array([5, 6, 7]), states.snapshot(np.array([4, 0, 1])))
    assert (objects.value_of(5), objects.value_of(7)) == (State(text="y"), State(text="x"))
    objects.values[7].rows = None
    again.restore(np.array([12, 13]), objects.snapshot(np.array([5, 7])))
    assert (again.value_of(12), again.value_of(13)) == (State(text="y"), State(text="x"))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rows", np.array([1.5]), "has values of the type float64 in its field 'rows' after a call, which is declared as BIGINT"),
        ("rows", np.array([1 << 63], np.uint64), "has numbers that it cannot hold in its field 'rows'"),
        ("ratio", np.array(["x"]), "has values of the type <U1 in its field 'ratio'"),
        ("is_on", np.array([1]), "has values of the type int64 in its field 'is_on'"),
        ("text", np.array(["a", "b"], object), "has 2 values for 1 rows in its field 'text'"),
    ],
)
def test_another_type_or_length_is_refused(name: str, value: Any, message: str) -> None:
    states = column()
    fields = states.of(np.array([1]))
    setattr(fields, name, value)
    with pytest.raises(TableRuntimeException, match=message):
        states.set(np.array([1]), fields)
