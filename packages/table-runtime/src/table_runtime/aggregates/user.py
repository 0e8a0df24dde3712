"""User aggregates as accumulators of the hash aggregation: the values of a group are kept as lists and handed over at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition, FunctionKind, UserFunction
from table_runtime.aggregates.accumulator import AggregateSpec
from table_runtime.aggregates.collect import Collecting
from table_runtime.udf.errors import call_failed
from table_runtime.udf.invocation import Invocation
from table_runtime.udf.rows import rows_of_result
from table_runtime.udf.rowwise import results_column
from table_runtime.udf.values import read_values
from table_runtime.udf.vectorised import as_pandas

__all__ = ["UserAggregate"]


class UserAggregate(Collecting):
    """Calls ``accumulate`` for the rows of each group and then ``get_value``, or ``emit_value``, whose rows come as a list."""

    ignores_nulls = False

    def __init__(self, definition: FunctionDefinition, spec: AggregateSpec) -> None:
        super().__init__(spec)
        assert isinstance(definition, UserFunction)
        self._invocation = Invocation(definition, spec.argument_types, spec.output_type)
        self._readers = self._invocation.readers()
        self._is_table = definition.kind is FunctionKind.TABLE_AGGREGATE

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> Any:
        # Without arguments only the number of rows counts, which some column must tell.
        return super().reductions(args or [pa.nulls(rows, pa.int8())], rows)

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        return super().state(reduced, args) if args else reduced

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        """Returns one result per group; ``lists`` has a column of lists per argument, or one that only counts.

        Raises:
            TableRuntimeException: A call failed or returned what was not declared.
        """
        with self._invocation.lock, self._invocation.in_use():
            results = [self.result(accumulator) for accumulator in self.accumulators(lists)]
        return results_column(self._invocation, results, [])

    def accumulators(self, lists: Sequence[pa.Array]) -> Iterator[Any]:
        """Yields the accumulator of each group; the function is used meanwhile, so the lock must be held."""
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
        values = [
            read_values(column, type_, convert, invocation.where(i))
            for i, (column, type_, convert) in enumerate(zip(columns, invocation.argument_types, self._readers, strict=True))
        ]
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
            except Exception as error:
                given = None if arguments is None else [arguments] if len(values) == 1 else list(arguments)
                raise call_failed(invocation.name, error, None, given, masked=invocation.masked) from error
            yield accumulator

    def _by_group(self, columns: list[pa.Array], counts: Sequence[int]) -> Iterator[Any]:
        """Calls ``accumulate`` once for each group, with its columns."""
        invocation = self._invocation
        function = invocation.function()
        convert: Callable[[Any], Any] = as_pandas if invocation.definition.func_type == "pandas" else lambda column: column
        end = 0
        for count in counts:
            start, end = end, end + count
            try:
                accumulator = function.create_accumulator()
                function.accumulate(accumulator, *(convert(column.slice(start, count)) for column in columns))
            except TableRuntimeException:
                raise
            except Exception as error:
                raise call_failed(invocation.name, error, None, None, masked=invocation.masked) from error
            yield accumulator

    def result(self, accumulator: Any) -> Any:
        """Returns what the function makes of an accumulator.

        Raises:
            TableRuntimeException: The call failed.
        """
        function = self._invocation.function()
        try:
            if self._is_table:
                return rows_of_result(function, function.emit_value(accumulator), self.spec.output_type)
            return function.get_value(accumulator)
        except TableRuntimeException:
            raise
        except Exception as error:
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
    """Returns the rows without NULL in the skipping columns, and how many of them each group has."""
    holding = [columns[i] for i in skipping if columns[i].null_count]
    if not holding:
        return columns, lengths.to_pylist()
    mask: Any = pc.is_valid(holding[0])
    for column in holding[1:]:
        mask = pc.and_(mask, pc.is_valid(column))
    zero = pa.array([0], pa.int64())
    kept = pa.concat_arrays([zero, pc.cumulative_sum(pc.cast(mask, pa.int64()))])
    ends = pa.concat_arrays([zero, pc.cumulative_sum(pc.cast(lengths, pa.int64()))])
    bounds = pc.take(kept, ends)
    counts = pc.subtract(bounds.slice(1), bounds.slice(0, len(bounds) - 1))
    return [pc.filter(column, mask) for column in columns], counts.to_pylist()
