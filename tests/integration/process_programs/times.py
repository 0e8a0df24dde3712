"""Functions of Flink's test programs with times and timers, written anew."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from process_programs.texts import (
    OPEN_TIMED,
    ROWS,
    SET,
    TIMED,
    Score,
    Text,
    of,
    out,
    text,
)

from table_api.udf import (
    ArgumentHint,
    ArgumentTrait,
    OnTimerContext,
    ProcessContext,
    StateHint,
)
from table_common.data import Row

_T = ArgumentTrait


@out
class RequiredTimeFunction(Text):
    def eval(self, r: Annotated[Row, ArgumentHint(_T.ROW_SEMANTIC_TABLE, _T.REQUIRE_ON_TIME)]) -> Any:
        yield (of(r),)


@out
class TimeConversionsFunction(Text):
    def eval(self, context: ProcessContext, r: Annotated[Row, ArgumentHint(_T.ROW_SEMANTIC_TABLE, _T.REQUIRE_ON_TIME)]) -> Any:
        numbers, times = context.time_context(int), context.time_context(datetime)

        def forms(number: int | None, time: datetime | None) -> str:
            local = None if time is None else time.replace(tzinfo=None)
            instant = None if local is None else local.replace(tzinfo=UTC)
            return f"(Long: {text(number)}, Instant: {text(instant)}, LocalDateTime: {text(local)})"

        time = forms(numbers.time(), times.time())
        yield (of(f"Time {time}, Watermark {forms(numbers.current_watermark(), times.current_watermark())}"),)


class Events(Text):
    """Says what happens to rows and timers."""

    @staticmethod
    def at(context: ProcessContext) -> str:
        times = context.time_context(int)
        return f"at time {text(times.time())} watermark {text(times.current_watermark())}"

    def row(self, context: ProcessContext, r: Row) -> tuple[str]:
        return (of(f"Processing input row {text(r)} {self.at(context)}"),)

    def fired(self, context: OnTimerContext) -> tuple[str]:
        return (of(f"Timer {text(context.current_timer)} fired {self.at(context)}"),)

    def set(self, context: ProcessContext, time: int, name: str | None = None) -> tuple[str]:
        said = of(f"Registering timer {f'{name} ' if name else ''}for {time} {self.at(context)}")
        times = context.time_context(int)
        if name is None:
            times.register_on_time(time)
        else:
            times.register_on_time(name, time)
        return (said,)

    def cleared(self, context: ProcessContext, timer: str | int) -> tuple[str]:
        context.time_context(int).clear_timer(timer)
        return (of(f"Clearing timer {timer} {self.at(context)}"),)

    def cleared_all(self, context: ProcessContext) -> tuple[str]:
        context.clear_all_timers()
        return (of(f"Clearing all timers {self.at(context)}"),)


LAST = (1 << 63) - 1


@out
class NamedTimersFunction(Events):
    def eval(self, context: ProcessContext, r: Annotated[Row, TIMED]) -> Any:
        yield self.row(context, r)
        if context.time_context(int).time() == 0:
            for number, time in enumerate([1, 2, 3, LAST, LAST], 1):
                yield self.set(context, time, f"timeout{number}")

    def on_timer(self, context: OnTimerContext) -> Any:
        yield self.fired(context)
        if context.current_timer == "timeout1":
            yield self.set(context, context.time_context(int).time() + 4, "timeout2")
            yield self.cleared(context, "timeout3")
        elif context.current_timer == "timeout2":
            yield self.cleared_all(context)


@out
class UnnamedTimersFunction(Events):
    def eval(self, context: ProcessContext, r: Annotated[Row, TIMED]) -> Any:
        yield self.row(context, r)
        if context.time_context(int).time() == 0:
            for time in (1, 2, LAST):
                yield self.set(context, time)

    def on_timer(self, context: OnTimerContext) -> Any:
        yield self.fired(context)
        time = context.time_context(int).time()
        if time == 1:
            yield self.set(context, time + 4)
            yield self.cleared(context, 2)
        elif time == 5:
            yield self.cleared_all(context)


@out
class LateTimersFunction(Events):
    def eval(self, context: ProcessContext, r: Annotated[Row, TIMED]) -> Any:
        yield self.row(context, r)
        if r.name == "Bob":
            yield self.set(context, 0, "bob")
            yield self.set(context, 0)
        else:
            yield self.set(context, 1, "alice")

    def on_timer(self, context: OnTimerContext) -> Any:
        yield self.fired(context)
        if context.current_timer == "alice":
            yield self.set(context, 0, "alice-again")


@out
class ScalarArgsTimeFunction(Text):
    def eval(self, context: ProcessContext) -> Any:
        times = context.time_context(int)
        yield (of(f"Time {text(times.time())} and watermark {text(times.current_watermark())}"),)


@out
class OptionalPartitionOnTimeFunction(Events):
    def eval(self, context: ProcessContext, r: Annotated[Row, OPEN_TIMED]) -> Any:
        yield self.row(context, r)
        if context.time_context(int).time() == 0:
            yield self.set(context, 1, "t")

    def on_timer(self, context: OnTimerContext) -> Any:
        yield self.fired(context)
        if context.current_timer == "t":
            yield self.set(context, context.time_context(int).time() + 1, "again")


@out
class OptionalOnTimeFunction(Events):
    def eval(self, context: ProcessContext, r: Annotated[Row, SET]) -> Any:
        yield self.row(context, r)
        watermark = context.time_context(int).current_watermark()
        yield self.set(context, 1 if watermark is None or watermark < 0 else watermark + 1, "t")

    def on_timer(self, context: OnTimerContext) -> Any:
        yield self.fired(context)


@out
class PojoStateTimeFunction(Events):
    def eval(self, context: ProcessContext, s: Annotated[Score, StateHint()], r: Annotated[Row, TIMED]) -> Any:
        yield (of(s, r),)
        if s.i is None:
            s.i = 1
            yield self.set(context, context.time_context(int).time() + 2, "t")
        else:
            s.i += 1

    def on_timer(self, context: OnTimerContext, s: Score) -> Any:
        yield self.fired(context)
        assert s.i is not None
        s.i *= 10


@out
class ChainedSendingFunction(Events):
    def eval(self, context: ProcessContext, r: Annotated[Row, OPEN_TIMED]) -> Any:
        yield self.row(context, r)
        yield self.set(context, context.time_context(int).time() + 1, "t")

    def on_timer(self, context: OnTimerContext) -> Any:
        yield self.fired(context)
        yield (of(context.time_context(int).time()),)


@out
class ChainedReceivingFunction(Events):
    def eval(self, context: ProcessContext, r: Annotated[Row, OPEN_TIMED]) -> Any:
        yield self.row(context, r)


@out
class InvalidRowSemanticTableTimersFunction(Text):
    def eval(self, context: ProcessContext, r: Annotated[Row, ROWS]) -> Any:
        context.time_context(int).register_on_time(42)


@out
class InvalidPassThroughTimersFunction(Text):
    def eval(
        self,
        context: ProcessContext,
        r: Annotated[Row, ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.PASS_COLUMNS_THROUGH, _T.REQUIRE_ON_TIME)],
    ) -> Any:
        context.time_context(int).register_on_time(42)
