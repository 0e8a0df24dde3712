"""Reads all rows of an input, for blocking operators."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator


def materialize(
    child: Operator, context: ExecutionContext, prepare: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None
) -> tuple[list[pa.ChunkedArray], int]:
    """Returns the columns of all rows of ``child``, in order, and the number of rows.

    ``prepare`` changes each batch as it comes, in the same schema; it may remove rows. Without rows the columns have no chunks.

    Raises:
        JobCancelledException: the job was cancelled.
    """
    batches: list[pa.RecordBatch] = []
    source = child.batches(context)
    try:
        for batch in source:
            context.check()
            prepared = batch if prepare is None else prepare(batch)
            if prepared.num_rows:
                batches.append(prepared)
    finally:
        close_iterator(source)
    columns = [pa.chunked_array([batch.column(i) for batch in batches], type=field.type) for i, field in enumerate(child.schema)]
    return columns, sum(batch.num_rows for batch in batches)
