"""Process table functions of the tests of their operator, and calls of them over tables (k, t, v)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import pyarrow as pa

from table_common.arrow import to_arrow_schema
from table_common.connector import ChangelogMode
from table_common.data import Row
from table_common.functions import (
    ArgumentHint,
    ArgumentTrait,
    ListView,
    MapView,
    OnTimerContext,
    ProcessContext,
    ProcessTableFunction,
    StateHint,
    UserFunction,
    function_hint,
)
from table_common.types import BigIntType, IntType, LogicalType, RowType, TimestampType, VarCharType
from table_runtime.columns.ordering import SortKey
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.streaming.operators.process_table_spec import ProcessSpec, TableColumns, process_spec

__all__ = ["ROWS", "SCHEMA", "SET", "TABLE", "Count", "Machine", "Machines", "call_of"]

SET = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)
ROWS = ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)
TABLE = RowType.of([("k", IntType()), ("t", TimestampType(3)), ("v", BigIntType())])
SCHEMA = to_arrow_schema(TABLE)


@dataclass
class Count:
    """State by key."""

    rows: int = 0
    last: str | None = None


class Machine(ProcessTableFunction[Row]):
    """Uses state of all kinds, and timers with and without a name."""

    @function_hint(output="ROW<what STRING, a BIGINT, b BIGINT>")
    def eval(
        self,
        context: ProcessContext,
        count: Annotated[Count, StateHint()],
        seen: Annotated[ListView[int], StateHint()],
        totals: Annotated[MapView[str, int], StateHint()],
        r: Annotated[Row, SET],
    ) -> Any:
        times = context.time_context(int)
        count.rows += 1
        count.last = f"v{r.v}"
        seen.add(r.v)
        key = "even" if r.v % 2 == 0 else "odd"
        totals.put(key, (totals.get(key) or 0) + r.v)
        if times.time() is not None:
            times.register_on_time("end", times.time() + 7)
            times.register_on_time(times.time() + r.v)
        if r.v == 3:
            times.clear_timer("end")
        if r.v == 5:
            context.clear_state("seen")
        yield "row", count.rows, len(seen)
        yield key, totals.get(key), r.v

    def on_timer(self, context: OnTimerContext, count: Count, totals: Any) -> Any:
        time = context.time_context(int).time()
        if context.current_timer is None:
            yield "timer", time, totals.get("odd")
            return
        yield f"{context.current_timer} {count.last}", time, count.rows
        if count.rows > 4:
            context.clear_all()


class Machines(ProcessTableFunction[str]):
    """Takes the rows of two tables."""

    def eval(self, count: Annotated[Count, StateHint()], one: Annotated[Row, SET], other: Annotated[Row, SET]) -> Any:
        count.rows += 1
        row = one if one is not None else other
        yield f"{'one' if other is None else 'other'} {row.v} {count.rows}"


def call_of(
    function: ProcessTableFunction[Any],
    *names: str | None,
    by: Sequence[int] = (0,),
    time: int = 1,
    order_by: Sequence[SortKey] = (),
    through: Sequence[int] | None = None,
    modes: Sequence[ChangelogMode] = (),
    mode: ChangelogMode | None = None,
    ttl: timedelta = timedelta(0),
    row_type: RowType = TABLE,
) -> ProcessSpec:
    """Returns a call over tables (k, t, v) for the parameters of these names, which are partitioned by the columns ``by``."""
    definition = UserFunction(function)
    passed = tuple(by if through is None else through)
    tables = [
        TableColumns(
            name,
            row_type,
            to_arrow_schema(row_type),
            tuple(by),
            tuple(order_by),
            time,
            passed,
            modes[number] if modes else ChangelogMode.insert_only(),
        )
        for number, name in enumerate(names or ("r",))
    ]
    assert definition.process is not None
    output = definition.process.output.type
    own: list[tuple[str, LogicalType]] = (
        [(field.name, field.type) for field in output.fields] if isinstance(output, RowType) else [("EXPR$0", output or VarCharType())]
    )
    columns = [(f"{row_type.field_names[i]}{n or ''}", row_type.field_types[i]) for n in range(len(tables)) for i in passed]
    columns += own
    if time >= 0:
        columns.append(("rowtime", row_type.field_types[time]))
    schema = pa.schema([*to_arrow_schema(RowType.of(columns))])
    return process_spec(
        definition,
        tables,
        Evaluator((), EvaluationContext()),
        schema,
        row_type.field_types[time] if time >= 0 else None,
        mode or ChangelogMode.insert_only(),
        int(ttl / timedelta(milliseconds=1)),
    )
