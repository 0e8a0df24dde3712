"""The context of calls: times of both kinds, timers, tables and state."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import pyarrow as pa
import pytest
from process_functions import ROWS, SCHEMA, SET, TABLE, Count, call_of

from table_common.connector import ChangelogMode
from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import ProcessContext, ProcessTableFunction, StateHint
from table_common.types import IntType, LocalZonedTimestampType, RowType
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.process_table import ProcessTable


class Calls(ProcessTableFunction[str]):
    """Calls a function of the test with its context."""

    def __init__(self, test: Any) -> None:
        self.test = test

    def eval(self, context: ProcessContext, count: Annotated[Count, StateHint()], r: Annotated[Row, SET]) -> Any:
        yield str(self.test(context, count))

    def on_timer(self, context: Any) -> Any: ...


class RowCalls(ProcessTableFunction[str]):
    """As ``Calls``, of rows alone."""

    def __init__(self, test: Any) -> None:
        self.test = test

    def eval(self, context: ProcessContext, r: Annotated[Row, ROWS]) -> Any:
        yield str(self.test(context))

    def on_timer(self, context: Any) -> Any: ...


def result(function: Any, **options: Any) -> Any:
    operator = ProcessTable(call_of(function, **options))
    out: list[ChangeBatch] = []
    batch = pa.RecordBatch.from_pylist([{"k": 7, "t": datetime(1970, 1, 1, 0, 0, 2), "v": 1}], schema=SCHEMA)
    state = operator.create_state(ExecutionContext(parallelism=1))
    state.watermark = 1500
    operator.process(ChangeBatch(batch), 0, state, out.append)
    return out[0].rows.to_pylist()[0]["EXPR$0"]


@pytest.mark.parametrize(
    ("kind", "expected"), [(int, (2000, 1500)), (datetime, (datetime(1970, 1, 1, 0, 0, 2), datetime(1970, 1, 1, 0, 0, 1, 500_000)))]
)
def test_times_are_of_the_kind_asked_for(kind: Any, expected: Any) -> None:
    def test(context: Any, count: Any) -> Any:
        times = context.time_context(kind)
        return times.time(), times.current_watermark()

    assert result(Calls(test)) == str(expected)


def test_times_of_points_in_time_have_a_zone() -> None:
    row_type = RowType.of([("k", IntType()), ("t", LocalZonedTimestampType(3))])
    seen = []
    function = Calls(lambda context, count: seen.append(context.time_context(datetime).time()))
    operator = ProcessTable(call_of(function, row_type=row_type))
    schema = operator._spec.inputs[0].schema
    batch = pa.RecordBatch.from_pylist([{"k": 7, "t": datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC)}], schema=schema)
    operator.process(ChangeBatch(batch), 0, operator.create_state(ExecutionContext(parallelism=1)), lambda batch: None)
    assert seen == [datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC)]


def test_without_on_time_there_is_no_time() -> None:
    assert result(Calls(lambda context, count: context.time_context(int).time()), time=-1) == "None"


def test_a_table_is_described_by_its_parameter() -> None:
    def test(context: Any, count: Any) -> Any:
        table = context.table_semantics_for("r")
        assert context.changelog_mode == table.changelog_mode == ChangelogMode.insert_only()
        return table.partition_by_columns, list(table.order_by_columns), table.time_column, table.data_type == TABLE.with_nullability(True)

    assert result(Calls(test)) == "((0,), [], 1, True)"
    with pytest.raises(TableRuntimeException, match=r"(?s)Calls has no table 'q'.*its tables are r"):
        result(Calls(lambda context, count: context.table_semantics_for("q")))
    spec = call_of(Calls(lambda context, count: 0), order_by=(SortKey(1),))
    assert spec.inputs[0].order_by == (SortKey(1),)


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (lambda context, count: context.time_context(str), "time_context of Calls got <class 'str'>"),
        (lambda context, count: context.clear_state("total"), "(?s)Calls has no state 'total'.*its states are count"),
        (lambda context, count: context.time_context(int).register_on_time("a", "b"), "The time of a timer is milliseconds"),
        (lambda context, count: context.time_context(int).register_on_time(1 << 70), "The time of a timer is milliseconds"),
        (lambda context, count: context.time_context(datetime).register_on_time(5), "The time of a timer is milliseconds"),
        (lambda context, count: context.time_context(int).register_on_time(5, 6), "The name of a timer is a text, but got 5"),
    ],
)
def test_what_is_wrong_is_named(test: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        result(Calls(test))


@pytest.mark.parametrize(
    ("function", "options", "hint"),
    [
        (RowCalls, {"by": ()}, "set semantics"),
        (Calls, {"through": (0, 1, 2)}, "PASS_COLUMNS_THROUGH"),
    ],
)
def test_calls_without_timers_refuse_them(function: Any, options: Any, hint: str) -> None:
    with pytest.raises(TableRuntimeException, match=f"(?s)Timers are not supported in the current PTF declaration.*{hint}"):
        result(function(lambda context, *states: context.time_context(int).register_on_time(5)), **options)


def test_a_timer_in_the_past_is_registered_for_the_next_watermark() -> None:
    states = []

    def test(context: Any, count: Any) -> Any:
        context.time_context(datetime).register_on_time("late", datetime(1969, 1, 1))
        context.time_context(int).clear_all_timers()
        context.time_context(int).register_on_time(5)
        context.time_context(int).clear_timer(5)
        context.time_context(int).register_on_time(6)
        states.append(context._timers.first_time)
        count.rows = 8
        context.clear_all()
        return context._timers.first_time > 6

    assert result(Calls(test)) == "True"
    assert states == [6]
