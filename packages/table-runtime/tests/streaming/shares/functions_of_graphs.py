"""Process table functions of the graphs, in a module that workers have without the planner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pyarrow as pa

from table_common.data import Row
from table_common.functions import (
    ArgumentHint,
    ArgumentTrait,
    ListView,
    MapView,
    OnTimerContext,
    ProcessBatchContext,
    ProcessContext,
    ProcessTableFunction,
    StateHint,
    function_hint,
)

__all__ = ["Added", "Met", "Numbered", "Shouted"]


@dataclass
class Count:
    """State of the functions below."""

    rows: int = 0


SET = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)


class Numbered(ProcessTableFunction[Row]):
    """Numbers the rows of a key, and says when none came for four seconds."""

    @function_hint(output="ROW<number BIGINT, what STRING>")
    def eval(  # type: ignore[no-untyped-def]  # it yields rows
        self, context: ProcessContext, count: Annotated[Count, StateHint()], r: Annotated[Row, SET], step: int = 1
    ):
        count.rows += step
        times = context.time_context(int)
        times.register_on_time("silence", times.time() + 4000)
        yield count.rows, r.s

    def on_timer(self, context: OnTimerContext, count: Count):  # type: ignore[no-untyped-def]  # it yields rows
        yield count.rows, context.current_timer
        if count.rows > 20:
            context.clear_all()


class Met(ProcessTableFunction[str]):
    """Counts the values of the rows of two tables, and emits the counts that a row of either changes."""

    def eval(  # type: ignore[no-untyped-def]  # it yields rows
        self,
        counts: Annotated[MapView[str, int], StateHint()],
        seen: Annotated[ListView[int], StateHint()],
        a: Annotated[Row, SET],
        b: Annotated[Row, SET],
    ):
        side = "a" if a is not None else "b"
        counts.put(side, (counts.get(side) or 0) + 1)
        seen.add((a or b).v)
        if len(seen) > 5:
            seen.clear()
        yield f"{side}{counts.get(side)}"


class Shouted(ProcessTableFunction[str]):
    """Changes the text of each row."""

    def eval(self, r: Annotated[Row, ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE, ArgumentTrait.PASS_COLUMNS_THROUGH)]):  # type: ignore[no-untyped-def]
        yield r.s.upper()


class Added(ProcessTableFunction[Row]):
    """Adds up the values of a key, and says the sum when no row came for four seconds; called with many rows at once."""

    @function_hint(output="ROW<rows_ BIGINT, what STRING>")
    def eval_batch(  # type: ignore[no-untyped-def]  # it yields rows
        self, context: ProcessBatchContext, count: Annotated[Count, StateHint()], r: Annotated[pa.RecordBatch, SET], step: int = 1
    ):
        count.rows += step
        context.set_timers("silence", context.times + 4000)
        yield None, (count.rows, r.column("s"))

    def on_timer_batch(self, context: ProcessBatchContext, count: Any):  # type: ignore[no-untyped-def]  # it yields rows
        yield None, (count.rows, context.timer)
        context.clear(count.rows > 20)
