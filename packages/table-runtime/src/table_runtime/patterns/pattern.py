"""The specification of MATCH_RECOGNIZE, and its expressions with pattern variables resolved to positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.expressions import (
    ANY_VARIABLE,
    AfterMatch,
    MatchTime,
    PatternAggregate,
    PatternDefinition,
    PatternExpression,
    PatternVariable,
    ResolvedExpression,
    RowNavigation,
)
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_runtime.aggregates import AggregateSpec
from table_runtime.columns.ordering import SortKey

ANY = -1
"""Used as a variable: the rows of all variables."""
ABSENT = -2
"""Used as a variable: a variable that is not in the pattern and never has rows."""


@dataclass(frozen=True, slots=True)
class PatternSpec:
    """One MATCH_RECOGNIZE over rows of ``input_schema``; picklable.

    ``order_by`` begins with the time column. ``within`` is the exclusive maximum duration of a match in milliseconds, or None.
    ``output_schema`` has the partition keys and the measures.
    """

    input_schema: pa.Schema
    output_schema: pa.Schema
    partition_by: tuple[int, ...]
    order_by: tuple[SortKey, ...]
    variables: tuple[PatternVariable, ...]
    definitions: tuple[PatternDefinition, ...]
    measures: tuple[PatternExpression, ...]
    after_match: AfterMatch = AfterMatch.PAST_LAST_ROW
    after_match_variable: str | None = None
    within: int | None = None

    @property
    def time(self) -> int:
        """The position of the time column."""
        return self.order_by[0].column

    @property
    def sort_keys(self) -> list[SortKey]:
        """Sort keys: the partition keys, then the order keys."""
        return [*(SortKey(position) for position in self.partition_by), *self.order_by]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)


class Navigation(NamedTuple):
    """A column of one of a variable's rows, by offset from its first or last row; NULL if there is no such row."""

    variable: int
    column: int
    from_first: bool = False
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over the rows of a variable; ``args`` are expressions over the input's columns."""

    variable: int
    function: FunctionDefinition
    spec: AggregateSpec
    args: tuple[ResolvedExpression, ...] = ()


class Time(NamedTuple):
    """The value of a column in the match's last row as ``type``; without a column, the current time."""

    type: Any
    column: int | None = None


MatchValue = Navigation | Aggregate | Time


@dataclass(frozen=True, slots=True)
class MatchExpression:
    """An expression whose column at position i is ``values[i]``."""

    expression: ResolvedExpression
    values: tuple[MatchValue, ...] = ()


def to_match_expression(expression: PatternExpression, names: Sequence[str]) -> MatchExpression:
    """Returns the expression with variables replaced by their positions in ``names``."""

    def position(variable: str) -> int:
        if variable == ANY_VARIABLE:
            return ANY
        return names.index(variable) if variable in names else ABSENT

    def convert(value: RowNavigation | PatternAggregate | MatchTime) -> MatchValue:
        match value:
            case RowNavigation():
                return Navigation(position(value.variable), value.column.field_index, value.from_first, value.offset)
            case PatternAggregate():
                types = tuple(arg.output_type for arg in value.args)
                constants = tuple(constant.value for constant in value.constants)
                spec = AggregateSpec(value.function.name, types, value.output_type, constants)
                return Aggregate(position(value.variable), value.function, spec, value.args)
            case MatchTime():
                return Time(to_arrow_type(value.output_type), None if value.column is None else value.column.field_index)

    return MatchExpression(expression.expression, tuple(map(convert, expression.values)))
