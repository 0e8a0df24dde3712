"""The matches of partitions as columns of numbers, as checkpoints store them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_runtime.patterns.matcher import Match, Partition

_NUMBERS = pa.list_(pa.list_(pa.int64()))
"""The matches of a partition, each a list of numbers."""


def matches_as_numbers(partitions: Sequence[Partition | None]) -> list[pa.Array]:
    """Returns two columns: the partial matches of each partition, and its complete ones; NULL for None.

    A partial match is its first row, its state and the first row of each variable; a complete one its first and last row and the first row of each variable.
    """
    partial = [None if one is None else [[start, state, *firsts] for start, state, firsts in one.runs] for one in partitions]
    complete = [None if one is None else [[start, end, *firsts] for start, end, firsts in one.waiting] for one in partitions]
    return [pa.array(partial, _NUMBERS), pa.array(complete, _NUMBERS)]


def matches_of_numbers(partial: pa.Array, complete: pa.Array) -> Iterator[Partition | None]:
    """Yields the partitions in the columns of ``matches_as_numbers``.

    Raises:
        TableRuntimeException: the columns have other types.
    """
    if partial.type != _NUMBERS or complete.type != _NUMBERS:
        raise TableRuntimeException("The state of MATCH_RECOGNIZE is not in the form in which it is written: the file is damaged.")
    for runs, matches in zip(partial.to_pylist(), complete.to_pylist(), strict=True):
        if runs is None or matches is None:
            yield None
        else:
            yield Partition(
                [(start, state, tuple(firsts)) for start, state, *firsts in runs],
                [Match(start, end, tuple(firsts)) for start, end, *firsts in matches],
            )
