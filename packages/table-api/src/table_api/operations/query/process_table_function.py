"""A call of a process table function: rows of tables, by partition, in; rows of the function out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, final

from table_api.operations.operation import QueryOperation
from table_api.operations.query.sort import SortOrder
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.connector import RowKind
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions import (
    ArgumentTrait,
    ChangelogContext,
    ProcessArgument,
    ProcessSignature,
    ProcessTableFunction,
    UserFunction,
)
from table_common.tree import Part
from table_common.types import LocalZonedTimestampType, LogicalType, RowType, StructuredType, TimestampType

ROWTIME = "rowtime"
"""The name of the column of times that ``on_time`` adds."""


@final
@dataclass(frozen=True, slots=True)
class TableArgument(Part):
    """How a call takes a table: the parameter, and columns of the table, whose references have its position as ``input_index``.

    ``name`` None: the parameter is no table; the function takes none and is called for the only row of a table without columns that count.
    """

    name: str | None
    partition_by: tuple[FieldReferenceExpression, ...] = ()
    order_by: tuple[SortOrder, ...] = ()
    time: FieldReferenceExpression | None = None

    def __str__(self) -> str:
        text = str(self.name)
        if self.partition_by:
            text += f" PARTITION BY {', '.join(map(str, self.partition_by))}"
        if self.order_by:
            text += f" ORDER BY {', '.join(map(str, self.order_by))}"
        return text


@dataclass(frozen=True, slots=True)
class ProcessTableFunctionQueryOperation(QueryOperation):
    """Yields the rows of a process table function, behind the columns of their partition and before their time.

    The columns are: of each table those of PARTITION BY, or all with PASS_COLUMNS_THROUGH; those of the function; with ``on_time`` the time, named
    ``rowtime``. A name that occurs before gets a number: ``name0``. ``scalars`` are the constant arguments that are no tables, in the order of the parameters.
    ``uid`` is the name of its state among versions of a statement.
    """

    function: UserFunction
    tables: tuple[QueryOperation, ...]
    arguments: tuple[TableArgument, ...]
    scalars: tuple[ResolvedExpression, ...] = ()
    uid: str | None = None

    def __post_init__(self) -> None:
        assert self.tables
        assert len(self.tables) == len(self.arguments)

    @property
    def signature(self) -> ProcessSignature:
        """How the function is called."""
        process = self.function.process
        assert process is not None
        return process

    def parameter_of(self, table: int) -> ProcessArgument | None:
        """Returns the parameter that takes a table; None if the function takes no table."""
        name = self.arguments[table].name
        return next((argument for argument in self.signature.tables if argument.name == name), None)

    def columns_through(self, table: int) -> tuple[int, ...]:
        """Returns the positions of the columns of a table that are put before those of the function."""
        parameter = self.parameter_of(table)
        if parameter is not None and ArgumentTrait.PASS_COLUMNS_THROUGH in parameter.traits:
            return tuple(range(len(self.tables[table].resolved_schema.columns)))
        return tuple(key.field_index for key in self.arguments[table].partition_by)

    @property
    def own_columns(self) -> Sequence[tuple[str, LogicalType]]:
        """The names and types of the columns of the function itself."""
        type_ = self.signature.output.type
        assert type_ is not None
        if isinstance(type_, (RowType, StructuredType)):
            return [(field.name, field.type) for field in type_.fields]
        return [("EXPR$0", type_)]

    @property
    def time_type(self) -> LogicalType | None:
        """The type of the column of times, which has milliseconds; None without ``on_time``."""
        times = [argument.time for argument in self.arguments if argument.time is not None]
        if not times:
            return None
        type_ = times[0].output_type
        if isinstance(type_, (TimestampType, LocalZonedTimestampType)) and type_.precision < 3:
            return replace(type_, precision=3)  # timers have times between those of rows
        return type_

    @property
    def is_single(self) -> bool:
        """Whether all rows are one partition, or each is treated alone: no table has PARTITION BY."""
        return not any(argument.partition_by for argument in self.arguments)

    @property
    def is_row_by_row(self) -> bool:
        """Whether each row is processed alone."""
        return not any(argument.is_set for argument in self.signature.tables)

    def emitted_kinds(self, context: ChangelogContext) -> frozenset[RowKind]:
        """Returns the kinds of rows that the function says it emits.

        Raises:
            ValidationException: they are no kinds of rows, or a table of rows alone has updates.
        """
        function = self.function.function
        assert isinstance(function, ProcessTableFunction)
        said = function.get_changelog_mode(context)
        if said is None:
            return frozenset({RowKind.INSERT})
        kinds = frozenset(getattr(said, "kinds", said))
        if not kinds or not all(isinstance(kind, RowKind) for kind in kinds):
            raise ValidationException(
                f"get_changelog_mode of {self.function.name} returns kinds of rows, but got {said!r}.",
                hint="return ChangelogMode.upsert().kinds",
            )
        if self.is_row_by_row and kinds - {RowKind.INSERT} and RowKind.UPDATE_BEFORE not in kinds:
            raise ValidationException(
                f"{self.function.name} emits updates or deletions by key, but its table has row semantics, which has no key of a partition.",
                hint="ArgumentTrait.SET_SEMANTIC_TABLE; or emit all kinds: ChangelogMode.all().kinds",
            )
        return kinds

    def kinds_over(self, kinds: frozenset[RowKind]) -> frozenset[RowKind]:
        """Returns the kinds of rows that the function emits if its tables have some kinds and its reader asks for them."""
        return self.emitted_kinds(_Assumed(kinds))

    @property
    def has_upserts(self) -> bool:
        """Whether its rows replace each other by the key of their partition, also for a reader that asks for the rows before updates."""
        kinds = self.kinds_over(frozenset(RowKind))
        return RowKind.UPDATE_AFTER in kinds and RowKind.UPDATE_BEFORE not in kinds

    def require_insertions(self) -> None:
        """Checks that the function only inserts rows, as batch mode needs.

        Raises:
            TableException: it emits other kinds of rows also where its tables only insert.
        """
        if self.kinds_over(frozenset({RowKind.INSERT})) != {RowKind.INSERT}:
            raise TableException(
                f"{self.function.name} emits updates or deletions, which tables of batch mode do not have.",
                hint="SET 'execution.runtime-mode' = 'streaming'; or return the kinds of changelog_context.required_kinds",
            )

    @override
    def _make_schema(self) -> ResolvedSchema:
        columns = [
            (table.resolved_schema.columns[position].name, table.resolved_schema.columns[position].data_type)
            for number, table in enumerate(self.tables)
            for position in self.columns_through(number)
        ]
        columns += self.own_columns
        if self.time_type is not None:
            columns.append((ROWTIME, self.time_type))
        taken: set[str] = set()
        named = []
        for name, type_ in columns:
            unique, number = name, 0
            while unique in taken:
                unique, number = f"{name}{number}", number + 1
            taken.add(unique)
            named.append(PhysicalColumn(unique, type_))
        return ResolvedSchema(tuple(named))

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "function", self.function.name
        yield "tables", [str(argument) for argument in self.arguments if argument.name is not None]
        if self.scalars:
            yield "scalars", [str(scalar) for scalar in self.scalars]
        times = [argument.time.name for argument in self.arguments if argument.time is not None]
        if times:
            yield "onTime", times
        if self.uid is not None:
            yield "uid", self.uid


class _Assumed(ChangelogContext):
    """All tables have some kinds of rows, and the reader asks for the same ones."""

    def __init__(self, kinds: frozenset[RowKind]) -> None:
        self._kinds = kinds

    @override
    def table_kinds(self, argument: str) -> frozenset[RowKind]:
        return self._kinds

    @property
    @override
    def required_kinds(self) -> frozenset[RowKind]:
        return self._kinds
