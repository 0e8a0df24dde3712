"""The iterator of ``collect``, which runs in the interpreter's own code between two parts of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import tzinfo
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, cast

from table_api.table_result.closeable_iterator import CloseableIterator
from table_common.annotation import override
from table_common.connector import SupportsArrowArray
from table_common.data import ResultRow, Row, RowKind

if TYPE_CHECKING:
    from table_common.catalog import ResolvedSchema

_ROWS_AT_ONCE = 16_384
"""The number of rows that become Python objects together: enough for loops in C, and few enough for the caches of a processor."""
_WORTH_PAUSE = 1_000
"""The number of rows for which the garbage collector is paused."""


class RowIterator(chain[Row], CloseableIterator[Row]):
    """A closeable iterator over lists of rows, whose ``__next__`` is that of ``itertools.chain``: it calls no Python code for each row."""

    _parts: _Parts

    @classmethod
    def of_parts(cls, parts: Iterator[list[ResultRow]], close: Callable[[], None]) -> Self:
        """Returns the iterator over the rows of the lists. It empties a list when it is closed; ``close`` is called once."""
        source = _Parts(parts)
        rows = cast("Self", cls.from_iterable(source))
        CloseableIterator.__init__(rows, iter(()), close)
        rows._parts = source
        return rows

    @override
    def close(self) -> None:
        self._parts.stop()
        CloseableIterator.close(self)


class _Parts(Iterator[list[ResultRow]]):
    """The lists of rows, of which the last one can be emptied while its rows are read."""

    def __init__(self, parts: Iterator[list[ResultRow]]) -> None:
        self._parts = parts
        self._current: list[ResultRow] = []

    def __next__(self) -> list[ResultRow]:
        self._current = []  # frees the rows that were read before others are made
        self._current = next(self._parts)
        return self._current

    def stop(self) -> None:
        self._parts = iter(())
        self._current.clear()


def python_rows(batches: Iterator[SupportsArrowArray], schema: ResolvedSchema, time_zone: tzinfo | None) -> Iterator[list[ResultRow]]:
    """Yields the rows of the batches in lists of at most ``_ROWS_AT_ONCE``."""
    from table_common.arrow import import_batch, split_row_kinds, to_python_columns
    from table_common.garbage_collection import CollectorOfRows

    row_type = schema.to_row_type()
    names, width = schema.column_names, len(row_type.fields)
    collector = CollectorOfRows()
    for part in (part for exported in batches for part in _parts(import_batch(exported))):
        batch, numbers = split_row_kinds(part, width)
        kinds = None if numbers is None else map(RowKind, numbers)
        with collector if batch.num_rows >= _WORTH_PAUSE else nullcontext():
            # A row that retracts may have the key alone.
            columns = to_python_columns(batch, row_type if numbers is None else row_type.with_nullable_fields(), time_zone=time_zone)
            rows = ResultRow.of_columns(names, columns, kinds) if width else ResultRow.of_rows(names, [()] * batch.num_rows, kinds)
            del columns
        yield rows
        del rows


def _parts(batch: Any) -> Iterator[Any]:
    return (batch.slice(start, _ROWS_AT_ONCE) for start in range(0, batch.num_rows, _ROWS_AT_ONCE))
