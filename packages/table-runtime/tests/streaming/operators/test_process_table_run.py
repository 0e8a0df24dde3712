"""What process table functions yield: shapes, values, kinds, failures, and calls that do not end."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import pyarrow as pa
import pytest
from process_functions import SCHEMA, SET, call_of

from table_common.connector import RowKind
from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import ProcessTableFunction, function_hint
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.process_table import ProcessTable


@dataclass
class Pair:
    a: int
    b: str


class Yields(ProcessTableFunction[Row]):
    """Yields what it is given."""

    def __init__(self, made: Callable[[], Any]) -> None:
        self.made = made

    @function_hint(output="ROW<a BIGINT, b STRING>")
    def eval(self, r: Annotated[Row, SET]) -> Any:
        return self.made()


class One(ProcessTableFunction[int]):
    """Yields what it is given, in one column."""

    def __init__(self, made: Callable[[], Any]) -> None:
        self.made = made

    def eval(self, r: Annotated[Row, SET]) -> Any:
        return self.made()


def results(function: ProcessTableFunction[Any]) -> list[tuple[Any, ...]]:
    operator = ProcessTable(call_of(function, time=-1))
    out: list[ChangeBatch] = []
    batch = pa.RecordBatch.from_pylist([{"k": 7, "t": None, "v": 1}], schema=SCHEMA)
    operator.process(ChangeBatch(batch), 0, operator.create_state(ExecutionContext(parallelism=1)), out.append)
    return [tuple(row.values())[1:] for one in out for row in one.rows.to_pylist()]


@pytest.mark.parametrize(
    "value", [(1, "x"), [1, "x"], Row(1, "x"), Row(b="x", a=1), Row(p=1, q="x"), {"b": "x", "a": 1}, Pair(1, "x")], ids=str
)
def test_a_row_has_many_forms(value: Any) -> None:
    assert results(Yields(lambda: [value])) == [(1, "x")]


def test_nothing_is_no_row_and_one_column_needs_no_row() -> None:
    assert results(Yields(lambda: None)) == []
    assert results(One(lambda: [1, (3,), Row(4)])) == [(1,), (3,), (4,)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((1, "x", 2), r"Yields yielded \(1, 'x', 2\), but its rows have 2 columns: a BIGINT, b STRING"),
        (5, "yielded 5, but its rows have 2 columns"),
        ("ab", "yielded 'ab', but its rows have 2 columns"),
        ({"a": 1}, r"yielded {'a': 1}, but its rows have 2 columns"),
        (("no", "x"), "yielded a wrong value.*column 'a' of Yields"),
        (Row.of_kind(RowKind.DELETE, 1, "x"), r"Invalid row kind received: DELETE. Expected produced changelog mode: \[INSERT\]"),
    ],
    ids=str,
)
def test_a_row_of_another_shape_is_refused_with_the_columns(value: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=f"(?s){message}"):
        results(Yields(lambda: [value]))


@pytest.mark.parametrize("value", ["text", 5, {"a": 1}, Row(1, "x")])
def test_what_is_returned_must_be_rows(value: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"(?s)which is no sequence of rows.*yield each row"):
        results(Yields(lambda: value))


def test_a_failure_names_the_function_the_row_and_its_arguments() -> None:
    def fail() -> Any:
        yield 1, "x"
        raise ValueError("no")

    with pytest.raises(TableRuntimeException, match=r"(?s)The function Yields failed in row 1 of the batch, called with .*ValueError: no"):
        results(Yields(fail))


def test_a_call_that_never_ends_is_found() -> None:
    function = Yields(lambda: ((number, "x") for number in itertools.count()))
    function.max_rows_per_call = 20_000
    with pytest.raises(
        TableRuntimeException, match=r"(?s)One call of the function Yields has yielded more than 20,000 rows.*max_rows_per_call"
    ):
        results(function)


def test_many_rows_of_one_call_are_emitted_in_pieces() -> None:
    assert len(results(Yields(lambda: [(number, "x") for number in range(30_000)]))) == 30_000
