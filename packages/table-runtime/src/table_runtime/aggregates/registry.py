"""Looks up accumulators by function, in the file of this package that has the name of the function's family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module

from table_common.annotation import override
from table_common.exceptions import TableException
from table_common.functions import FunctionDefinition, FunctionKind
from table_common.functions.builtin import aggregates as fn
from table_common.functions.builtin import family_of, windows
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec

_OVER_ONLY = "it needs an OVER clause"

UNSUPPORTED: dict[FunctionDefinition, str] = {
    windows.ROW_NUMBER: _OVER_ONLY,
    windows.RANK: _OVER_ONLY,
    windows.DENSE_RANK: _OVER_ONLY,
    windows.NTILE: _OVER_ONLY,
    windows.PERCENT_RANK: _OVER_ONLY,
    windows.CUME_DIST: _OVER_ONLY,
    windows.LAG: _OVER_ONLY,
    windows.LEAD: _OVER_ONLY,
    fn.GROUPING: "it is computed from the grouping id when the query is converted",
    fn.GROUPING_ID: "it is computed from the grouping id when the query is converted",
    fn.GROUP_ID: "it is computed from the grouping id when the query is converted",
}
"""Aggregate functions without an accumulator, with the reason."""


class _Accumulators(Mapping[FunctionDefinition, Callable[[AggregateSpec], Accumulator]]):
    """The union of the tables of all files; a lookup imports the file of the function's family, iteration imports all."""

    @override
    def __getitem__(self, function: FunctionDefinition) -> Callable[[AggregateSpec], Accumulator]:
        family = family_of(function)
        if family is None or function.kind is not FunctionKind.AGGREGATE or function in UNSUPPORTED:
            raise KeyError(function)
        return _table(_file_of(function, family))[function]

    @override
    def __iter__(self) -> Iterator[FunctionDefinition]:
        from table_common.functions.builtin import FAMILIES, definitions_of  # few programs need all functions

        files = {
            _file_of(function, module.__name__.rpartition(".")[2]): None
            for module in FAMILIES
            for function in definitions_of(module)
            if function.kind is FunctionKind.AGGREGATE and function not in UNSUPPORTED
        }
        for file in files:
            yield from _table(file)

    @override
    def __len__(self) -> int:
        return sum(1 for _ in self)


def _file_of(function: FunctionDefinition, family: str) -> str:
    return function.aggregate_traits.family or family


def _table(file: str) -> AccumulatorTable:
    table: AccumulatorTable = import_module(f"table_runtime.aggregates.{file}").ACCUMULATORS
    return table


ACCUMULATORS: AccumulatorTable = _Accumulators()
"""Every built-in aggregate function that this engine computes from accumulators."""


def make_accumulator(function: FunctionDefinition, spec: AggregateSpec) -> Accumulator:
    """Returns the accumulator of a call.

    Raises:
        TableException: the function is not supported as an aggregate.
    """
    if function.is_user_defined:
        from table_runtime.aggregates.user import UserAggregate

        return UserAggregate(function, spec)
    make = ACCUMULATORS.get(function)
    if make is None:
        reason = UNSUPPORTED.get(function, "the embedded engine does not know it")
        raise TableException(f"The aggregate function {function.name} cannot be computed: {reason}.")
    return make(spec)
