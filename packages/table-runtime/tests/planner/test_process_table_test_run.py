"""The harness of process table functions: rows and watermarks in; rows, state and timers out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest

from table_api.testing import ProcessTableFunctionHarness
from table_api.udf import ArgumentHint, ArgumentTrait, MapView, OnTimerContext, ProcessContext, ProcessTableFunction, StateHint
from table_common.connector import ChangelogMode, RowKind
from table_common.data import Row
from table_common.exceptions import TableRuntimeException, ValidationException

SET = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)
CLICKS = {"click": "ROW<person STRING, ts TIMESTAMP(3)>"}


@dataclass
class Visit:
    clicks: int = 0


class Visits(ProcessTableFunction[str]):
    def eval(
        self,
        context: ProcessContext,
        visit: Annotated[Visit, StateHint(ttl=timedelta(hours=1))],
        pages: Annotated[MapView[str, int], StateHint(ttl=timedelta(hours=1))],
        click: Annotated[Row, SET],
        wait: int = 10,
    ) -> Any:
        visit.clicks += 1
        pages.put("all", visit.clicks)
        times = context.time_context(int)
        times.register_on_time("end", times.time() + wait)
        times.register_on_time(times.time() + 1)
        yield f"click {visit.clicks}"

    def on_timer(self, context: OnTimerContext, visit: Visit) -> Any:
        yield f"{context.current_timer} {visit.clicks}"
        if context.current_timer:
            context.clear_all()


def at(milliseconds: int) -> datetime:
    return datetime(1970, 1, 1) + timedelta(milliseconds=milliseconds)


def texts(rows: list[Row]) -> list[str]:
    return [row["EXPR$0"] for row in rows]


def visits(**options: Any) -> ProcessTableFunctionHarness:
    return ProcessTableFunctionHarness(Visits(), CLICKS, partition_by=["person"], on_time="ts", **options)


def test_rows_state_and_timers_come_out_step_by_step() -> None:
    harness = visits(scalars={"wait": 5})
    (row,) = harness.process(("ann", at(100)))
    assert row == Row(**{"person": "ann", "EXPR$0": "click 1", "rowtime": at(100)})
    assert harness.state("visit", "ann") == Visit(1)
    assert harness.state("visit", "bob") is None
    assert harness.timers("ann") == [(None, 101), ("end", 105)]
    assert harness.watermark is None
    assert texts(harness.advance(104)) == ["None 1"]
    assert texts(harness.process(("ann", at(103)))) == ["click 2"]
    assert texts(harness.advance(datetime(1970, 1, 1, 0, 0, 0, 108_000, UTC))) == ["None 2", "end 2"]
    assert harness.state("visit", "ann") is None
    assert harness.timers("ann") == []
    assert harness.watermark == 108


def test_state_and_timers_survive_a_checkpoint() -> None:
    harness = visits()
    harness.process(("ann", at(100)), ("bob", at(101)))
    harness.restore()
    assert harness.state("pages", "bob").get("all") == 1
    assert harness.timers("bob") == [(None, 102), ("end", 111)]
    assert texts(harness.finish()) == ["None 1", "None 1", "end 1", "end 1"]


def test_state_expires() -> None:
    harness = visits()
    harness.process(("ann", at(100)))
    harness.set_time(timedelta(hours=2))
    assert texts(harness.process(("ann", at(101)))) == ["click 1"]


class Both(ProcessTableFunction[str]):
    def eval(self, left: Annotated[Row, SET], right: Annotated[Row, SET]) -> Any:
        yield "left" if left is not None else "right"


def test_several_tables_are_named() -> None:
    tables = {"right": "ROW<k INT>", "left": "ROW<k INT, v INT>"}
    harness = ProcessTableFunctionHarness(Both, tables, partition_by={"left": ["k"], "right": ["k"]})
    assert texts(harness.process((1, 2), table="left") + harness.process((1,), table="right")) == ["left", "right"]
    with pytest.raises(ValidationException, match="'middle'"):
        harness.process((1,), table="middle")


class Ordered(ProcessTableFunction[int]):
    def eval(self, r: Annotated[Row, SET]) -> Any:
        yield r.v


def test_rows_with_an_order_wait_for_the_watermark() -> None:
    harness = ProcessTableFunctionHarness(
        Ordered, {"r": "ROW<k INT, ts TIMESTAMP(3), v INT>"}, partition_by=["k"], order_by=["ts"], on_time="ts"
    )
    assert harness.process((1, at(5), 5), (1, at(3), 3)) == []
    assert texts(harness.advance(10)) == [3, 5]


class Same(ProcessTableFunction[int]):
    def eval(self, r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.SUPPORT_UPDATES)]) -> Any:
        yield Row.of_kind(r.get_row_kind(), r.v)

    def get_changelog_mode(self, changelog_context: Any) -> Any:
        return ChangelogMode.all().kinds


def test_changes_have_kinds() -> None:
    harness = ProcessTableFunctionHarness(Same, {"r": "ROW<k INT, v INT>"}, partition_by=["k"])
    (row,) = harness.process(Row.of_kind(RowKind.DELETE, 1, 2))
    assert row.get_row_kind() is RowKind.DELETE


class Numbers(ProcessTableFunction[int]):
    def eval(self, n: int) -> Any:
        return range(n)


def test_a_function_without_tables_is_called_once() -> None:
    assert texts(ProcessTableFunctionHarness(Numbers, scalars={"n": 3}).process()) == [0, 1, 2]


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValidationException, match="The table 'click' is declared as INT, which is no row"):
        ProcessTableFunctionHarness(Visits, {"click": "INT"})
    with pytest.raises(ValidationException, match="needs PARTITION BY"):
        ProcessTableFunctionHarness(Visits, CLICKS)
    with pytest.raises(ValidationException, match="has order_by without partition_by"):
        ProcessTableFunctionHarness(Visits, CLICKS, order_by=["ts"])
    with pytest.raises(ValidationException, match="'total'"):
        visits().state("total", "ann")
    with pytest.raises(TableRuntimeException, match="yielded"):
        ProcessTableFunctionHarness(Wrong, CLICKS, partition_by=["person"]).process(("ann", at(1)))


class Wrong(ProcessTableFunction[str]):
    def eval(self, click: Annotated[Row, SET]) -> Any:
        yield "a", "b"
