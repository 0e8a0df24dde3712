"""Batches are evaluated in slices where functions make large values of small ones: a batch of them would fill any memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.configuration import memory_budget
from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.functions import MAX_BATCH_SIZE
from table_common.functions.builtin import collections
from table_common.functions.builtin import strings as fn
from table_common.types import BinaryType, CharType
from table_runtime.batches import BATCH_BYTES
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
_SLICES_IN_MEMORY = 64
"""They are smaller where so many would not fit: as objects of Python values are several times as large."""
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

    def __init__(self, memory: int | None) -> None:
        memory = memory_budget() if memory is None else memory
        self._size = min(_SLICE_SIZE, memory // _SLICES_IN_MEMORY)
        self.batch_size = min(BATCH_BYTES, memory // 16)
        """From how many bytes on the values of some slices are a batch of their own, where a batch may be cut."""
        self.largest_batch = min(MAX_BATCH_SIZE, memory // 4)
        """How many bytes the values of the slices of a batch may have together."""
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
        fitting = rows * self._size // max(size, 1)
        self._rows = max(1, min(fitting, rows * _GROWTH, _MOST_ROWS))


def join_slices(slices: Iterable[Sequence[Any]], largest: int) -> list[Any]:
    """Returns the arrays of a batch of those of its slices.

    Raises:
        TableRuntimeException: the values together are too large; later slices are not computed then.
    """
    parts: list[Sequence[Any]] = []
    size = 0
    for arrays in slices:
        size += sum(array.nbytes for array in arrays)
        if size > largest:
            raise TableRuntimeException(
                f"The values that expressions make of one batch of rows have more than {largest:,} bytes together.",
                hint="Make shorter values, or use them where they are made: CHAR_LENGTH(LPAD(…)), say; or raise 'table.exec.memory'.",
            )
        parts.append(arrays)
    return [pa.concat_arrays(list(column)) for column in zip(*parts, strict=True)]
