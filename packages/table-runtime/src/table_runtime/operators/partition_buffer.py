"""Buffered rows of a sink, grouped by the folder of their partition."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.connector import FileSinkProvider
from table_runtime.batches import concat_arrays, make_batch, take_arrays, take_batch
from table_runtime.files import partition_folder
from table_runtime.formats.text_values import to_text

__all__ = ["PartitionBuffer"]


class PartitionBuffer:
    """Buffers rows of the consumed type and returns them by partition, without the partition columns, in the order of the input."""

    def __init__(self, provider: FileSinkProvider) -> None:
        fields = provider.consumed_type.fields
        self._names = provider.partition_keys
        self._default_name = provider.partition_default_name
        self._keys = [provider.consumed_type.field_names.index(key) for key in self._names]
        self._types = [fields[index].type for index in self._keys]
        self._columns = [index for index in range(len(fields)) if index not in self._keys]
        self._batches: list[pa.RecordBatch] = []
        self.nbytes = 0
        """The size of the buffered rows in bytes."""

    def add(self, batch: pa.RecordBatch) -> None:
        """Adds rows."""
        self._batches.append(batch)
        self.nbytes += batch.nbytes

    def take(self, share: float = 1.0) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Removes the largest partitions, until at least ``share`` of the rows are removed, and yields (folder, rows) of each."""
        if not self._batches:
            return
        batch = self._merged()
        groups, folders = self._groups(batch)
        counts = pc.value_counts(groups)
        sizes = sorted(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True), key=lambda pair: (-pair[1], pair[0]))
        selected: dict[int, int] = {}
        rows = 0
        for group, size in sizes:
            if rows >= share * batch.num_rows:
                break
            selected[group] = size
            rows += size
        if rows < batch.num_rows:
            is_selected = pc.is_in(groups, value_set=pa.array(selected, type=groups.type))
            self.add(take_batch(batch, pc.indices_nonzero(pc.invert(is_selected))))
            positions = pc.indices_nonzero(is_selected)
            positions = pc.take(positions, pc.array_sort_indices(pc.take(groups, positions)))
        else:
            positions = pc.array_sort_indices(groups)  # a stable sort
        schema = pa.schema([batch.schema.field(index) for index in self._columns])
        columns = [batch.column(index) for index in self._columns]
        if len(sizes) > 1:
            columns = take_arrays(columns, positions)
        start = 0
        for group in sorted(selected):
            size = selected[group]
            yield folders[group], make_batch([column.slice(start, size) for column in columns], schema, size)
            start += size

    def _merged(self) -> pa.RecordBatch:
        batches, self._batches, self.nbytes = self._batches, [], 0
        schema = batches[0].schema
        columns = [concat_arrays([batch.column(index) for batch in batches], field.type) for index, field in enumerate(schema)]
        return make_batch(columns, schema, sum(batch.num_rows for batch in batches))

    def _groups(self, batch: pa.RecordBatch) -> tuple[pa.Array, list[str]]:
        """Returns the number of each row's folder, and the folders."""
        groups = pa.repeat(pa.scalar(0, pa.int64()), batch.num_rows)
        values: list[tuple[str | None, ...]] = [()]
        for index, type_ in zip(self._keys, self._types, strict=True):
            encoded = pc.dictionary_encode(batch.column(index))
            texts = [*to_text(encoded.dictionary, type_).to_pylist(), None]
            codes = pc.fill_null(pc.cast(encoded.indices, pa.int64()), len(texts) - 1)
            combined = pc.dictionary_encode(pc.add(pc.multiply(groups, len(texts)), codes))
            values = [(*values[pair // len(texts)], texts[pair % len(texts)]) for pair in combined.dictionary.to_pylist()]
            groups = pc.cast(combined.indices, pa.int64())
        # NULL and the empty text are in the same folder.
        folders: dict[str, int] = {}
        numbers = [folders.setdefault(partition_folder(self._names, texts, self._default_name), len(folders)) for texts in values]
        return pc.take(pa.array(numbers, type=pa.int64()), groups), list(folders)
