"""User aggregates as accumulators of the hash aggregation: the values of a group are kept as lists and handed over at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition, FunctionKind, UserFunction
from table_runtime.aggregates.accumulator import AggregateSpec
from table_runtime.aggregates.collecting import Collecting
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
        invocation = self._invocation
        lengths = pc.list_value_length(lists[0]).to_pylist()
        with invocation.lock:
            function = invocation.function()
            groups = self._vectorised_groups if invocation.definition.func_type != "general" else self._groups
            results: list[Any] = []
            arguments: list[Any] | None = None
            try:
                for accumulator, calls in groups(function, lists, lengths):
                    for arguments in calls:
                        function.accumulate(accumulator, *arguments)
                    arguments = None
                    results.append(self._result(function, accumulator))
            except TableRuntimeException:
                raise
            except Exception as error:
                raise call_failed(invocation.name, error, None, arguments, masked=invocation.masked) from error
        return results_column(invocation, results, [])

    def _result(self, function: Any, accumulator: Any) -> Any:
        if self._is_table:
            return rows_of_result(function, function.emit_value(accumulator), self.spec.output_type)
        return function.get_value(accumulator)

    def _groups(self, function: Any, lists: Sequence[pa.Array], lengths: Sequence[int]) -> Any:
        """Yields the accumulator and the arguments of each row, group by group."""
        invocation = self._invocation
        flat = [pc.list_flatten(column) for column in lists] if invocation.argument_types else []
        skipping = invocation.skipping
        values = [
            read_values(column, type_, convert, invocation.where(i))
            for i, (column, type_, convert) in enumerate(zip(flat, invocation.argument_types, self._readers, strict=False))
        ]
        rows = zip(*values, strict=True) if values else iter(() for _ in range(sum(lengths)))
        for length in lengths:
            group = [next(rows) for _ in range(length)]
            if skipping:
                group = [row for row in group if all(row[i] is not None for i in skipping)]
            yield function.create_accumulator(), group

    def _vectorised_groups(self, function: Any, lists: Sequence[pa.Array], lengths: Sequence[int]) -> Any:
        """Yields the accumulator and the group's columns as the arguments of one call."""
        flat = [pc.list_flatten(column) for column in lists] if self._invocation.argument_types else []
        convert: Callable[[Any], Any] = as_pandas if self._invocation.definition.func_type == "pandas" else lambda column: column
        start = 0
        for length in lengths:
            yield function.create_accumulator(), [[convert(column.slice(start, length)) for column in flat]]
            start += length

    @override
    def over_nothing(self) -> Any:
        with self._invocation.lock:
            function = self._invocation.function()
            if self._invocation.definition.func_type != "general":
                return None
            return self._result(function, function.create_accumulator())
