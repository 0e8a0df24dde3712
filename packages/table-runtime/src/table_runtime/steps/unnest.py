"""UNNEST: joins each row with the elements of a collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates.lists import positions
from table_runtime.columns.batches import append_columns, concat_arrays, repeated_rows_at_once, take_batch
from table_runtime.steps.pipeline import Step


class Elements(Enum):
    """The columns that the elements of a collection become."""

    VALUES = "a column of the elements of a list"
    ROWS = "a column per field of the rows in a list"
    ENTRIES = "two columns for keys and values of a map"
    COUNTED = "a column of the keys of a map, each as often as its value says"
    COUNTED_ROWS = "the same for keys that are rows, a column per field"


class Unnest(Step):
    """Yields each row once per element, followed by the element's columns and, with ``with_ordinality``, its position from 1.

    ``collections`` yields slices of a batch with the column of their collections. A NULL collection is treated as empty: its row is
    dropped, or kept once with NULLs if ``keeps_empty``.
    """

    def __init__(
        self,
        schema: pa.Schema,
        collections: Callable[[pa.RecordBatch], Iterable[tuple[pa.RecordBatch, Sequence[pa.Array]]]],
        elements: Elements,
        *,
        with_ordinality: bool = False,
        keeps_empty: bool = False,
        needs_order: bool = False,
        text: str = "",
    ) -> None:
        super().__init__(schema, needs_order=needs_order)
        self._collections = collections
        self._elements = elements
        self._with_ordinality = with_ordinality
        self._keeps_empty = keeps_empty
        self._text = text

    @override
    def plan_line(self) -> str:
        return f"Unnest({self._text})"

    @override
    def apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
        for rows, (collection,) in self._collections(batch):
            yield from self._joined(rows, _as_list(collection), check)

    def _joined(self, batch: pa.RecordBatch, collection: pa.Array, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
        parents = pc.cast(pc.list_parent_indices(collection), pa.int64())
        elements = pc.list_flatten(collection)
        if self._elements in (Elements.COUNTED, Elements.COUNTED_ROWS):
            selected = _repeated(pc.struct_field(elements, [1]))
            parents, elements = pc.take(parents, selected), pc.take(pc.struct_field(elements, [0]), selected)
        ordinals = _ordinals(parents) if self._with_ordinality else None
        rows_without_elements = _rows_without_elements(parents, batch.num_rows) if self._keeps_empty else None
        size = repeated_rows_at_once(batch, len(parents))
        for start in range(0, len(parents), size):
            check()
            indices = parents.slice(start, size)
            columns = self._columns(elements.slice(start, size))
            if ordinals is not None:
                columns.append(ordinals.slice(start, size))
            yield append_columns(take_batch(batch, indices), columns, self.schema)
        if rows_without_elements is not None and len(rows_without_elements):
            rows = len(rows_without_elements)
            nulls = [pa.nulls(rows, self.schema.field(position).type) for position in range(batch.num_columns, len(self.schema))]
            yield append_columns(take_batch(batch, rows_without_elements), nulls, self.schema)

    def _columns(self, elements: pa.Array) -> list[pa.Array]:
        if self._elements in (Elements.VALUES, Elements.COUNTED):
            return [elements]
        return list(elements.flatten())


def _as_list(collection: pa.Array) -> pa.Array:
    if pa.types.is_map(collection.type):
        entry = pa.struct([pa.field("key", collection.type.key_type, False), pa.field("value", collection.type.item_type)])
        collection = collection.cast(pa.list_(entry))
    if collection.null_count:
        collection = pc.take(collection, positions(len(collection)))  # a NULL list may have elements in the child array
    return collection


def _repeated(counts: pa.Array) -> pa.Array:
    """Returns 0, 1, 2, …, each repeated as often as its count."""
    ends = pc.cumulative_sum(pc.cast(counts, pa.int64()))
    offsets = concat_arrays([pa.array([0], type=pa.int64()), ends], pa.int64())
    total = offsets[len(offsets) - 1].as_py()
    return pc.list_parent_indices(pa.LargeListArray.from_arrays(offsets, positions(total)))


def _ordinals(parents: pa.Array) -> pa.Array:
    """Returns the position of each element in its collection, from 1; ``parents`` is the row of each element, ascending."""
    numbers = positions(len(parents))
    if not len(parents):
        return pc.cast(numbers, pa.int32())
    is_first = concat_arrays([pa.array([True]), pc.not_equal(parents.slice(1), parents.slice(0, len(parents) - 1))], pa.bool_())
    starts = pc.fill_null_forward(pc.if_else(is_first, numbers, pa.scalar(None, pa.int64())))
    return pc.cast(pc.add(pc.subtract(numbers, starts), pa.scalar(1, pa.int64())), pa.int32())


def _rows_without_elements(parents: pa.Array, rows: int) -> pa.Array:
    """Returns the positions of the rows without elements."""
    numbers = positions(rows)
    return pc.filter(numbers, pc.invert(pc.is_in(numbers, value_set=parents)))
