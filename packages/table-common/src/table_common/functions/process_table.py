"""``ProcessTableFunction``: a function of whole tables, with state and timers by key, and the hints of its parameters.

One walk of data, ``SELECT * FROM f(input => TABLE t PARTITION BY k, on_time => DESCRIPTOR(ts))``:

1. ``functions/extraction/process.py`` reads ``eval`` and ``on_timer`` at registration: the context, state entries, table and scalar arguments, the rows.
2. SQL and the Table API call ``resolution/process_table_function.py`` of table-api, which binds arguments by position or name, checks traits, and builds
   ``ProcessTableFunctionQueryOperation``: the function, its tables with their keys, orders and times, and the scalars.
3. ``plan/facts/process_table_function.py`` says what changes it reads and emits: traits say which ones it demands, ``get_changelog_mode`` which ones it gives.
4. ``table_runtime/process_table`` runs it: rows of all tables meet in ``ProcessTable``, a streaming operator over the keys of the partitions. Before a row, the
   timers fire whose time the watermark before the row has reached; then ``eval`` is called, and its rows are emitted behind the columns of the partition.
5. State entries are objects by slot of the key, written to snapshots as columns of their declared type; timers are rows of key, time and name.
6. In batch mode the rows are sorted by partition and time, and the same operator gets them partition by partition; timers fire at the end of a partition.
   On Spark it runs in shares by key (streaming), or over the sorted rows of a task (batch).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import timedelta
from enum import Enum
from typing import Any, ClassVar, Generic, TypeVar

from table_common.annotation import public_evolving
from table_common.data import RowKind
from table_common.exceptions import ValidationException
from table_common.functions.definition import FunctionKind
from table_common.functions.user_defined import UserDefinedFunction, _declared, undefined
from table_common.types.data_type import DataType
from table_common.types.logical import LogicalType

T = TypeVar("T")


@public_evolving
class ArgumentTrait(Enum):
    """What a parameter of a process table function takes.

    Source: Flink's ``org.apache.flink.table.annotation.ArgumentTrait``.

    Example:
        >>> ArgumentTrait("SUPPORT_UPDATES").is_of_table
        True
    """

    SCALAR = "SCALAR"
    ROW_SEMANTIC_TABLE = "ROW_SEMANTIC_TABLE"
    """A table, each of whose rows is processed alone: without PARTITION BY, state or timers."""
    SET_SEMANTIC_TABLE = "SET_SEMANTIC_TABLE"
    """A table whose rows of one partition are processed together, in order."""
    OPTIONAL_PARTITION_BY = "OPTIONAL_PARTITION_BY"
    """PARTITION BY may be left out: then all rows are one partition."""
    PASS_COLUMNS_THROUGH = "PASS_COLUMNS_THROUGH"
    """All columns of the row are put before those of the function, not only those of PARTITION BY."""
    SUPPORT_UPDATES = "SUPPORT_UPDATES"
    """The table may update and delete rows; ``Row.get_row_kind`` says what a row is."""
    REQUIRE_UPDATE_BEFORE = "REQUIRE_UPDATE_BEFORE"
    """Updates come as UPDATE_BEFORE and UPDATE_AFTER, also where the key of the partition would identify the row."""
    REQUIRE_FULL_DELETE = "REQUIRE_FULL_DELETE"
    """Deletions have all columns, also where the key would identify the row."""
    REQUIRE_ON_TIME = "REQUIRE_ON_TIME"
    """The call must have ``on_time``."""

    @property
    def is_of_table(self) -> bool:
        """Whether only parameters of tables have it."""
        return self is not ArgumentTrait.SCALAR


@public_evolving
class ArgumentHint:
    """Says what a parameter of a process table function takes: ``Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]``.

    Source: Flink's ``org.apache.flink.table.annotation.ArgumentHint``.

    Args:
        traits: what it takes; a scalar by default.
        type: the type of a scalar, where the annotation does not say it.
        is_optional: whether a table may be left out; its rows are then None.

    Raises:
        ValidationException: something is no ``ArgumentTrait``.

    Example:
        >>> ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)
        ArgumentHint(ROW_SEMANTIC_TABLE)
    """

    __slots__ = ("is_optional", "traits", "type")

    def __init__(self, *traits: ArgumentTrait, type: DataType | LogicalType | str | None = None, is_optional: bool = False) -> None:
        for trait in traits:
            if not isinstance(trait, ArgumentTrait):
                raise ValidationException(
                    f"ArgumentHint takes traits of ArgumentTrait, but got {trait!r}.",
                    hint=f"one of {', '.join(f'ArgumentTrait.{known.name}' for known in ArgumentTrait)}",
                )
        self.traits = frozenset(traits)
        self.type = type
        self.is_optional = is_optional

    def __repr__(self) -> str:
        return f"ArgumentHint({', '.join(sorted(trait.value for trait in self.traits))})"


@public_evolving
class StateHint:
    """Says that a parameter is state by key: ``Annotated[Total, StateHint()]``, ``Annotated[MapView[str, int], StateHint(ttl=timedelta(hours=1))]``.

    Source: Flink's ``org.apache.flink.table.annotation.StateHint``.

    Args:
        ttl: how long state is kept after the last call for its key; None: as the option ``table.exec.state.ttl`` says; 0: for ever.
        type: the type of a ``Row``: ``Annotated[Row, StateHint(type="ROW<n BIGINT>")]``.

    Raises:
        ValidationException: the time is negative or no ``timedelta``.

    Example:
        >>> StateHint(ttl=timedelta(hours=1)).ttl
        datetime.timedelta(seconds=3600)
    """

    __slots__ = ("ttl", "type")

    def __init__(self, ttl: timedelta | None = None, type: DataType | LogicalType | str | None = None) -> None:
        given: Any = ttl
        if given is not None and not (isinstance(given, timedelta) and given >= timedelta(0)):
            raise ValidationException(f"The ttl of StateHint is a timedelta of 0 or more, but got {ttl!r}.", hint="timedelta(hours=1)")
        self.ttl = ttl
        self.type = type


@public_evolving
class TimeContext(ABC, Generic[T]):
    """Event time in a call: numbers of milliseconds since 1970, or ``datetime`` as the column of ``on_time`` has.

    Source: Flink's ``org.apache.flink.table.functions.ProcessTableFunction.TimeContext``.

    Example:
        >>> sorted(TimeContext.__abstractmethods__)
        ['clear_all_timers', 'clear_timer', 'current_watermark', 'register_on_time', 'table_watermark', 'time']
    """

    @abstractmethod
    def time(self) -> T | None:
        """Returns the time of the row, or of the timer; None without ``on_time``."""

    @abstractmethod
    def current_watermark(self) -> T | None:
        """Returns the watermark of all tables; None before the first one. In batch mode it comes at the end of the partition."""

    @abstractmethod
    def table_watermark(self) -> T | None:
        """Returns the watermark of the table of the row; None for a timer. Of several tables it is that of all."""

    @abstractmethod
    def register_on_time(self, name_or_time: Any, time: Any = None) -> None:
        """Calls ``on_timer`` when the watermark reaches a time: ``register_on_time("timeout", time)``, or ``register_on_time(time)`` without a name.

        A named timer replaces the one of its name. A timer in the past fires with the next watermark.

        Raises:
            TableRuntimeException: this function, or this call, has no timers, or the time is no point in time.
        """

    @abstractmethod
    def clear_timer(self, name_or_time: Any) -> None:
        """Removes a timer by its name or its time; nothing happens if there is none."""

    @abstractmethod
    def clear_all_timers(self) -> None:
        """Removes all timers of the key."""


@public_evolving
class TableSemantics(ABC):
    """A table argument of a call.

    Source: Flink's ``org.apache.flink.table.functions.TableSemantics``.

    Example:
        >>> "partition_by_columns" in TableSemantics.__abstractmethods__
        True
    """

    @property
    @abstractmethod
    def data_type(self) -> LogicalType:
        """The type of its rows."""

    @property
    @abstractmethod
    def partition_by_columns(self) -> Sequence[int]:
        """The positions of the columns of PARTITION BY."""

    @property
    @abstractmethod
    def order_by_columns(self) -> Sequence[int]:
        """The positions of the columns of ORDER BY."""

    @property
    @abstractmethod
    def time_column(self) -> int:
        """The position of the column of ``on_time``; -1 without one."""

    @property
    @abstractmethod
    def changelog_mode(self) -> Any:
        """The kinds of rows that come, a ``ChangelogMode``."""


@public_evolving
class ProcessContext(ABC):
    """What ``eval`` gets as its first parameter, if it declares it: ``def eval(self, context: ProcessContext, …)``.

    Source: Flink's ``org.apache.flink.table.functions.ProcessTableFunction.Context``.

    Example:
        >>> "clear_all" in ProcessContext.__abstractmethods__
        True
    """

    @abstractmethod
    def time_context(self, kind: type[T]) -> TimeContext[T]:
        """Returns event time as ``int`` (milliseconds since 1970) or as ``datetime``.

        Raises:
            TableRuntimeException: the kind is neither.
        """

    @abstractmethod
    def table_semantics_for(self, argument: str) -> TableSemantics:
        """Returns a table argument of the call by its name.

        Raises:
            TableRuntimeException: there is no table of that name.
        """

    @property
    @abstractmethod
    def changelog_mode(self) -> Any:
        """The kinds of rows that the call may emit, a ``ChangelogMode``."""

    @abstractmethod
    def clear_state(self, name: str) -> None:
        """Clears a state entry of the key: the next call gets a new object, also if this call changes the one that it has.

        Raises:
            TableRuntimeException: there is no state of that name.
        """

    @abstractmethod
    def clear_all_state(self) -> None:
        """Clears all state of the key."""

    @abstractmethod
    def clear_all_timers(self) -> None:
        """Removes all timers of the key."""

    @abstractmethod
    def clear_all(self) -> None:
        """Clears all state of the key and removes its timers."""


@public_evolving
class OnTimerContext(ProcessContext):
    """What ``on_timer`` gets as its first parameter, if it declares it.

    Source: Flink's ``org.apache.flink.table.functions.ProcessTableFunction.OnTimerContext``.

    Example:
        >>> issubclass(OnTimerContext, ProcessContext)
        True
    """

    @property
    @abstractmethod
    def current_timer(self) -> str | None:
        """The name of the timer; None if it has none."""


@public_evolving
class ChangelogContext(ABC):
    """What ``get_changelog_mode`` decides by.

    Source: Flink's ``org.apache.flink.table.functions.ChangelogFunction.ChangelogContext``.

    Example:
        >>> sorted(ChangelogContext.__abstractmethods__)
        ['required_kinds', 'table_kinds']
    """

    @abstractmethod
    def table_kinds(self, argument: str) -> frozenset[RowKind]:
        """Returns the kinds of rows that a table argument has."""

    @property
    @abstractmethod
    def required_kinds(self) -> frozenset[RowKind]:
        """The kinds that the reader of the rows asks for: without UPDATE_BEFORE, an UPDATE_AFTER or DELETE replaces the row of the partition."""


@public_evolving
class ProcessTableFunction(UserDefinedFunction, Generic[T]):
    """Maps tables to a table: implement ``eval``, which is called for each row and yields rows, and optionally ``on_timer``.

    ``eval(self, context, state…, argument…)``: the context may be left out; a state entry has a ``StateHint`` and is an object that the function changes
    (a dataclass, ``Row``, ``ListView`` or ``MapView``); an argument is a table (``ArgumentHint``) or a scalar. Of several tables, the row of one is given and
    the others are None. ``on_timer(self, context, state…)`` takes the state entries that it names. The rows are of the type that ``-> Iterator[…]``,
    ``ProcessTableFunction[…]`` or ``function_hint(output=…)`` says.

    Source: Flink's ``org.apache.flink.table.functions.ProcessTableFunction``.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import Annotated
        >>> from collections.abc import Iterator
        >>> from table_common.data import Row
        >>> @dataclass
        ... class Seen:
        ...     count: int = 0
        >>> class Numbered(ProcessTableFunction[str]):
        ...     def eval(
        ...         self, seen: Annotated[Seen, StateHint()], row: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]
        ...     ) -> Iterator[str]:
        ...         seen.count += 1
        ...         yield f"{seen.count}: {row[0]}"
        >>> list(Numbered().eval(Seen(), Row("a")))
        ['1: a']
    """

    KIND = FunctionKind.PROCESS_TABLE
    Context: ClassVar[Any] = ProcessContext
    OnTimerContext: ClassVar[Any] = OnTimerContext
    TimeContext: ClassVar[Any] = TimeContext
    max_rows_per_call: int = 10_000_000
    """The number of rows of one call at which the job fails, so that a call that never ends is found."""

    @_declared
    def eval(self, *args: Any, **kwargs: Any) -> Any:
        """Yields the rows for a row of a table; without tables, all rows.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "eval")

    @_declared
    def on_timer(self, *args: Any, **kwargs: Any) -> Any:
        """Yields the rows for a timer.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "on_timer")

    @_declared
    def eval_batch(self, *args: Any, **kwargs: Any) -> Any:
        """Yields the rows for many rows of a table at once, each of another key: ``eval_batch(self, context, state…, table, scalar…)``.

        ``context`` is a ``ProcessBatchContext``, ``table`` a ``pyarrow.RecordBatch``; a state has a ``numpy`` array for each of its fields. Yields pairs of
        rows (indexes, or an array of booleans; None: all) and a tuple or dict of the columns for them. Define it in place of ``eval``.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "eval_batch")

    @_declared
    def on_timer_batch(self, *args: Any, **kwargs: Any) -> Any:
        """Yields the rows for timers of one name, each of another key, as ``eval_batch``: ``on_timer_batch(self, context, state…)``.

        Raises:
            ValidationException: the class does not define the method.
        """
        raise undefined(self, "on_timer_batch")

    def get_changelog_mode(self, changelog_context: ChangelogContext) -> Iterable[RowKind] | None:
        """Returns the kinds of rows that the function emits (``ChangelogMode.upsert().kinds``); None: insertions only."""
        return None
