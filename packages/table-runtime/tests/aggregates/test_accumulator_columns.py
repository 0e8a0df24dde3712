from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest

from table_common.data import Row
from table_common.exceptions import TableException, TableRuntimeException
from table_common.functions import AggregateFunction, ListView, MapView, as_user_function
from table_common.types import BigIntType
from table_runtime.aggregates.accumulator_columns import AccumulatorColumns
from table_runtime.streaming.checkpoints.inferred_columns import inferred_column
from table_runtime.udf import Invocation


@dataclass
class Parts:
    n: int
    names: list[str]
    last: float | None = None
    seen: MapView[str, int] = field(default_factory=MapView)


class Declared(AggregateFunction[int, Any]):
    """A function whose accumulator type is given."""

    def __init__(self, type_: str | None) -> None:
        self.type = type_

    def create_accumulator(self) -> Any:
        return None

    def accumulate(self, accumulator: Any, value: int) -> None:
        raise NotImplementedError

    def get_value(self, accumulator: Any) -> int:
        return 0

    def get_accumulator_type(self) -> str | None:
        return self.type


class WithParts(Declared):
    def create_accumulator(self) -> Parts:
        return Parts(0, [])


class WithView(Declared):
    def create_accumulator(self) -> ListView[int]:
        return ListView()


class WithObject(Declared):
    def create_accumulator(self) -> object:
        return object()


def columns(function: Any) -> AccumulatorColumns:
    invocation = Invocation(as_user_function(function, "f"), (BigIntType(),), BigIntType())
    return AccumulatorColumns(invocation.name, invocation.signature.accumulator)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (Declared("ARRAY<BIGINT>"), [[1, 2], [], [None]]),
        (Declared("MAP<STRING, ARRAY<INT>>"), [{"a": [1]}, {}]),
        (Declared("ROW<a BIGINT, b STRING>"), [Row(a=1, b="x"), Row(a=None, b="")]),
        (WithParts(None), [Parts(1, ["a"], 2.5, MapView({"k": 3})), Parts(0, [])]),
        (WithView(None), [ListView([1, 2]), ListView()]),
    ],
)
def test_accumulators_are_read_as_they_were_written(function: Declared, values: list[Any]) -> None:
    written = columns(function)
    assert written.refusal is None
    column = written.write(values)
    assert written.read(column) == values
    assert all(isinstance(found, type(value)) for found, value in zip(written.read(column), values, strict=True))


def test_a_row_without_names_gets_those_of_its_type() -> None:
    written = columns(Declared("ROW<a BIGINT, b BIGINT>"))
    (found,) = written.read(written.write([Row(1, 2)]))
    found[0] += 5
    assert (found[0], found[1], found.b) == (6, 2, 2)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (Declared("ARRAY<INT>"), [[1, 2], []]),
        (Declared("ARRAY<INT>"), [[], []]),
        (Declared("MAP<STRING, DOUBLE>"), [{"a": 1}, {}]),
        (Declared("ROW<a INT, b ARRAY<STRING>>"), [Row(1, ["x"]), Row(2, [])]),
        (WithParts(None), [Parts(1, ["a"], None, MapView({"k": 3})), Parts(0, [])]),
        (WithView(None), [ListView([1, 2]), ListView()]),
    ],
)
def test_columns_of_a_converted_checkpoint_are_cast(function: Declared, values: list[Any]) -> None:
    column = inferred_column(values, "the state")
    written = columns(function)
    found = written.read(pa.concat_arrays([column.slice(1), column.slice(0, 1)]))
    expected = written.read(written.write([values[1], values[0]]))
    assert found == expected


@pytest.mark.parametrize(
    ("function", "reason"), [(Declared(None), "it has no declared SQL type"), (WithObject(None), "it has no declared SQL type")]
)
def test_accumulators_without_type_are_refused(function: Declared, reason: str) -> None:
    written = columns(function)
    assert written.refusal == reason
    with pytest.raises(TableException, match=f"The accumulators of the function f cannot be written into a checkpoint: {reason}"):
        written.write([1])
    with pytest.raises(TableException, match="cannot be written"):
        written.read(pa.array([b"x"]))


def test_an_accumulator_of_another_type_is_an_error_that_names_the_function() -> None:
    with pytest.raises(TableRuntimeException, match="An accumulator of the function f is not of its declared type") as raised:
        columns(Declared("ARRAY<BIGINT>")).write([["a"]])
    assert "'a'" in str(raised.value)


def test_a_column_of_another_type_is_an_error_and_is_not_unpickled() -> None:
    with pytest.raises(
        TableRuntimeException, match="The stored accumulators of the function f are of the type binary, not of its declared type"
    ):
        columns(Declared("ARRAY<BIGINT>")).read(pa.array([b"\x80\x04."]))
