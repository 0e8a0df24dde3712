"""Process table functions of ``kill_stream.py``: their rows do not depend on the order in which rows of a key come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from table_api import Row
from table_api.udf import (
    ArgumentHint,
    ArgumentTrait,
    ListView,
    MapView,
    OnTimerContext,
    ProcessContext,
    ProcessTableFunction,
    StateHint,
    function_hint,
)

SECONDS = 7
END = 10**9
"""The time, in seconds, of the last orders, at which the watermark stays: spans before are over."""
Orders = Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]
TimedOrders = Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.REQUIRE_ON_TIME)]


@dataclass
class Count:
    """How many orders of a key there were."""

    rows: int = 0


class Numbered(ProcessTableFunction[Row]):
    """Gives each order with its number, and how many different values its key has had."""

    @function_hint(output="ROW<n BIGINT, v BIGINT, different BIGINT>")
    def eval(
        self,
        context: ProcessContext,
        count: Annotated[Count, StateHint()],
        seen: Annotated[MapView[int, int], StateHint()],
        order: Orders,
    ) -> Iterator[Row]:
        count.rows += 1
        if not seen.contains(order.v):
            seen.put(order.v, count.rows)
        yield count.rows, order.v, len(list(seen.keys()))


class Marked(ProcessTableFunction[Row]):
    """Gives a row for each span of seven seconds in which a key has orders, when it is over."""

    @function_hint(output="ROW<orders BIGINT>")
    def eval(self, context: ProcessContext, times: Annotated[ListView[int], StateHint()], order: TimedOrders) -> Iterator[Row]:
        clock = context.time_context(int)
        if clock.time() < 1000 * END:
            span = clock.time() // (1000 * SECONDS)
            times.add(span)
            clock.register_on_time((span + 1) * 1000 * SECONDS - 1)
        yield from ()

    def on_timer(self, context: OnTimerContext, times: ListView[int]) -> Iterator[Row]:
        span = context.time_context(int).time() // (1000 * SECONDS)
        yield (sum(each == span for each in times),)


TOTALS = """SELECT a.k, a.n + 1000000 * a.different + 1000000000 * COALESCE(b.n, 0) AS n, a.v FROM
    (SELECT k, MAX(n) AS n, SUM(v) AS v, MAX(different) AS different FROM numbered(TABLE orders PARTITION BY k) GROUP BY k) AS a
    LEFT JOIN (SELECT k, SUM(orders) AS n FROM marked(`order` => TABLE orders PARTITION BY k, on_time => DESCRIPTOR(ts)) GROUP BY k) AS b ON a.k = b.k"""
"""The totals by two functions and a join."""
