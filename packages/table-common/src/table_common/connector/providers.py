"""The runtime providers that planners know: what a source or sink hands over to be run.

Arrow data is typed by structure (``SupportsArrowArray``), so this module needs no pyarrow. Everything handed over must be picklable:
it may run in another process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from table_common.annotation import override
from table_common.connector.sink.dynamic import DynamicTableSink
from table_common.connector.source.dynamic import ScanTableSource
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import RowType

__all__ = ["ArrowScanProvider", "FileScanProvider", "FileSinkProvider", "InputSplit", "SupportsArrowArray"]


class SupportsArrowArray(Protocol):
    """A record batch of any Arrow library."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Exports the batch through the Arrow C data interface."""


@dataclass(frozen=True, slots=True)
class FileScanProvider(ScanTableSource.ScanRuntimeProvider):
    """Files of a format, read by the engine's own reader.

    ``paths`` are files or folders (local paths or URLs); ``physical_type`` is the row in the files (without partition keys),
    ``produced_type`` what is wanted, a choice of its columns and of ``partition_keys`` in any order. ``filters`` are conjuncts over
    columns by name that the reader may use to skip data; they are applied again above. ``limit`` counts rows that are enough.
    """

    paths: tuple[str, ...]
    format: str
    physical_type: RowType
    produced_type: RowType
    format_options: Mapping[str, str] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    partition_default_name: str = "__HIVE_DEFAULT_PARTITION__"
    filters: tuple[ResolvedExpression, ...] = ()
    limit: int | None = None

    @property
    @override
    def is_bounded(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class FileSinkProvider(DynamicTableSink.SinkRuntimeProvider):
    """A folder of files of a format, written by the engine's own writer to a staging name and published by rename."""

    path: str
    format: str
    consumed_type: RowType
    format_options: Mapping[str, str] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    static_partition: Mapping[str, str] = field(default_factory=dict)
    partition_default_name: str = "__HIVE_DEFAULT_PARTITION__"
    overwrite: bool = False


class InputSplit(Protocol):
    """A piece of the input; any picklable object."""


class ArrowScanProvider(ScanTableSource.ScanRuntimeProvider, ABC):
    """Splits known at planning; each is read by one task as record batches."""

    @property
    @override
    def is_bounded(self) -> bool:
        return True

    @abstractmethod
    def splits(self) -> Sequence[InputSplit]:
        """Returns the pieces that can be read independently; at least one."""

    @abstractmethod
    def read(self, split: InputSplit) -> Iterator[SupportsArrowArray]:
        """Yields the rows of a split as record batches of the produced type; batches of some 64k rows are best."""
