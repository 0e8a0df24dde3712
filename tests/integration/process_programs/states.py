"""Functions of Flink's test programs with views, changes and several tables, written anew."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from process_programs.texts import (
    CHANGES,
    OPEN,
    RETRACTIONS,
    ROWS,
    SET,
    TIMED,
    Int,
    OneNumber,
    OneText,
    Text,
    Texts,
    TwoTexts,
    mode_of,
    of,
    out,
    text,
)

from table_api.udf import (
    ArgumentTrait,
    DataTypeHint,
    ListView,
    MapView,
    ProcessContext,
    ProcessTableFunction,
    StateHint,
    function_hint,
)
from table_common.connector import ChangelogMode, RowKind
from table_common.data import Row

_T = ArgumentTrait


@out
class ListStateFunction(Text):
    def eval(self, context: ProcessContext, s: Annotated[ListView[str], StateHint()], r: Annotated[Row, OPEN]) -> Any:
        yield (of(list(s.get()), "KeyedStateListView", r),)
        count = len(s)
        s.add(str(count))
        if count == 2:
            context.clear_state("s")


class Maps(Text):
    """Counts names in a map."""

    has_null = True

    def counted(self, context: ProcessContext, s: MapView[str, int], r: Row) -> Iterable[tuple[str]]:
        entries = ", ".join(sorted(f"{key}={text(value)}" for key, value in s.items()))
        yield (of("{" + entries + "}", "KeyedStateMapViewWithKeysNotNull", r),)
        count = s.get(r.name) or 1
        s.put(f"old{r.name}", count)
        s.put(r.name, count + 1)
        if self.has_null:
            s.put("nullValue", None)  # type: ignore[arg-type]  # NULL
        if count == 2:
            context.clear_state("s")


@out
class MapStateFunction(Maps):
    def eval(self, context: ProcessContext, s: Annotated[MapView[str, Int], StateHint()], r: Annotated[Row, OPEN]) -> Any:
        return self.counted(context, s, r)


@out
class NonNullMapStateFunction(Maps):
    has_null = False

    def eval(self, context: ProcessContext, s: Annotated[MapView[str, Int], StateHint()], r: Annotated[Row, OPEN]) -> Any:
        return self.counted(context, s, r)


class Changing(ProcessTableFunction[Row]):
    """Passes changes on, with the mode of its rows."""

    def changed(self, context: ProcessContext, r: Row) -> Row:
        return Row.of_kind(r.get_row_kind(), r[0], r[1], mode_of(context.changelog_mode))


@function_hint(output="ROW<name STRING, `count` BIGINT, `mode` STRING>")
class UpdatingRetractFunction(Changing):
    def eval(self, context: ProcessContext, r: Annotated[Row, RETRACTIONS]) -> Any:
        yield self.changed(context, r)

    def get_changelog_mode(self, changelog_context: Any) -> Any:
        return ChangelogMode.all().kinds


@function_hint(output="ROW<name STRING, `count` BIGINT, `mode` STRING>")
class UpdatingUpsertFunction(Changing):
    def eval(self, context: ProcessContext, r: Annotated[Row, CHANGES]) -> Any:
        yield self.changed(context, r)

    def get_changelog_mode(self, changelog_context: Any) -> Any:
        return ChangelogMode.upsert().kinds


@out
class InvalidRowKindFunction(Text):
    def eval(self, r: Annotated[Row, ROWS]) -> Any:
        yield Row.of_kind(RowKind.DELETE, "invalidate")


@out
class MultiInputFunction(Text):
    def eval(self, in1: Annotated[Row, SET], in2: Annotated[Row, OPEN]) -> Any:
        yield (of(in1, in2),)


@out
class MultiInputWithScalarArgsFunction(Text):
    def eval(
        self,
        m: dict[str, str],
        in1: Annotated[Row, SET],
        i: Int,
        in2: Annotated[Row, OPEN],
        r: Annotated[Row, DataTypeHint("ROW<b BOOLEAN, s STRING>")],
    ) -> Any:
        yield (of(in1, in2, m, i, r),)


@out
class TimedJoinFunction(Text):
    def eval(
        self,
        context: ProcessContext,
        score: Annotated[OneNumber, StateHint()],
        city: Annotated[OneText, StateHint()],
        scoreTable: Annotated[Row, TIMED],
        cityTable: Annotated[Row, TIMED],
    ) -> Any:
        times = context.time_context(int)
        if scoreTable is not None:
            score.f0 = scoreTable.score
            times.register_on_time("timeout", times.time() + 1000)
        if cityTable is not None:
            city.f0 = cityTable.city
        if score.f0 is not None and city.f0 is not None:
            yield (f"{score.f0} score in city {city.f0}",)
            context.clear_all_timers()

    def on_timer(self, score: OneNumber) -> Any:
        yield (f"no city found for score {score.f0}",)
        score.f0 = None


@out
class UpdatingJoinFunction(Text):
    def eval(
        self,
        score: Annotated[OneNumber, StateHint()],
        city: Annotated[OneText, StateHint()],
        scoreTable: Annotated[Row, CHANGES],
        cityTable: Annotated[Row, CHANGES],
    ) -> Any:
        did_match = score.f0 is not None and city.f0 is not None
        row = scoreTable if scoreTable is not None else cityTable
        is_there = row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER)
        if row.get_row_kind() is RowKind.DELETE and did_match:
            yield Row.of_kind(RowKind.DELETE, None)
        if scoreTable is not None:
            score.f0 = row.score if is_there else None
        else:
            city.f0 = row.city if is_there else None
        if score.f0 is not None and city.f0 is not None:
            yield Row.of_kind(RowKind.UPDATE_AFTER if did_match else RowKind.INSERT, f"score {score.f0} in city {city.f0}")

    def get_changelog_mode(self, changelog_context: Any) -> Any:
        return ChangelogMode.upsert().kinds


@out
class OrderByFunction(Text):
    def eval(self, context: ProcessContext, captured: Annotated[Texts, StateHint()], r: Annotated[Row, OPEN]) -> Any:
        captured.list.append(text(r))
        times = context.time_context(datetime)
        yield (of(times.current_watermark(), times.table_watermark(), times.time(), captured.list),)


@out
class MultiInputOrderByFunction(Text):
    def eval(
        self, context: ProcessContext, captured: Annotated[TwoTexts, StateHint()], in1: Annotated[Row, SET], in2: Annotated[Row, SET]
    ) -> Any:
        times = context.time_context(datetime)
        number, row, rows = (1, in1, captured.list1) if in1 is not None else (2, in2, captured.list2)
        rows.append(text(row))
        yield (of(f"in{number}", times.table_watermark(), times.time(), rows),)
