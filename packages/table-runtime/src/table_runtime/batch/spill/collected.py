"""Collects the rows of an input in memory, up to the operator's share."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_runtime.columns.batches import LARGEST_OFFSET, approximate_size
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory.account import Account, uncounted
from table_runtime.run.parallel import close_iterator


class Collected:
    """The first batches of an input, and the iterator of the others; ``is_whole`` if there are no others."""

    def __init__(self, batches: list[pa.RecordBatch], rest: Iterator[pa.RecordBatch], *, is_whole: bool) -> None:
        self.batches = batches
        self.rest = rest
        self.is_whole = is_whole

    def stream(self) -> Iterator[pa.RecordBatch]:
        """Yields all batches and forgets them; closes the input."""
        try:
            self.batches.reverse()
            while self.batches:
                yield self.batches.pop()
            yield from self.rest
        finally:
            close_iterator(self.rest)


def collect(source: Iterator[pa.RecordBatch], context: ExecutionContext, account: Account, *, working: int = 1) -> Collected:
    """Reads batches that are not empty until the end of the source or until they exceed the share of ``account``.

    The source is closed at its end and after an error. A column with more than 2 GiB of text exceeds every share, because Arrow's arrays have
    32-bit offsets. ``working`` says how much more memory the operator needs for its rows than others.

    Raises:
        JobCancelledException: the job was cancelled.
    """
    batches: list[pa.RecordBatch] = []
    size = 0
    free = uncounted()
    is_whole = False
    try:
        for batch in source:
            context.check()
            if not batch.num_rows:
                continue
            batches.append(batch)
            size += approximate_size(batch)
            if size > free and (not account.hold(working * size) or (size > LARGEST_OFFSET and _has_long_text(batches))):
                return Collected(batches, source, is_whole=False)
        is_whole = True
    except BaseException:
        is_whole = True
        raise
    finally:
        if is_whole:
            close_iterator(source)
    return Collected(batches, iter(()), is_whole=True)


def _has_long_text(batches: list[pa.RecordBatch]) -> bool:
    """Returns whether the texts of a column do not fit into one array."""
    return any(
        sum(batch.column(index).nbytes for batch in batches) > LARGEST_OFFSET
        for index, field in enumerate(batches[0].schema)
        if pa.types.is_string(field.type) or pa.types.is_binary(field.type)
    )
