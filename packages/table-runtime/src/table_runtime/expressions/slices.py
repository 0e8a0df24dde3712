"""Evaluates batches in slices if functions such as REPEAT may return large values, so that a batch of them does not exhaust the memory."""

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
from table_runtime.columns.batches import BATCH_BYTES
from table_runtime.expressions.program import Instruction

_GROWING = frozenset((fn.REPEAT, fn.LPAD, fn.RPAD, fn.PRINTF, fn.REPLACE, fn.OVERLAY, fn.REGEXP_REPLACE))
_JOINING = frozenset((fn.CONCAT, fn.CONCAT_OP, fn.CONCAT_WS, collections.ARRAY_CONCAT))
_MANY_JOINS = 8
"""Calls that concatenate, from which on values may become large: each one may double its argument."""
_LARGE_CONSTANT = 1000
"""Characters of a constant that counts as large."""
_SLICE_SIZE = 32 << 20
"""Target size of the values of a slice, in bytes."""
_SLICES_IN_MEMORY = 64
"""A slice is at most this fraction of the memory, because values are several times larger as Python objects."""
_MOST_ROWS = 8192
_GROWTH = 64


def makes_large_values(steps: Sequence[Instruction]) -> bool:
    """Returns whether the steps may compute values that are much larger than the values of the batch."""
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
    """Splits batches into slices with values of a bounded size; the number of rows adapts to the measured sizes."""

    def __init__(self, memory: int | None) -> None:
        memory = memory_budget() if memory is None else memory
        self._size = min(_SLICE_SIZE, memory // _SLICES_IN_MEMORY)
        self.batch_size = min(BATCH_BYTES, memory // _SLICES_IN_MEMORY)
        """Minimum bytes of values per output batch, for callers that can split batches."""
        self.largest_batch = min(MAX_BATCH_SIZE, memory // 4)
        """Maximum bytes of the values of all slices of a batch."""
        self._rows = 1  # written by several threads without a lock: any value is valid

    def of(self, num_rows: int) -> Iterator[tuple[int, int]]:
        """Yields the first row and the number of rows of each slice; the caller calls ``measured`` after each."""
        start = 0
        while start < num_rows:
            rows = min(self._rows, num_rows - start)
            yield start, rows
            start += rows

    def measured(self, rows: int, size: int) -> None:
        """Adapts the rows per slice to the size of a slice's values, in bytes."""
        fitting = rows * self._size // max(size, 1)
        self._rows = max(1, min(fitting, rows * _GROWTH, _MOST_ROWS))


def join_slices(slices: Iterable[Sequence[Any]], largest: int) -> list[Any]:
    """Concatenates the arrays of the slices to the arrays of the batch.

    Raises:
        TableRuntimeException: the values exceed ``largest`` bytes; the remaining slices are not computed.
    """
    parts: list[Sequence[Any]] = []
    size = 0
    for arrays in slices:
        size += sum(array.nbytes for array in arrays)
        if size > largest:
            raise TableRuntimeException(
                f"The results of the expressions for one batch of rows exceed {largest:,} bytes.",
                hint="Return shorter values, for example CHAR_LENGTH(LPAD(…)) instead of LPAD(…), or raise 'table.exec.memory'.",
            )
        parts.append(arrays)
    return [pa.concat_arrays(list(column)) for column in zip(*parts, strict=True)]
