"""Order keys as Python values that compare as ORDER BY does."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.ordering import SortKey, compare_nested
from table_runtime.columns.plain_types import to_plain
from table_runtime.streaming.changes.order_words import has_order_words, order_words


class Comparable(Hashable, Protocol):
    """A value with an order."""

    def __lt__(self, other: Any, /) -> bool: ...


def sort_keys(rows: pa.RecordBatch, keys: Sequence[SortKey]) -> list[Comparable]:
    """Returns for each row a value; of two rows the one with the lesser value stands first. NaN is the greatest number."""
    columns = [_column(rows.column(key.column), key) for key in keys]
    if len(columns) == 1:
        return columns[0]
    return list(zip(*columns, strict=True)) if columns else [()] * rows.num_rows


def _column(values: pa.Array, key: SortKey) -> list[Comparable]:
    type_ = values.type
    if has_order_words(type_):
        words: list[Comparable] = order_words(values, key).tolist()
        if values.null_count:
            null = -math.inf if key.nulls_first else math.inf
            words = [word if is_valid else null for word, is_valid in zip(words, values.is_valid().to_pylist(), strict=True)]
        return words
    if pa.types.is_nested(type_):
        values = to_plain(values)
    if pa.types.is_duration(type_):
        values = values.view(pa.int64())
    numeric = pa.types.is_integer(values.type) or pa.types.is_boolean(type_) or pa.types.is_decimal(type_)
    is_nested = pa.types.is_nested(type_)
    nothing = (0 if key.nulls_first else 2,)
    result: list[Any] = []
    for value in values.to_pylist():
        if value is None:
            result.append(nothing)
        elif is_nested:
            result.append((1, _Nested(value) if key.ascending else _Reversed(_Nested(value))))
        elif numeric:
            result.append((1, value if key.ascending else -value))
        else:
            result.append((1, value if key.ascending else _Reversed(value)))
    return result


class _Nested:
    """A row, an array or a map, which compares element by element."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Nested) and not compare_nested(self.value, other.value)

    @override
    def __hash__(self) -> int:
        return 0  # equal values may be written differently, as 0.0 and -0.0 are

    def __lt__(self, other: _Nested) -> bool:
        return compare_nested(self.value, other.value) < 0


class _Reversed:
    """A value in descending order."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and self.value == other.value

    @override
    def __hash__(self) -> int:
        return hash(self.value)

    def __lt__(self, other: _Reversed) -> bool:
        return bool(other.value < self.value)
