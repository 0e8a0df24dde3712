"""Tests of process table functions without a job: rows and watermarks in; rows, state and timers out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from table_api.environment.table_environment import TableEnvironment
from table_api.environment_settings import EnvironmentSettings
from table_api.expressions import col, descriptor, lit
from table_api.operations import ProcessTableFunctionQueryOperation
from table_api.tables.partitioned_table import call_by_arguments
from table_common.annotation import public_evolving
from table_common.data import Row
from table_common.exceptions import TableException, ValidationException
from table_common.functions import as_user_function
from table_common.types import DataType, RowType, parse_logical_type

__all__ = ["ProcessTableFunctionHarness"]

_EPOCH = datetime(1970, 1, 1)


@public_evolving
class ProcessTableFunctionHarness:
    """Calls a process table function as the embedded engine does, step by step.

    Args:
        function: a class or an object of ``ProcessTableFunction``.
        tables: the row type of each table argument: ``{"click": "ROW<person STRING, ts TIMESTAMP(3)>"}``.
        partition_by: the columns of PARTITION BY, of all tables, or by table.
        order_by: the columns of ORDER BY, likewise.
        on_time: the column of ``on_time``.
        scalars: the other arguments by name.

    Raises:
        ValidationException: the function, or its call, is wrong.
        TableException: the embedded engine is not installed.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import Annotated
        >>> from table_api.udf import ArgumentHint, ArgumentTrait, ProcessTableFunction, StateHint
        >>> @dataclass
        ... class Seen:
        ...     count: int = 0
        >>> class Numbered(ProcessTableFunction[str]):
        ...     def eval(self, seen: Annotated[Seen, StateHint()], r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]):
        ...         seen.count += 1
        ...         yield f"{r.name} {seen.count}"
        >>> harness = ProcessTableFunctionHarness(Numbered, {"r": "ROW<name STRING>"}, partition_by=["name"])
        >>> harness.process(("Ann",), ("Bob",), ("Ann",))
        [Row(name='Ann', EXPR$0='Ann 1'), Row(name='Bob', EXPR$0='Bob 1'), Row(name='Ann', EXPR$0='Ann 2')]
        >>> harness.state("seen", "Ann")
        Seen(count=2)

    Source: the operator test harnesses of Flink's ``flink-streaming-java``.
    """

    def __init__(
        self,
        function: object,
        tables: Mapping[str, str | DataType] | None = None,
        *,
        partition_by: Sequence[str] | Mapping[str, Sequence[str]] = (),
        order_by: Sequence[str] | Mapping[str, Sequence[str]] = (),
        on_time: str | None = None,
        scalars: Mapping[str, object] | None = None,
    ) -> None:
        # Batch mode needs no time attribute in the tables, which here are row types alone.
        self._env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
        session = self._env.session
        arguments: list[Any] = []
        self._tables = list(tables or {})
        for name, type_ in (tables or {}).items():
            table: Any = self._env.from_elements([], _row_type(name, type_))
            keys, orders = _of(partition_by, name), _of(order_by, name)
            if keys:
                table = table.partition_by(*map(col, keys))
            if orders:
                if not keys:
                    raise ValidationException(f"The table '{name}' has order_by without partition_by.", hint="partition_by=[…]")
                table = table.order_by(*map(col, orders))
            arguments.append(table.as_argument(name))
        arguments += [lit(value).as_argument(name) for name, value in (scalars or {}).items()]
        if on_time is not None:
            arguments.append(descriptor(on_time).as_argument("on_time"))
        node = call_by_arguments(session, function, arguments)
        assert isinstance(node, ProcessTableFunctionQueryOperation)
        make = getattr(session.planner, "process_table_test_run", None)
        if make is None:
            raise TableException(f"The planner '{session.planner.name}' has no harness.", hint="install table-runtime[planner]")
        self._run = make(node)
        self._definition = as_user_function(function)

    def process(self, *rows: object, table: str | None = None) -> list[Row]:
        """Gives rows to the function and returns what it yields; ``table`` is the argument, the only one by default.

        Raises:
            ValidationException: there is no such table.
            TableRuntimeException: the function fails, or yields what it may not.
        """
        if not self._tables:
            return list(self._run.process(0, [(0,)]))
        name = self._tables[0] if table is None and len(self._tables) == 1 else table
        if name not in self._tables:
            raise ValidationException.unknown("Table", str(name), self._tables, where=self._definition.name)
        return list(self._run.process(self._run.position_of(name), rows))

    def advance(self, watermark: int | datetime) -> list[Row]:
        """Moves the watermark, in milliseconds since 1970 or as a ``datetime``; returns what timers, and rows that waited, yield."""
        return list(self._run.advance(watermark if isinstance(watermark, int) else _milliseconds(watermark)))

    def finish(self) -> list[Row]:
        """Ends the tables; returns what the function yields then."""
        return list(self._run.finish())

    def state(self, name: str, *key: object) -> Any:
        """Returns a state entry of a partition; None if it has none.

        Raises:
            ValidationException: the function has no state of that name.
        """
        assert self._definition.process is not None
        names = [entry.name for entry in self._definition.process.states]
        if name not in names:
            raise ValidationException.unknown("State", name, names, where=self._definition.name)
        return self._run.state(name, key)

    def timers(self, *key: object) -> list[tuple[str | None, int]]:
        """Returns the name (None without one) and the time, in milliseconds, of each timer of a partition, in the order in which they will fire."""
        return list(self._run.timers(key))

    def set_time(self, now: timedelta) -> None:
        """Sets the clock by which state expires, as the time since its start."""
        self._run.set_time(now // timedelta(milliseconds=1))

    def restore(self) -> None:
        """Writes state and timers as a checkpoint does, and continues with what is read from it."""
        self._run.restore()

    @property
    def watermark(self) -> int | None:
        """The watermark so far, in milliseconds since 1970; None before the first one."""
        found: int | None = self._run.watermark
        return found


def _row_type(name: str, type_: str | DataType) -> DataType:
    logical = parse_logical_type(type_) if isinstance(type_, str) else type_.logical_type
    if not isinstance(logical, RowType):
        raise ValidationException(f"The table '{name}' is declared as {logical.summary()}, which is no row.", hint="'ROW<a INT, b STRING>'")
    return DataType(logical)


def _of(columns: Sequence[str] | Mapping[str, Sequence[str]], table: str) -> Sequence[str]:
    return columns.get(table, ()) if isinstance(columns, Mapping) else columns


def _milliseconds(value: datetime) -> int:
    since = value.astimezone(UTC).replace(tzinfo=None) - _EPOCH if value.tzinfo is not None else value - _EPOCH
    return since // timedelta(milliseconds=1)
