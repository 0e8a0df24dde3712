"""Runtime providers for simple connectors, which give rows one after the other, and for sources that count their rows by offsets.

``ArrowScanProvider`` is faster by far: it gives whole batches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Protocol

from table_common.annotation import override
from table_common.connector.arrow_array import SupportsArrowArray
from table_common.connector.providers import InputSplit
from table_common.connector.source.dynamic import ScanTableSource
from table_common.data import RowData
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionContext

__all__ = ["InputFormat", "InputFormatProvider", "Offset", "SourceFunction", "SourceFunctionProvider", "SourceProvider"]


class SourceFunction(ABC):
    """Gives all rows in one task. Must be picklable before ``open``."""

    def open(self, context: FunctionContext) -> None:  # noqa: B027  # many have nothing to open
        """Is called once, before ``run``."""

    def close(self) -> None:  # noqa: B027  # nor to close
        """Is called at the end, also if it failed."""

    @abstractmethod
    def run(self) -> Iterator[RowData]:
        """Yields the rows, of the produced type; their kinds count if the source's changelog mode has others than insertions.

        A task that failed is run again from the beginning by some engines: a second run of bounded data gives the same rows.
        """


@dataclass(frozen=True, eq=False)
class SourceFunctionProvider(ScanTableSource.ScanRuntimeProvider):
    """Rows of a function, read in one task."""

    function: SourceFunction
    bounded: bool = True

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded


class InputFormat(ABC):
    """Gives rows of splits, which are read independently. Must be picklable before ``open``."""

    def open(self, context: FunctionContext) -> None:  # noqa: B027  # many have nothing to open
        """Is called once in each task, before ``read``."""

    def close(self) -> None:  # noqa: B027  # nor to close
        """Is called at the end of a task, also if it failed."""

    @abstractmethod
    def create_input_splits(self) -> Sequence[InputSplit]:
        """Returns the pieces, at least one; called while planning, on a format that is not open."""

    @abstractmethod
    def read(self, split: InputSplit) -> Iterator[RowData]:
        """Yields the rows of a split, of the produced type."""


@dataclass(frozen=True, eq=False)
class InputFormatProvider(ScanTableSource.ScanRuntimeProvider):
    """Rows of an input format; its data ends."""

    format: InputFormat

    @property
    @override
    def is_bounded(self) -> bool:
        return True


class Offset(Protocol):
    """How far a source was read; any picklable object that the source understands."""


class SourceProvider(ScanTableSource.ScanRuntimeProvider, ABC):
    """A source that can say how far it was read and continue there (FLIP-27).

    In batch mode the rows between ``initial_offset`` and ``latest_offset`` are read, both asked for while planning; nothing is
    committed then, because nobody continues.
    """

    @abstractmethod
    def initial_offset(self) -> Offset:
        """Returns where reading begins."""

    @abstractmethod
    def latest_offset(self) -> Offset:
        """Returns where the data ends now."""

    @abstractmethod
    def plan(self, start: Offset, end: Offset) -> Sequence[InputSplit]:
        """Returns the pieces of what lies from ``start`` to before ``end``; none if that is nothing."""

    @abstractmethod
    def read(self, split: InputSplit) -> Iterator[SupportsArrowArray]:
        """Yields the rows of a split as record batches of the produced type; the same ones each time."""

    def commit(self, end: Offset) -> None:  # many sources need not know
        """Tells the source that what lies before ``end`` is not needed again."""
