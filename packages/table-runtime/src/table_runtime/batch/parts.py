"""Divides rows into parts by the hash of their keys, so that each part is processed alone: by another thread, and within the processor's cache.

All operators that hold rows by key divide their work in this way. Rows with equal keys are in one part, in the order of the input. The parts
are always the same, so they do not depend on the number of threads. Data walks through two joins and an aggregate as follows:

1. A join reads its build side. If that has many rows whose keys have to be hashed, they are divided (``divided``), and each part gets an index
   of its own, on any thread. A small build side, or one whose keys are positions, stays one part: all threads read its index.
2. It reads its probe side in runs (``runs_by_part``). Threads divide the batches as they come, the rows of a part wait until they are worth a
   lookup, and then a thread joins the run with the index of its part. Batches of the result go to the second join in the order of the runs.
3. The second join does the same with its own keys, whatever parts its input comes from.
4. The aggregate computes a partial state of its first rows. If these have few groups, threads compute partial states of all further runs, and one
   thread merges them. If they have many, threads divide the partial states, and each part merges its own. If there are almost as many groups as
   rows, partial states would save nothing: the rows are divided and aggregated once.

``map_ordered`` and ``map_all`` (``run/parallel.py``) are the only schedulers: a thread that waits for a task runs it, so tasks may use tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import BATCH_ROWS, LARGEST_RUN, approximate_size, coalesce_batches, rechunk, take_arrays, take_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory.account import DEEPEST
from table_runtime.run.parallel import close_iterator, map_ordered

PARTS = 32
"""A power of 2; larger than the number of most machines' processors, so that parts of different sizes are divided evenly."""
FEWEST_ROWS = 1 << 17
"""Rows that are worth dividing."""
FEWEST_GROUPS = 1 << 13
"""Groups of the first rows that are worth dividing."""
_LEVEL = DEEPEST + 1
"""The hashes of spilled rows are independent of it: the rows of one partition are in all parts."""

_SAMPLE = 1 << 14
_FEWEST_VALUES = 16 * PARTS
"""Values of a sample that divide rows evenly."""

KeyColumns = Callable[[pa.RecordBatch], Sequence[pa.Array]]


def is_divided(batches: Iterable[pa.RecordBatch]) -> bool:
    """Returns whether rows that an operator holds are so many that it divides them."""
    rows: int = sum(batch.num_rows for batch in batches)
    return rows >= FEWEST_ROWS


def dividing_keys(keys: Sequence[pa.Array], sets: Sequence[Sequence[int]] = ()) -> list[int]:
    """Returns the positions of the key columns whose hash divides the rows: one that has many values, if there is one, otherwise all.

    ``keys`` are those of some rows. A key that is in many of the grouping ``sets`` is preferred, then numbers to texts, whose hash takes longer.
    """
    every = list(range(len(keys)))

    def cost(position: int) -> tuple[int, bool]:
        return sum(position not in one for one in sets), not _is_plain(keys[position].type)

    for position in sorted(every, key=cost) if len(keys) > 1 else ():
        sample = keys[position].slice(0, _SAMPLE)
        counts = pc.value_counts(sample).field(1)
        if len(counts) >= _FEWEST_VALUES and pc.max(counts).as_py() * 2 * PARTS <= len(sample):
            return [position]
    return every


def _is_plain(type_: pa.DataType) -> bool:
    return bool(pa.types.is_integer(type_) or pa.types.is_temporal(type_) or pa.types.is_floating(type_))


class Run(NamedTuple):
    """Batches with rows of one part."""

    part: int
    batches: list[pa.RecordBatch]


def runs_by_part(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, keys: KeyColumns, rows: Sequence[int], context: ExecutionContext
) -> Iterator[Run]:
    """Yields the rows of a stream in runs of one part each: a part as soon as it has its number of ``rows``, at the end all that are left.

    If the waiting rows are many bytes, runs have fewer rows.
    """
    waiting: list[list[pa.RecordBatch]] = [[] for _ in range(PARTS)]
    counts = [0] * PARTS
    size = 0
    most = LARGEST_RUN if context.is_ample else context.scaled(LARGEST_RUN // 4)

    def divide(run: list[pa.RecordBatch]) -> tuple[int, list[pa.RecordBatch]]:
        context.check()
        return sum(map(approximate_size, run)), _divided(rechunk(run, schema), keys)

    def taken(part: int) -> Run:
        run, waiting[part], counts[part] = waiting[part], [], 0
        return Run(part, run)

    runs = map_ordered(divide, coalesce_batches(batches, BATCH_ROWS, None if context.is_ample else context.scaled), context)
    try:
        for bytes_, pieces in runs:
            size += bytes_
            for part, piece in enumerate(pieces):
                if piece.num_rows:
                    waiting[part].append(piece)
                    counts[part] += piece.num_rows
            all_at_once = size >= most
            for part in range(PARTS):
                if counts[part] and (all_at_once or counts[part] >= rows[part]):
                    if not all_at_once:
                        size -= size * counts[part] // sum(counts)
                    yield taken(part)
            if all_at_once:
                size = 0
        for part in range(PARTS):
            if counts[part]:
                yield taken(part)
    finally:
        close_iterator(runs)


def divided(batches: list[pa.RecordBatch], schema: pa.Schema, keys: KeyColumns, context: ExecutionContext) -> list[list[pa.RecordBatch]]:
    """Returns the rows of batches by part; removes the batches from the list."""

    def forget() -> Iterator[pa.RecordBatch]:
        batches.reverse()
        while batches:
            yield batches.pop()

    parts: list[list[pa.RecordBatch]] = [[] for _ in range(PARTS)]
    runs = map_ordered(lambda run: _divided(rechunk(run, schema), keys), coalesce_batches(forget(), BATCH_ROWS, context.scaled), context)
    try:
        for pieces in runs:
            for part, piece in zip(parts, pieces, strict=True):
                if piece.num_rows:
                    part.append(piece)
    finally:
        close_iterator(runs)
    return parts


def _divided(batch: pa.RecordBatch, keys: KeyColumns) -> list[pa.RecordBatch]:
    """Returns the rows of each part."""
    from table_runtime.batch.spill.hashing import order_by_part  # few queries have that many rows

    order, edges = order_by_part(keys(batch), PARTS, _LEVEL)
    ordered = take_batch(batch, order)
    return [ordered.slice(start, end - start) for start, end in pairwise(edges)]


def divided_columns(columns: Sequence[pa.Array], keys: Sequence[pa.Array]) -> list[list[pa.Array]]:
    """Returns the values of each part; ``keys`` are encoded."""
    from table_runtime.batch.spill.hashing import order_by_part  # few queries have that many rows

    order, edges = order_by_part(keys, PARTS, _LEVEL)
    ordered = take_arrays(columns, order)
    return [[column.slice(start, end - start) for column in ordered] for start, end in pairwise(edges)]
