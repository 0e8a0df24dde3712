"""What the calls of a process table function get as their context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from table_common.annotation import override
from table_common.connector import ChangelogMode
from table_common.exceptions import TableRuntimeException
from table_common.functions import OnTimerContext, TableSemantics, TimeContext
from table_common.types import LocalZonedTimestampType, LogicalType
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.operators.process_table_spec import ProcessInput, ProcessSpec
from table_runtime.streaming.state.object_column import ObjectColumn
from table_runtime.streaming.state.timers import Timers

_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)
_MOST = 1 << 63


class CallContext(OnTimerContext):
    """The context of one call after the other of a run: ``slot``, ``row_time``, ``timer`` and ``watermark`` are those of the current one."""

    def __init__(self, spec: ProcessSpec, columns: Sequence[ObjectColumn], timers: Timers) -> None:
        self.slot = 0
        self.row_time: int | None = None
        self.timer: str | None = None
        self.is_timer = False
        self.watermark = NO_WATERMARK
        self._spec = spec
        self._columns = dict(zip((entry.name for entry in spec.signature.states), columns, strict=True))
        self._timers = timers
        self._has_timers = spec.has_timers
        self._tables: Mapping[str, TableSemantics] = {one.name: _Semantics(one) for one in spec.inputs if one.argument >= 0}
        is_local = isinstance(spec.time_type, LocalZonedTimestampType)
        self._times: Mapping[Any, TimeContext[Any]] = {
            int: _Time(self, _same, _same),
            datetime: _Time(self, lambda value: _datetime(value, is_local), _milliseconds),
        }

    @override
    def time_context(self, kind: type[Any]) -> TimeContext[Any]:
        found = self._times.get(kind)
        if found is None:
            raise TableRuntimeException(
                f"time_context of {self._spec.function.name} got {kind!r}.", hint="int (milliseconds since 1970) or datetime.datetime"
            )
        return found

    @override
    def table_semantics_for(self, argument: str) -> TableSemantics:
        found = self._tables.get(argument)
        if found is None:
            raise TableRuntimeException(
                f"{self._spec.function.name} has no table '{argument}'.", hint=f"its tables are {', '.join(self._tables) or 'none'}"
            )
        return found

    @property
    @override
    def changelog_mode(self) -> ChangelogMode:
        return self._spec.mode

    @property
    @override
    def current_timer(self) -> str | None:
        return self.timer

    @override
    def clear_state(self, name: str) -> None:
        column = self._columns.get(name)
        if column is None:
            raise TableRuntimeException(
                f"{self._spec.function.name} has no state '{name}'.", hint=f"its states are {', '.join(self._columns) or 'none'}"
            )
        column.values[self.slot] = None

    @override
    def clear_all_state(self) -> None:
        for column in self._columns.values():
            column.values[self.slot] = None

    @override
    def clear_all_timers(self) -> None:
        self._timers.remove_all(self.slot)

    @override
    def clear_all(self) -> None:
        self.clear_all_state()
        self.clear_all_timers()

    def set_timer(self, name: str | None, time: int) -> None:
        """Registers a timer of the key.

        Raises:
            TableRuntimeException: calls of the function have no timers.
        """
        if not self._has_timers:
            signature = self._spec.signature
            if not signature.has_timers:
                hint = "define on_timer"
            elif not self._spec.has_keys:
                hint = "a table with set semantics has timers by partition"
            else:
                hint = "PASS_COLUMNS_THROUGH needs a row for each result, which a timer has not"
            raise TableRuntimeException(
                f"Timers are not supported in the current PTF declaration: the function {self._spec.function.name} cannot register one.",
                hint=hint,
            )
        self._timers.set(self.slot, name, time)

    def remove_timer(self, key: str | int) -> None:
        """Removes a timer of the key by name, or by time."""
        self._timers.remove(self.slot, key)


class _Semantics(TableSemantics):
    def __init__(self, table: ProcessInput) -> None:
        self._table = table

    @property
    @override
    def data_type(self) -> LogicalType:
        return self._table.row_type.with_nullability(True)

    @property
    @override
    def partition_by_columns(self) -> Sequence[int]:
        return self._table.partition_by

    @property
    @override
    def order_by_columns(self) -> Sequence[int]:
        return [key.column for key in self._table.order_by]

    @property
    @override
    def time_column(self) -> int:
        return self._table.time

    @property
    @override
    def changelog_mode(self) -> ChangelogMode:
        return self._table.mode


class _Time(TimeContext[Any]):
    """Times of one class: ``given`` makes one of milliseconds, ``taken`` makes milliseconds of one."""

    def __init__(self, context: CallContext, given: Callable[[int], Any], taken: Callable[[Any], Any]) -> None:
        self._context = context
        self._given = given
        self._taken = taken
        self._is_number = taken is _same

    @override
    def time(self) -> Any:
        time = self._context.row_time
        return time if time is None or self._is_number else self._given(time)

    @override
    def current_watermark(self) -> Any:
        watermark = self._context.watermark
        return None if watermark == NO_WATERMARK else self._given(watermark)

    @override
    def table_watermark(self) -> Any:
        # Differs from Flink: of several tables, table_watermark is the watermark of all of them, as current_watermark. Flink keeps one for each.
        return None if self._context.is_timer else self.current_watermark()

    @override
    def register_on_time(self, name_or_time: Any, time: Any = None) -> None:
        if type(name_or_time) is str and type(time) is int and self._is_number and -_MOST < time < _MOST:
            self._context.set_timer(name_or_time, time)
            return
        name, at = (None, name_or_time) if time is None and not isinstance(name_or_time, str) else (name_or_time, time)
        if name is not None and not isinstance(name, str):
            raise _wrong("name of a timer", name, "a text")
        self._context.set_timer(name, self._milliseconds_of(at))

    @override
    def clear_timer(self, name_or_time: Any) -> None:
        self._context.remove_timer(name_or_time if isinstance(name_or_time, str) else self._milliseconds_of(name_or_time))

    @override
    def clear_all_timers(self) -> None:
        self._context.clear_all_timers()

    def _milliseconds_of(self, time: Any) -> int:
        at = self._taken(time)
        if type(at) is not int or not -_MOST < at < _MOST:
            raise _wrong(
                "time of a timer", time, "milliseconds since 1970 with time_context(int), or a datetime with time_context(datetime)"
            )
        return at


def _wrong(what: str, value: object, accepted: str) -> TableRuntimeException:
    return TableRuntimeException(f"The {what} is {accepted}, but got {value!r}.")


def _same(value: Any) -> Any:
    return value


def _datetime(milliseconds: int, is_local: bool) -> datetime:
    try:
        value = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        value = datetime.max if milliseconds > 0 else datetime.min
    return value.replace(tzinfo=UTC) if is_local else value


def _milliseconds(value: Any) -> Any:
    if not isinstance(value, datetime):
        return value if not isinstance(value, int) else None
    return (value.astimezone(UTC).replace(tzinfo=None) - _EPOCH if value.tzinfo is not None else value - _EPOCH) // _MILLISECOND
