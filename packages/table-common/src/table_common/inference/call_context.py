"""The call that a strategy types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from table_common.frozen_dataclass import dataclass, replace
from table_common.types.logical import LogicalType


def _unknown(position: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class CallContext:
    """A call as strategies see it: the types of its arguments, and what is known of their values, by position.

    ``literals``: the values of the arguments that are constants, NULL too. ``type_literals``: the arguments that are types.
    ``is_whole_days``: whether every value of an argument that is an interval is known to be a number of whole days.
    ``arguments``: the resolved expressions, for an engine that types its own functions; no strategy here looks at them.
    ``is_global_aggregate``: an aggregate over all rows, whose result may be NULL because there may be no rows.

    Source: Flink's ``org.apache.flink.table.types.inference.CallContext``.

    Example:
        >>> from table_common.types import IntType
        >>> context = CallContext("ROUND", (IntType(), IntType()), literals={1: 2})
        >>> context.is_literal(0), context.literal(1)
        (False, 2)
    """

    name: str
    argument_types: tuple[LogicalType, ...]
    literals: Mapping[int, Any]
    is_global_aggregate: bool = False
    type_literals: Set[int] = frozenset()
    is_whole_days: Callable[[int], bool] = _unknown
    arguments: Sequence[object] = ()

    def with_types(self, argument_types: Sequence[LogicalType]) -> CallContext:
        """Returns the context as it is after implicit casts."""
        return replace(self, argument_types=tuple(argument_types))

    def is_literal(self, position: int) -> bool:
        """Returns whether the argument is a constant (NULL too)."""
        return position in self.literals

    def literal(self, position: int) -> Any:
        """Returns the constant's value, or None if it is not a constant or NULL."""
        return self.literals.get(position)
