"""Which types GROUP BY, DISTINCT, ORDER BY, PARTITION BY and set operations take as keys."""

from __future__ import annotations

from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import ResolvedExpression
from table_common.types import BitmapType, LogicalType, MapType, MultisetType, VariantType, types_in

_HINTS = {VariantType: "use JSON_STRING(…) of the value", BitmapType: "use BITMAP_CARDINALITY(…) or BITMAP_TO_STRING(…) of the value"}


_NEEDS_ORDER = ("GROUP BY", "ORDER BY", "PARTITION BY")
"""The clauses that need types with an order, as in Flink; DISTINCT and set operations only need equality."""


def check_key(clause: str, key: ResolvedExpression, position: SourcePosition | None = None) -> None:
    """Checks that rows can be grouped or ordered by an expression.

    Raises:
        ValidationException: its type is, or holds, a MAP, a MULTISET, a VARIANT or a BITMAP.
    """
    check_key_column(clause, str(key), key.output_type, position)


def check_key_column(clause: str, name: str, type_: LogicalType, position: SourcePosition | None = None) -> None:
    """Checks that rows can be grouped or ordered by a column.

    Raises:
        ValidationException: its type is, or holds, a MAP, a MULTISET, a VARIANT or a BITMAP.
    """
    # Equal maps may differ in the order of their entries, and equal variants in their number formats: a group has no single representative.
    # Differs from Flink: VARIANT and BITMAP are no keys of GROUP BY, and VARIANT none of DISTINCT, in streaming mode too. Flink refuses them in batch mode alone.
    refused: tuple[type[LogicalType], ...] = (MapType, MultisetType, VariantType)
    if clause in _NEEDS_ORDER:
        refused = (*refused, BitmapType)
    inner = next((part for part in types_in(type_) if isinstance(part, refused)), None)
    if inner is None:
        return
    raise ValidationException(
        f"{clause} cannot take {name}, which is of type {type_.summary()}.",
        position=position,
        hint=_HINTS.get(type(inner), "use the values of the keys"),
    )
