"""Row-group pruning: filters for columnar readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_filter, to_arrow_type
from table_common.expressions import ResolvedExpression
from table_common.types import RowType
from table_runtime.formats.conditions import at_positions, referenced_names

__all__ = ["row_filter"]


def row_filter(filters: Sequence[ResolvedExpression], present: Mapping[str, pa.DataType], row_type: RowType) -> Any:
    """Returns Arrow's expression for the filters that a file with the columns ``present`` can evaluate, or None.

    Filters on columns whose type in the file differs from the declared one are not used, because the values are converted after reading.
    """
    if not filters:
        return None
    exact = {field.name for field in row_type.fields if present.get(field.name) == to_arrow_type(field.type)}
    positions = {name: index for index, name in enumerate(row_type.field_names)}
    usable = [at_positions(condition, positions) for condition in filters if referenced_names(condition) <= exact]
    return to_arrow_filter(usable, row_type)[0] if usable else None
