"""Batches are evaluated in slices where functions make large values of small ones: a batch of them would fill any memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.functions import MAX_BATCH_SIZE
from table_common.functions.builtin import collections
from table_common.functions.builtin import strings as fn
from table_common.types import BinaryType, CharType
from table_runtime.expressions.program import Step

__all__ = ["Slices", "join_slices", "makes_large_values"]

_GROWING = frozenset((fn.REPEAT, fn.LPAD, fn.RPAD, fn.PRINTF, fn.REPLACE, fn.OVERLAY, fn.REGEXP_REPLACE))
_JOINING = frozenset((fn.CONCAT, fn.CONCAT_OP, fn.CONCAT_WS, collections.ARRAY_CONCAT))
_MANY_JOINS = 8
"""So many may double a value again and again."""
_LARGE_CONSTANT = 1000
"""Characters."""
_SLICE_SIZE = 32 << 20
"""Bytes that the values of a slice should have."""
_MOST_ROWS = 8192
_GROWTH = 64


def makes_large_values(steps: Sequence[Step]) -> bool:
    """Returns whether the values that some steps compute can be far larger than those of the batch."""
    joins = 0
    for step in steps:
        node = step.expression
        if isinstance(node, ValueLiteralExpression):
            if isinstance(node.value, (str, bytes)) and len(node.value) >= _LARGE_CONSTANT:
                return True
        elif isinstance(node, CallExpression):
            kind = node.output_type
            if node.function in _GROWING or (isinstance(kind, (CharType, BinaryType)) and kind.length >= _LARGE_CONSTANT):
                return True
            joins += node.function in _JOINING
    return joins >= _MANY_JOINS


class Slices:
    """Cuts batches so that the values of a slice have a bounded size; learns how many rows that are."""

    def __init__(self) -> None:
        self._rows = 1  # several threads may write it: any number is right

    def of(self, num_rows: int) -> Iterator[tuple[int, int]]:
        """Yields the first row and the number of rows of each slice; ``measured`` is to be called for each."""
        start = 0
        while start < num_rows:
            rows = min(self._rows, num_rows - start)
            yield start, rows
            start += rows

    def measured(self, rows: int, size: int) -> None:
        """Takes note of the bytes that the values of a slice had."""
        fitting = rows * _SLICE_SIZE // max(size, 1)
        self._rows = max(1, min(fitting, rows * _GROWTH, _MOST_ROWS))


def join_slices(slices: Iterable[Sequence[Any]]) -> list[Any]:
    """Returns the arrays of a batch of those of its slices.

    Raises:
        TableRuntimeException: the values together are too large; later slices are not computed then.
    """
    parts: list[Sequence[Any]] = []
    size = 0
    for arrays in slices:
        size += sum(array.nbytes for array in arrays)
        if size > MAX_BATCH_SIZE:
            raise TableRuntimeException(
                f"The values that expressions make of one batch of rows have more than {MAX_BATCH_SIZE:,} bytes together.",
                hint="Make shorter values, or use them where they are made: CHAR_LENGTH(LPAD(…)), say.",
            )
        parts.append(arrays)
    return [pa.concat_arrays(list(column)) for column in zip(*parts, strict=True)]
