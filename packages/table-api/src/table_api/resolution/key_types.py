"""Which types GROUP BY, DISTINCT, ORDER BY, PARTITION BY and set operations take as keys."""

from __future__ import annotations

from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import ResolvedExpression
from table_common.types import LogicalType, MapType, MultisetType, VariantType, types_in

__all__ = ["check_key", "check_key_column"]


def check_key(clause: str, key: ResolvedExpression, position: SourcePosition | None = None) -> None:
    """Checks that rows can be grouped or ordered by an expression.

    Raises:
        ValidationException: its type is, or holds, a MAP, a MULTISET or a VARIANT.
    """
    check_key_column(clause, str(key), key.output_type, position)


def check_key_column(clause: str, name: str, type_: LogicalType, position: SourcePosition | None = None) -> None:
    """The same as ``check_key`` for a column.

    Raises:
        ValidationException: its type is, or holds, a MAP, a MULTISET or a VARIANT.
    """
    # Equal maps may differ in the order of their entries, and equal variants in their number formats: a group has no single representative.
    inner = next((part for part in types_in(type_) if isinstance(part, (MapType, MultisetType, VariantType))), None)
    if inner is None:
        return
    raise ValidationException(
        f"{clause} cannot take {name}, which is of type {type_.summary()}.",
        position=position,
        hint="use JSON_STRING(…) of the value" if isinstance(inner, VariantType) else "use the values of the keys",
    )
