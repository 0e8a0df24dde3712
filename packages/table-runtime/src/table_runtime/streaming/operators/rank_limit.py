"""Drops rows that cannot be among the first n of their partition, before a window sorts the remaining ones.

An operator of batch mode that keeps partitions in the state of streaming ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.batch.sort.order_text import order_text
from table_runtime.columns.batches import BATCH_ROWS, coalesce_batches
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator
from table_runtime.steps.filter import filter_batch
from table_runtime.streaming.changes.order_words import has_order_words, order_words
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots

_MOST = np.iinfo(np.int64).max
_PIECE = BATCH_ROWS // 8
"""The number of rows after which there are bounds at first."""
_FEW_SLOTS = 1 << 16
_TRIAL = 2 * BATCH_ROWS
"""The number of rows after which the operator gives up if most rows are the first ones of their partition."""


class RankLimit(Operator):
    """Yields the rows in their order without those before which ``count`` rows of their partition stand, as far as it knows at their time.

    Rows are compared by the first of ``orders``, whose column has order words or is a DECIMAL (see ``supports``). With ``keeps_ties`` a row that is equal to the last of
    the first rows stays; otherwise it stands behind that row. A NULL as order key always stays. Holds ``count`` numbers per partition.
    """

    def __init__(self, child: Operator, partition_by: Sequence[int], orders: Sequence[SortKey], count: int, *, keeps_ties: bool) -> None:
        super().__init__(child.schema, (child,))
        self._partition_by = tuple(partition_by)
        self._orders = tuple(orders)
        self._count = count
        is_decimal = pa.types.is_decimal128(child.schema.field(orders[0].column).type)
        self._keeps_ties = keeps_ties or len(orders) > 1 or is_decimal
        self._words = _decimal_words if is_decimal else order_words

    @staticmethod
    def supports(type_: pa.DataType) -> bool:
        """Whether rows can be compared by a column of this type."""
        return has_order_words(type_) or pa.types.is_decimal128(type_)

    @override
    def details(self) -> str:
        keys = ", ".join(self.schema.field(i).name for i in self._partition_by)
        partition = f"partitionBy=[{keys}], " if keys else ""
        return f"{partition}orderBy=[{order_text(self._orders, self.schema)}], fetch=[{self._count}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        source = coalesce_batches(self.inputs[0].batches(context), BATCH_ROWS)
        try:
            first = next(source, [])
            second = next(source, None)
            if second is None:  # few rows are sorted faster than they are looked at
                yield from first
                return
            partitions = _Partitions([self.schema.field(i).type for i in self._partition_by], self._count)
            rows = 0
            for run in chain((first, second), source):
                known, before = partitions.size, rows
                for batch in run:
                    # The first bounds soon leave few rows to sort.
                    size = _PIECE if rows < BATCH_ROWS else batch.num_rows
                    for start in range(0, batch.num_rows, max(size, 1)):
                        context.check()
                        yield self._remaining(batch.slice(start, size), partitions)
                    rows += batch.num_rows
                if rows >= _TRIAL and 2 * (partitions.size - known) > rows - before:
                    break
            yield from chain.from_iterable(source)
        finally:
            close_iterator(source)

    def _remaining(self, batch: pa.RecordBatch, partitions: _Partitions) -> pa.RecordBatch:
        key = self._orders[0]
        values = batch.column(key.column)
        words = self._words(values, key)
        slots = partitions.slots([batch.column(i) for i in self._partition_by], batch.num_rows)
        bounds = partitions.bounds.take(slots)
        stays = words <= bounds if self._keeps_ties else (words < bounds) | (bounds == _MOST)
        if values.null_count:
            is_null = np.asarray(values.is_null())
            partitions.add(slots[stays & ~is_null], words[stays & ~is_null])
            stays |= is_null
        else:
            partitions.add(slots[stays], words[stays])
        return filter_batch(batch, pa.array(stays))


def _decimal_words(values: pa.Array, key: SortKey) -> Integers:
    """Returns for each value a number: of two values with different numbers the one with the lesser number stands first.

    Values beyond 64 bits have the numbers of the least and the greatest value within. The numbers of NULLs mean nothing.
    """
    halves = np.frombuffer(values.buffers()[1], np.int64).reshape(-1, 2)[values.offset : values.offset + len(values)]
    low, high = halves[:, 0], halves[:, 1]
    words = np.where(high == low >> 63, low, np.where(high < 0, ~_MOST, _MOST))
    return words if key.ascending else ~words


class _Partitions:
    """The least order words of each partition, at most ``count`` of them, and the last of these as a bound where there are ``count``."""

    def __init__(self, types: Sequence[pa.DataType], count: int) -> None:
        self._keys = KeySlots(types) if types else None
        self._count = count
        self._slots: Slots = np.zeros(0, np.int64)
        self._words: Integers = np.zeros(0, np.int64)
        self._added: list[tuple[Slots, Integers]] = []
        self._waiting = 0
        self.bounds: Integers = np.full(1024, _MOST)

    @property
    def size(self) -> int:
        """The number of partitions."""
        return 1 if self._keys is None else self._keys.size

    def slots(self, columns: Sequence[pa.Array], rows: int) -> Slots:
        """Returns the number of each row's partition; it has a bound."""
        if self._keys is None:
            return np.zeros(rows, np.int64)
        slots = self._keys.find_or_insert(columns, rows)
        self.bounds = grown(self.bounds, self._keys.size, _MOST)
        return slots

    def add(self, slots: Slots, words: Integers) -> None:
        """Adds rows; the bounds follow when there are enough new ones."""
        self._added.append((slots, words))
        self._waiting += len(slots)
        if self._waiting > max(_PIECE, len(self._slots)) // 2:
            self._set_bounds()

    def _set_bounds(self) -> None:
        slots = np.concatenate([self._slots, *(slots for slots, _ in self._added)])
        words = np.concatenate([self._words, *(words for _, words in self._added)])
        self._added.clear()
        self._waiting = 0
        if self.size <= _FEW_SLOTS:  # 16 bits are sorted by their digits
            order = np.argsort(words)
            order = order[np.argsort(slots[order].astype(np.uint16), kind="stable")]
        else:
            order = np.lexsort((words, slots))
        slots, words = slots[order], words[order]
        starts = np.flatnonzero(np.concatenate([np.ones(min(len(slots), 1), np.bool_), slots[1:] != slots[:-1]]))
        ranks = np.arange(len(slots)) - np.repeat(starts, np.diff(starts, append=len(slots)))
        last = ranks == self._count - 1
        self.bounds[slots[last]] = words[last]
        kept = ranks < self._count
        self._slots, self._words = slots[kept], words[kept]
