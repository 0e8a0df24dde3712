"""What a strategy may ask about the call it types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_common.expressions.expression import ResolvedExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass
from table_common.types.logical import LogicalType

__all__ = ["CallContext"]


@dataclass(frozen=True, slots=True)
class CallContext:
    """A call whose arguments are typed.

    ``is_group_windowed`` false and ``is_global_aggregate`` true mean an aggregate over all rows, whose result may be NULL because
    there may be no rows.
    """

    name: str
    arguments: Sequence[ResolvedExpression]
    argument_types: tuple[LogicalType, ...]
    is_global_aggregate: bool = False

    @classmethod
    def of(cls, name: str, arguments: Sequence[ResolvedExpression], *, is_global_aggregate: bool = False) -> CallContext:
        """Builds the context of a call from its arguments."""
        return cls(name, arguments, tuple(arg.output_type for arg in arguments), is_global_aggregate)

    def with_types(self, argument_types: Sequence[LogicalType]) -> CallContext:
        """Returns the context as it is after implicit casts."""
        return CallContext(self.name, self.arguments, tuple(argument_types), self.is_global_aggregate)

    def is_literal(self, position: int) -> bool:
        """Returns whether the argument is a constant (NULL too)."""
        return isinstance(self.arguments[position], ValueLiteralExpression)

    def literal(self, position: int) -> Any:
        """Returns the constant's value, or None if it is no constant or NULL."""
        argument = self.arguments[position]
        return argument.value if isinstance(argument, ValueLiteralExpression) else None
