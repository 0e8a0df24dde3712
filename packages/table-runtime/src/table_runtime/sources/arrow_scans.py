"""Adapts other scan providers to ``ArrowScanProvider``: rows are collected into batches, offsets become a bounded range."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import (
    ArrowScanProvider,
    InputFormat,
    InputFormatProvider,
    InputSplit,
    ScanTableSource,
    SourceFunction,
    SourceFunctionProvider,
    SourceProvider,
    SourceSplit,
    SupportsArrowArray,
)
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionContext
from table_common.types import RowType

if TYPE_CHECKING:
    from table_common.data import RowData

ROWS_AT_ONCE = 8192
Provider = ScanTableSource.ScanRuntimeProvider


def as_arrow_scan(provider: Provider, row_type: RowType, *, changes: bool = False) -> Provider:
    """Returns a provider of Arrow batches for providers of rows or offsets; other providers unchanged.

    Args:
        provider: the provider.
        row_type: the produced type, without row kinds.
        changes: whether batches have the row kind as an additional last column.
    """
    match provider:
        case SourceFunctionProvider():
            return _RowScan(_FunctionRows(provider.function), row_type, changes, provider.bounded)
        case InputFormatProvider():
            return _RowScan(_FormatRows(provider.format), row_type, changes)
        case SourceProvider():
            return _OffsetScan(provider)
        case _:
            return provider


@dataclass(frozen=True)
class _FunctionRows:
    function: SourceFunction

    def splits(self) -> Sequence[InputSplit]:
        return [0]

    def rows(self, split: InputSplit) -> Iterator[RowData]:
        function = deepcopy(self.function)
        return _opened(function.open, function.run, function.close)


@dataclass(frozen=True)
class _FormatRows:
    format: InputFormat

    def splits(self) -> Sequence[InputSplit]:
        return self.format.create_input_splits()

    def rows(self, split: InputSplit) -> Iterator[RowData]:
        format_ = deepcopy(self.format)
        return _opened(format_.open, lambda: format_.read(split), format_.close)


def _opened(
    open_: Callable[[FunctionContext], None], rows: Callable[[], Iterator[RowData]], close: Callable[[], None]
) -> Iterator[RowData]:
    try:
        open_(FunctionContext())
        yield from rows()
    finally:
        close()


@dataclass(frozen=True)
class _RowScan(ArrowScanProvider):
    source: _FunctionRows | _FormatRows
    row_type: RowType
    with_row_kinds: bool = False
    bounded: bool = True

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded

    @override
    def splits(self) -> Sequence[InputSplit]:
        return self.source.splits()

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        from table_common.arrow import from_row_data  # few sources give rows

        if not self.bounded:
            from table_runtime.sources.item_pump import as_they_come  # few sources give rows

            for some in as_they_come(lambda: self.source.rows(split), ROWS_AT_ONCE, "source-function"):
                yield from_row_data(some, self.row_type, with_row_kinds=self.with_row_kinds)
            return
        rows = self.source.rows(split)
        while chunk := list(islice(rows, ROWS_AT_ONCE)):
            yield from_row_data(chunk, self.row_type, with_row_kinds=self.with_row_kinds)


@dataclass(frozen=True)
class _OffsetScan(ArrowScanProvider):
    """Reads all rows between the offsets at planning; each split is read by a reader of its own."""

    source: SourceProvider

    @property
    @override
    def is_bounded(self) -> bool:
        # Even a growing source has a latest offset, at which a job in batch mode stops.
        return True

    @override
    def splits(self) -> Sequence[InputSplit]:
        start = self.source.initial_offset()
        return list(self.source.plan(start, self.source.latest_offset(start))) or [_NOTHING]

    @override
    def read(self, split: InputSplit) -> Iterator[SupportsArrowArray]:
        if isinstance(split, _Nothing):
            return
        reader = self.source.create_reader()
        try:
            yield from reader.read(cast("SourceSplit", split))
        finally:
            reader.close()

    @override
    def close(self) -> None:
        self.source.close()


class _Nothing:
    """A split without rows, because engines need at least one split."""


_NOTHING = _Nothing()
