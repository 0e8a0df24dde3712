"""Buffered rows of a sink, grouped by the folder of their partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.connector import FileSinkProvider
from table_runtime.columns.batches import BATCH_ROWS, make_batch, take_arrays
from table_runtime.files import partition_folder
from table_runtime.formats.text.values import to_text


class PartitionBuffer:
    """Buffers rows of the consumed type until they are a batch of their partition.

    Returns them by partition, without the partition columns, in the order of the input. Changes keep their row kind as last column.
    """

    def __init__(self, provider: FileSinkProvider) -> None:
        fields = provider.consumed_type.fields
        self._names = provider.partition_keys
        self._default_name = provider.partition_default_name
        self._keys = [provider.consumed_type.field_names.index(key) for key in self._names]
        self._types = [fields[index].type for index in self._keys]
        self._parts: dict[str, list[pa.RecordBatch]] = {}
        self._sizes: dict[str, list[int]] = {}
        """The number of rows of each folder, and their size in bytes."""

    @property
    def nbytes(self) -> int:
        """The size of the buffered rows in bytes."""
        return sum(size[1] for size in self._sizes.values())

    def add(self, batch: pa.RecordBatch) -> list[tuple[str, pa.RecordBatch]]:
        """Adds rows; removes and returns those of partitions that have enough for a batch, as (folder, rows)."""
        if not batch.num_rows:
            return []
        groups, folders = self._groups(batch)
        others = [index for index in range(batch.num_columns) if index not in self._keys]
        schema = pa.schema([batch.schema.field(index) for index in others])
        columns = [batch.column(index) for index in others]
        if groups is None:
            return self._append(folders[0], make_batch(columns, schema, batch.num_rows))
        columns = take_arrays(columns, pc.array_sort_indices(groups))  # a stable sort
        counts = pc.value_counts(groups)
        sizes = dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
        start, full = 0, []
        for number, folder in enumerate(folders):
            size = sizes[number]
            full += self._append(folder, make_batch([column.slice(start, size) for column in columns], schema, size))
            start += size
        return full

    def take(self, share: float = 1.0) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Removes the largest partitions, until at least ``share`` of the rows are removed, and yields (folder, rows) of each."""
        rows_of = {folder: size[0] for folder, size in self._sizes.items()}
        total, rows = sum(rows_of.values()), 0
        selected: set[str] = set()
        for folder in sorted(rows_of, key=lambda folder: -rows_of[folder]):
            if rows >= share * total:
                break
            selected.add(folder)
            rows += rows_of[folder]
        taken = {folder: parts for folder, parts in self._parts.items() if folder in selected}
        # What remains is copied, because its rows are slices, which keep the whole batches that they came with.
        self._parts = {folder: [_joined(parts)] for folder, parts in self._parts.items() if folder not in selected}
        self._sizes = {folder: [parts[0].num_rows, parts[0].nbytes] for folder, parts in self._parts.items()}
        for folder, parts in taken.items():
            yield folder, _joined(parts)

    def _append(self, folder: str, rows: pa.RecordBatch) -> list[tuple[str, pa.RecordBatch]]:
        parts, size = self._parts.setdefault(folder, []), self._sizes.setdefault(folder, [0, 0])
        parts.append(rows)
        size[0] += rows.num_rows
        size[1] += rows.nbytes
        if 2 * size[0] < BATCH_ROWS:
            return []
        del self._parts[folder], self._sizes[folder]
        return [(folder, _joined(parts) if len(parts) > 1 else rows)]

    def _groups(self, batch: pa.RecordBatch) -> tuple[pa.Array | None, list[str]]:
        """Returns the number of each row's folder, None if there is one folder, and the folders; there is a row for each."""
        groups = None
        values: list[tuple[str | None, ...]] = [()]
        for index, type_ in zip(self._keys, self._types, strict=True):
            column = batch.column(index)
            if _is_constant(column):  # as the day often is
                (text,) = to_text(column[:1], type_).to_pylist()
                values = [(*value, text) for value in values]
                continue
            distinct, indices = _encoded(column)
            texts = [*to_text(distinct, type_).to_pylist(), None]
            codes = pc.fill_null(indices, len(texts) - 1)
            combined = pc.dictionary_encode(codes if groups is None else pc.add(pc.multiply(groups, len(texts)), codes))
            values = [(*values[pair // len(texts)], texts[pair % len(texts)]) for pair in combined.dictionary.to_pylist()]
            groups = pc.cast(combined.indices, pa.int64())
        # NULL and the empty text are in the same folder.
        folders: dict[str, int] = {}
        numbers = [folders.setdefault(partition_folder(self._names, texts, self._default_name), len(folders)) for texts in values]
        return pc.take(pa.array(numbers, type=pa.int64()), groups) if len(folders) > 1 else None, list(folders)


def _is_constant(column: pa.Array) -> bool:
    """Returns whether all values are equal and none is NULL; False for floating-point numbers, of which two may be equal and have other texts."""
    if column.null_count or pa.types.is_floating(column.type) or not column[0].equals(column[-1]):
        return False
    return bool(pc.all(pc.equal(column, column[0])).as_py())


def _encoded(column: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Returns the distinct values and the position of each row's value; NULL for NULL."""
    if pa.types.is_string(column.type):
        runs = pc.run_end_encode(column)
        if 4 * len(runs.values) < len(column):  # texts that often repeat, such as those of days, are not hashed for each row
            encoded = pc.dictionary_encode(runs.values)
            indices = pa.RunEndEncodedArray.from_arrays(runs.run_ends, pc.cast(encoded.indices, pa.int64()))
            return encoded.dictionary, pc.run_end_decode(indices)
    encoded = pc.dictionary_encode(column)
    return encoded.dictionary, pc.cast(encoded.indices, pa.int64())


def _joined(parts: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Returns the rows as one batch that does not keep more than them."""
    if len(parts) == 1 and parts[0].get_total_buffer_size() <= 2 * parts[0].nbytes:
        return parts[0]
    schema = parts[0].schema
    columns = [pa.concat_arrays([part.column(index) for part in parts]) for index in range(len(schema))]
    return make_batch(columns, schema, sum(part.num_rows for part in parts))
