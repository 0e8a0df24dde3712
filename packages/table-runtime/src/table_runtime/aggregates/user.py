"""User-defined aggregates: the values of a group are collected in lists and passed to the function at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition, FunctionKind, UserFunction
from table_runtime.aggregates.accumulator import AggregateSpec
from table_runtime.aggregates.collect import Collecting
from table_runtime.udf.errors import RAISED, call_failed
from table_runtime.udf.invocation import Invocation
from table_runtime.udf.pandas_values import as_pandas, value_of_pandas
from table_runtime.udf.rows import rows_of_result
from table_runtime.udf.rowwise import results_column
from table_runtime.udf.values import read_values

NO_ROWS = object()
"""The accumulator of a function of columns for a group without rows: it is not called, and its result is NULL."""


class UserAggregate(Collecting):
    """Calls ``accumulate`` for the rows of each group, then ``get_value``, or ``emit_value``, whose rows are returned as a list."""

    is_user_defined = True
    ignores_nulls = False

    def __init__(self, definition: FunctionDefinition, spec: AggregateSpec) -> None:
        super().__init__(spec)
        assert isinstance(definition, UserFunction)
        self._invocation = Invocation(definition, spec.argument_types, spec.output_type)
        self._readers = self._invocation.readers()
        self._is_table = definition.kind is FunctionKind.TABLE_AGGREGATE

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_readers": None}

    def __setstate__(self, content: dict[str, Any]) -> None:
        self.__dict__.update(content)
        self._readers = self._invocation.readers()

    @property
    def invocation(self) -> Invocation:
        """The call."""
        return self._invocation

    @property
    def keeps_accumulators(self) -> bool:
        """Whether ``accumulate`` is called for each row, so that an accumulator can be kept between batches."""
        return self._invocation.definition.func_type == "general"

    def arguments(self, columns: Sequence[pa.Array]) -> list[list[Any]]:
        """Returns the values of each argument column, as the function takes them."""
        return [
            read_values(column, type_, convert, self._invocation.where(i))
            for i, (column, type_, convert) in enumerate(zip(columns, self._invocation.argument_types, self._readers, strict=True))
        ]

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> Any:
        # Without arguments, a column of NULLs carries the number of rows.
        return super().reductions(args or [pa.nulls(rows, pa.int8())], rows)

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        return super().state(reduced, args) if args else reduced

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        """Returns one result per group.

        ``lists`` has one list column per argument; without arguments it has one whose lengths are the row counts.

        Raises:
            TableRuntimeException: a call failed or returned a value of another type than declared.
        """
        with self._invocation.lock, self._invocation.in_use():
            results = [self.result(accumulator) for accumulator in self.accumulators(lists)]
        return results_column(self._invocation, results, [])

    def accumulators(self, lists: Sequence[pa.Array]) -> Iterator[Any]:
        """Yields the accumulator of each group; the caller holds the lock, because the function is called meanwhile."""
        lengths = pc.list_value_length(lists[0])
        columns = [pc.list_flatten(column) for column in lists] if self._invocation.argument_types else []
        if self._invocation.definition.func_type == "general":
            return self._by_row(columns, lengths)
        return self._by_group(columns, lengths.to_pylist())

    def _by_row(self, columns: list[pa.Array], lengths: pa.Array) -> Iterator[Any]:
        """Calls ``accumulate`` for each row, group by group."""
        invocation = self._invocation
        function = invocation.function()
        columns, counts = _without_nulls(columns, lengths, invocation.skipping)
        values = self.arguments(columns)
        arguments: Any = None
        create, accumulate = function.create_accumulator, function.accumulate
        end = 0
        for count in counts:
            start, end = end, end + count
            try:
                accumulator = create()
                if len(values) == 1:
                    for value in values[0][start:end]:
                        arguments = value
                        accumulate(accumulator, value)
                elif values:
                    for arguments in zip(*(column[start:end] for column in values), strict=True):
                        accumulate(accumulator, *arguments)
                else:
                    for _ in range(count):
                        accumulate(accumulator)
            except TableRuntimeException:
                raise
            except RAISED as error:
                failed_arguments = None if arguments is None else [arguments] if len(values) == 1 else list(arguments)
                raise call_failed(invocation.name, error, None, failed_arguments, masked=invocation.masked) from error
            yield accumulator

    def _by_group(self, columns: list[pa.Array], counts: Sequence[int]) -> Iterator[Any]:
        """Calls ``accumulate`` once for each group, with its columns."""
        invocation = self._invocation
        function = invocation.function()
        is_pandas = invocation.definition.func_type == "pandas"
        end = 0
        for count in counts:
            start, end = end, end + count
            if not count:
                yield NO_ROWS
                continue
            try:
                accumulator = function.create_accumulator()
                group = [column.slice(start, count) for column in columns]
                if is_pandas:
                    group = [as_pandas(column, invocation.where(position)) for position, column in enumerate(group)]
                function.accumulate(accumulator, *group)
            except TableRuntimeException:
                raise
            except RAISED as error:
                raise call_failed(invocation.name, error, None, None, masked=invocation.masked) from error
            yield accumulator

    def result(self, accumulator: Any) -> Any:
        """Returns the result of the function for an accumulator.

        Raises:
            TableRuntimeException: the call failed.
        """
        if accumulator is NO_ROWS:
            return [] if self._is_table else None
        function = self._invocation.function()
        try:
            if self._is_table:
                return rows_of_result(function, function.emit_value(accumulator), self.spec.output_type)
            value = function.get_value(accumulator)
            return value_of_pandas(value, self.spec.output_type) if self._invocation.definition.func_type == "pandas" else value
        except TableRuntimeException:
            raise
        except RAISED as error:
            name = f"{self._invocation.name}.{'emit_value' if self._is_table else 'get_value'}"
            raise call_failed(name, error, None, None, masked=self._invocation.masked) from error

    @override
    def over_nothing(self) -> Any:
        with self._invocation.lock, self._invocation.in_use():
            function = self._invocation.function()
            if self._invocation.definition.func_type != "general":
                return None
            return self.result(function.create_accumulator())


def _without_nulls(columns: list[pa.Array], lengths: pa.Array, skipping: Sequence[int]) -> tuple[list[pa.Array], list[int]]:
    """Returns the rows without NULL in the columns ``skipping``, and the number of these rows per group."""
    columns_with_nulls = [columns[i] for i in skipping if columns[i].null_count]
    if not columns_with_nulls:
        return columns, lengths.to_pylist()
    mask: Any = pc.is_valid(columns_with_nulls[0])
    for column in columns_with_nulls[1:]:
        mask = pc.and_(mask, pc.is_valid(column))
    zero = pa.array([0], pa.int64())
    rows_before = pa.concat_arrays([zero, pc.cumulative_sum(pc.cast(mask, pa.int64()))])
    ends = pa.concat_arrays([zero, pc.cumulative_sum(pc.cast(lengths, pa.int64()))])
    bounds = pc.take(rows_before, ends)
    counts = pc.subtract(bounds.slice(1), bounds.slice(0, len(bounds) - 1))
    return [pc.filter(column, mask) for column in columns], counts.to_pylist()
