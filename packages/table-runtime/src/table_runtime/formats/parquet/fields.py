"""Reads fields inside rows of Parquet files without the other fields: Arrow's datasets read whole columns only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import BATCH_ROWS, concat_arrays
from table_runtime.formats.file_format import ReadTask
from table_runtime.formats.nested_fields import array_at
from table_runtime.formats.parquet.dictionaries import columns_in_dictionaries

_DICTIONARY = frozenset({"RLE_DICTIONARY", "PLAIN_DICTIONARY"})
_LENGTH_BYTES = 4
_FEW = BATCH_ROWS // 4
"""Row groups with fewer rows, on average, are read together."""


def can_read_fields(task: ReadTask, schema: pa.Schema) -> bool:
    """Returns whether a file with this schema has all fields inside rows, with names that Parquet's dotted paths can express."""
    for path in task.nested:
        type_ = schema.field(path[0]).type if schema.get_field_index(path[0]) >= 0 else None
        for name in path[1:]:
            if type_ is None or not pa.types.is_struct(type_) or type_.get_field_index(name) < 0:
                return False
            type_ = type_.field(name).type
    return not any("." in name for name in (*schema.names, *(name for path in task.nested for name in path)))


def field_batches(task: ReadTask, fragment: Any, filter_: Any, filtered: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yields batches with the columns of a task and the columns ``filtered`` that ``filter_`` uses, followed by the task's fields inside rows.

    Fields of few distinct texts are dictionary arrays, so that reading and filtering does not copy the texts.
    """
    from pyarrow.parquet import ParquetFile

    columns = [*task.columns, *(name for name in filtered if name not in task.columns)]
    fields = [".".join(path) for path in task.nested]
    if filter_ is not None:
        fragment = fragment.subset(filter=filter_)
    groups = None if filter_ is None and task.byte_range is None else [group.id for group in fragment.row_groups]
    path: Any = task.path  # of a remote file too
    repeated = _repeated_texts(fragment, groups, task.nested)
    with ParquetFile(path if isinstance(path, Path) else pa.PythonFile(path.open("rb"), "r"), read_dictionary=repeated) as file:
        # Arrow does not read dictionaries of several row groups in one batch.
        parts = [[group] for group in (range(file.num_row_groups) if groups is None else groups)] if repeated else [groups]
        for part in parts:
            for batch in file.iter_batches(BATCH_ROWS, row_groups=part, columns=[*columns, *fields]):
                arrays = [batch.column(name) for name in columns]
                arrays += [array_at(batch.column(path[0]), path[1:]) for path in task.nested]
                flat = pa.RecordBatch.from_arrays(arrays, names=[*columns, *fields])
                yield flat if filter_ is None else filtered_batch(flat, filter_, filtered)


def filtered_batch(batch: pa.RecordBatch, filter_: Any, columns: Sequence[str]) -> pa.RecordBatch:
    """Returns the rows of a batch for which a filter on some columns is true.

    A batch's own method filters all columns in pieces and copies them once more to join these. (A table without columns has no rows, so one is always used.)
    """
    from pyarrow._acero import Declaration, ProjectNodeOptions, TableSourceNodeOptions

    source = Declaration(
        "table_source", TableSourceNodeOptions(pa.Table.from_batches([batch.select(list(columns) or batch.schema.names[:1])]))
    )
    masks = Declaration("project", ProjectNodeOptions([filter_], ["mask"]), [source]).to_table(use_threads=False).column(0)
    mask = concat_arrays(masks.chunks, masks.type)
    return batch if not mask.null_count and mask.true_count == len(mask) else pc.filter(batch, mask)


def _repeated_texts(fragment: Any, groups: Sequence[int] | None, paths: Sequence[Sequence[str]]) -> list[str]:
    """Returns the fields inside rows, by dotted path, that are texts stored as positions in a dictionary in all row groups that are read."""
    schema, metadata = fragment.physical_schema, fragment.metadata
    names = {".".join(path) for path in paths if _type_along(schema, path) == pa.string()}
    numbers = range(metadata.num_row_groups) if groups is None else groups
    if sum(metadata.row_group(number).num_rows for number in numbers) < max(1, _FEW * len(numbers)):
        return []
    return columns_in_dictionaries(metadata, names, numbers, _is_repeated)


def _is_repeated(chunk: Any) -> bool:
    """Returns whether texts are stored in fewer bytes than their lengths alone take, if they are stored one by one."""
    return not _DICTIONARY.isdisjoint(chunk.encodings) and chunk.total_uncompressed_size < _LENGTH_BYTES * chunk.num_values


def _type_along(schema: pa.Schema, path: Sequence[str]) -> pa.DataType:
    type_ = schema.field(path[0]).type
    for name in path[1:]:
        type_ = type_.field(name).type
    return type_
