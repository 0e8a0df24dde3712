"""Reads fields inside rows of Parquet files without the other fields: Arrow's datasets read whole columns only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_runtime.batches import BATCH_ROWS
from table_runtime.formats.file_format import ReadTask
from table_runtime.formats.nested_fields import array_at

__all__ = ["can_read_fields", "field_batches"]


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
    """Yields batches with the columns of a task and the columns ``filtered`` that ``filter_`` uses, followed by the task's fields inside rows."""
    from pyarrow.parquet import ParquetFile

    columns = [*task.columns, *(name for name in filtered if name not in task.columns)]
    fields = [".".join(path) for path in task.nested]
    groups = None if filter_ is None else [group.id for group in fragment.subset(filter=filter_).row_groups]
    path: Any = task.path  # of a remote file too
    with ParquetFile(path if isinstance(path, Path) else pa.PythonFile(path.open("rb"), "r")) as file:
        for batch in file.iter_batches(BATCH_ROWS, row_groups=groups, columns=[*columns, *fields]):
            arrays = [batch.column(name) for name in columns]
            arrays += [array_at(batch.column(path[0]), path[1:]) for path in task.nested]
            flat = pa.RecordBatch.from_arrays(arrays, names=[*columns, *fields])
            yield flat if filter_ is None else flat.filter(filter_)
