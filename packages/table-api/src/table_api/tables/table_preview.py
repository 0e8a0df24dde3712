"""The methods of ``Table`` for interactive work and for process table functions: selection with brackets, the first rows, counts, kept results and the display in notebooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import reduce
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from table_api.expressions import Expression, col
from table_api.operations import QueryOperation
from table_api.tables.table_description import TableDescription
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.table_result import TableResult
    from table_api.tables.partitioned_table import PartitionedTable, TableArgumentValue
    from table_common.catalog import Column

_SHOWN_WITHIN = timedelta(seconds=5)

P = ParamSpec("P")
R = TypeVar("R")


class ColumnOrMethod(Generic[P, R]):
    """A method that PyFlink's ``Table`` does not have: ``table.name`` is the method, or the column ``name`` of a table that has one, as in PyFlink."""

    def __init__(self, method: Callable[Concatenate[Any, P], R]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, table: Any, owner: type | None = None) -> Callable[P, R]:
        if table is None:
            return self._method  # type: ignore[return-value]  # the function itself, for help()
        if self._name in table.get_resolved_schema().column_names:
            return col(self._name)  # type: ignore[return-value]  # a column of that name goes first
        return self._method.__get__(table)  # type: ignore[no-any-return]


class TablePreview(TableDescription):
    """Shows what a query returns."""

    if TYPE_CHECKING:

        def select(self, *fields: Expression) -> Self: ...

        def filter(self, predicate: Expression) -> Self: ...

        def limit(self, fetch: int, offset: int = 0) -> Self: ...

        def offset(self, offset: int) -> Self: ...

        def union_all(self, right: Self) -> Self: ...

        def execute(self) -> TableResult: ...

        def _table(self, operation: QueryOperation) -> Self: ...

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._operation.resolved_schema.column_names)

    @overload
    def __getitem__(self, key: str) -> Expression: ...

    @overload
    def __getitem__(self, key: list[str] | tuple[str, ...] | Expression | slice) -> Self: ...

    def __getitem__(self, key: str | Sequence[str] | Expression | slice) -> Any:
        """Returns a column for its name, a table for a list of names, a condition or a slice of rows: ``t["a"]``, ``t[["a", "b"]]``, ``t[t["a"] > 1]``, ``t[:10]``.

        Raises:
            ValidationException: the table has no such column, or the slice counts from the end or has a step.
        """
        if isinstance(key, str):
            self._check_columns([key])
            return col(key)
        if isinstance(key, Expression):
            return self.filter(key)
        if isinstance(key, slice):
            return self._slice(key)
        if isinstance(key, (list, tuple)) and key and all(isinstance(name, str) for name in key):
            self._check_columns(key)
            return self.select(*map(col, key))
        raise ValidationException(
            f"A table has no item {key!r}.", hint="t['a'] is a column; t[['a', 'b']], t[t['a'] > 1] and t[:10] are tables"
        )

    # Without this, Python would iterate with t[0], t[1], …
    __iter__ = None

    @ColumnOrMethod
    def head(self, n: int = 5) -> Self:
        """Returns a table of ``n`` of its rows; without ORDER BY it is not defined which."""
        return self.limit(n)

    @ColumnOrMethod
    def count(self) -> int:
        """Runs the query and returns the number of its rows."""
        from table_api.expressions import lit

        counted = self.select(lit(1).count).execute().to_arrow(apply_changes=True)
        return int(counted.column(0)[0].as_py()) if counted.num_rows else 0

    @ColumnOrMethod
    def cache(self) -> Self:
        """Runs the query and returns a table of its rows, which are kept in this process: queries over it do not run the query again.

        Time attributes become plain timestamps. In streaming mode the table has the rows that remain after all changes. Spark receives the
        rows with the first query, as with ``from_arrow``.

        Raises:
            TableException: pyarrow is not installed, or the engine cannot run the plan.
            TableRuntimeException: the query failed.
        """
        from table_api.python_data.arrow_scan import operation_of_data

        return self._table(
            operation_of_data(self._session, self.execute().to_arrow(apply_changes=True), self._operation.resolved_schema.to_row_type())
        )

    @ColumnOrMethod
    def describe(self) -> Self:
        """Returns a table that summarizes this one, with a row per column: ``column``, ``type``, ``min``, ``max``, ``avg``, ``distinct``, ``nulls``, ``rows``.

        ``min`` and ``max`` are texts. They and ``distinct`` are NULL for types without an order, such as ARRAY, ``avg`` for types that are no numbers. In
        streaming mode the rows change while the table is read.

        Raises:
            ValidationException: the table has no columns.
        """
        columns = self._operation.resolved_schema.columns
        if not columns:
            raise ValidationException("A table without columns cannot be described.")
        return reduce(lambda one, other: one.union_all(other), [self.select(*_summary(column)) for column in columns])

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *filter(str.isidentifier, self.columns)})

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def _repr_html_(self) -> str:
        from table_api.table_result.html import SHOWN_ROWS, html_of_preview
        from table_api.table_result.preview import preview_of

        limited = self.limit(SHOWN_ROWS + 1)._operation
        return html_of_preview(preview_of(self._session.run_query(limited, timeout=_SHOWN_WITHIN), SHOWN_ROWS))

    def _check_columns(self, names: Sequence[str]) -> None:
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise ValidationException(f"The table has no column '{missing[0]}'. Its columns: {', '.join(self.columns)}.")

    def _slice(self, rows: slice) -> Self:
        start, stop = rows.start or 0, rows.stop
        if rows.step not in (None, 1) or start < 0 or (stop is not None and stop < 0):
            raise ValidationException(f"Rows cannot be selected with {rows}.", hint="t[:10] and t[10:20] are LIMIT and OFFSET")
        return self.offset(start) if stop is None else self.limit(max(stop - start, 0), start)

    # --- process table functions ---------------------------------------------------------------------------------------------

    def partition_by(self, *fields: Expression) -> PartitionedTable[Self]:
        """Returns the table partitioned by columns, for ``process`` of a function with set semantics.

        Raises:
            ValidationException: something is no column.
        """
        from table_api.tables.partitioned_table import PartitionedTable, partitioned  # few programs call such functions

        return PartitionedTable(self._session, partitioned(self._operation, fields), self._table)

    def process(self, function: object, *arguments: object) -> Self:
        """Returns the rows of a process table function for this table, which is the argument of its first table parameter.

        Args:
            function: a class or an object of ``ProcessTableFunction``, or the name of a registered one.
            arguments: the other arguments: expressions, Python values and tables; by position, or by name with ``as_argument``.

        Raises:
            ValidationException: an argument is missing, unknown or of the wrong kind.
        """
        from table_api.resolution.process_table_function import GivenTable
        from table_api.tables.partitioned_table import call_with_table

        return self._table(call_with_table(self._session, function, GivenTable(self._operation), arguments))

    def as_argument(self, name: str) -> TableArgumentValue:
        """Returns the table as the argument of a name, for ``from_call`` and ``process``."""
        from table_api.resolution.process_table_function import GivenTable
        from table_api.tables.partitioned_table import TableArgumentValue

        return TableArgumentValue(GivenTable(self._operation), self._session, name)


def _summary(column: Column) -> list[Expression]:
    """Returns the expressions of a row of ``describe``."""
    from table_api.expressions import lit, null_of
    from table_common.types import BooleanType, CharacterType, DataTypes, DateType, LocalZonedTimestampType, TimestampType, TimeType
    from table_common.types.logical import NUMERICS

    value = col(column.name)
    is_number = isinstance(column.data_type, NUMERICS)
    others = BooleanType, CharacterType, DateType, LocalZonedTimestampType, TimestampType, TimeType
    is_ordered = is_number or isinstance(column.data_type, others)
    text, number, count = DataTypes.STRING(), DataTypes.DOUBLE(), DataTypes.BIGINT()
    return [
        lit(column.name, text).alias("column"),
        lit(str(column.data_type.with_nullability(True)), text).alias("type"),
        (value.min.cast(text) if is_ordered else null_of(text)).alias("min"),
        (value.max.cast(text) if is_ordered else null_of(text)).alias("max"),
        (value.cast(number).avg if is_number else null_of(number)).alias("avg"),
        (value.count.distinct if is_ordered else null_of(count)).alias("distinct"),
        (lit(1).count - value.count).alias("nulls"),
        lit(1).count.alias("rows"),
    ]
