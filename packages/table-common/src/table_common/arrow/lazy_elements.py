"""Registers with ``table_common.data`` what converts arrays of pyarrow; pyarrow is imported with the first array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from table_common.data.arrow_elements import ArrowElements, register_arrow_elements

if TYPE_CHECKING:
    import pyarrow as pa

    from table_common.data import TypeSerializer
    from table_common.types import LogicalType


def register_elements() -> None:
    """Registers the conversions of this package."""
    register_arrow_elements(ArrowElements(_from_arrow, _to_arrow))


def _from_arrow(array: pa.Array, element_type: LogicalType) -> list[Any]:
    from table_common.arrow.row_data_batch import elements_from_arrow

    return elements_from_arrow(array, element_type)


def _to_arrow(values: Sequence[Any], element_type: LogicalType, serializers: Mapping[str, TypeSerializer[Any]] | None) -> pa.Array:
    from table_common.arrow.row_data_batch import elements_to_arrow

    return elements_to_arrow(values, element_type, serializers)
