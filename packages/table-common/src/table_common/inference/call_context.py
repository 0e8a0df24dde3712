"""The call that a strategy types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from table_common.frozen_dataclass import dataclass, replace
from table_common.types.logical import LogicalType

__all__ = ["Argument", "CallContext"]


class Argument(Protocol):
    """An argument of a call: a resolved expression; strategies use its class and type."""

    @property
    def output_type(self) -> LogicalType:
        """The type before casts."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """A call whose arguments are typed; ``literals`` are the values of those that are constants, NULL too, by position.

    ``is_global_aggregate``: an aggregate over all rows, whose result may be NULL because there may be no rows.

    Source: Flink's ``org.apache.flink.table.types.inference.CallContext``.

    Example:
        >>> from table_common.types import IntType
        >>> context = CallContext("ROUND", (), (IntType(), IntType()), literals={1: 2})
        >>> context.is_literal(0), context.literal(1)
        (False, 2)
    """

    name: str
    arguments: Sequence[Argument]
    argument_types: tuple[LogicalType, ...]
    literals: Mapping[int, Any]
    is_global_aggregate: bool = False

    def with_types(self, argument_types: Sequence[LogicalType]) -> CallContext:
        """Returns the context as it is after implicit casts."""
        return replace(self, argument_types=tuple(argument_types))

    def is_literal(self, position: int) -> bool:
        """Returns whether the argument is a constant (NULL too)."""
        return position in self.literals

    def literal(self, position: int) -> Any:
        """Returns the constant's value, or None if it is no constant or NULL."""
        return self.literals.get(position)
