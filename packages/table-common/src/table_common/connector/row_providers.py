"""Row-wise runtime providers for simple connectors, and providers of sources with offsets.

``ArrowScanProvider`` is much faster: it produces whole batches.
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
    """Produces all rows in one task. Must be picklable before ``open``.

    Example:
        >>> from table_common.data import GenericRowData
        >>> class Numbers(SourceFunction):
        ...     def run(self):
        ...         yield from (GenericRowData.of(number) for number in range(2))
        >>> SourceFunctionProvider(Numbers()).is_bounded
        True

    Source: Flink's ``org.apache.flink.streaming.api.functions.source.legacy.SourceFunction``.
    """

    def open(self, context: FunctionContext) -> None:  # noqa: B027  # many have nothing to open
        """Prepares the function; called once, before ``run``."""

    def close(self) -> None:  # noqa: B027  # nor to close
        """Releases resources; called at the end, also after a failure."""

    @abstractmethod
    def run(self) -> Iterator[RowData]:
        """Yields the rows, of the produced type; their row kinds are used if the source's changelog mode is not insert-only.

        Some engines restart a failed task from the beginning: a second run over bounded data must yield the same rows.
        """


@dataclass(frozen=True, eq=False)
class SourceFunctionProvider(ScanTableSource.ScanRuntimeProvider):
    """The rows of a ``SourceFunction``, read in one task.

    Source: Flink's ``org.apache.flink.legacy.table.connector.source.SourceFunctionProvider``.

    Example:
        >>> class Nothing(SourceFunction):
        ...     def run(self):
        ...         return iter(())
        >>> SourceFunctionProvider(Nothing(), bounded=False).is_bounded
        False
    """

    function: SourceFunction
    bounded: bool = True

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded


class InputFormat(ABC):
    """Produces the rows of splits, which are read independently. Must be picklable before ``open``.

    Source: Flink's ``org.apache.flink.api.common.io.InputFormat``.

    Example:
        >>> from table_common.data import GenericRowData
        >>> class Ranges(InputFormat):
        ...     def create_input_splits(self):
        ...         return [range(0, 2), range(2, 3)]
        ...     def read(self, split):
        ...         yield from (GenericRowData.of(number) for number in split)
        >>> [len(list(Ranges().read(split))) for split in Ranges().create_input_splits()]
        [2, 1]
    """

    def open(self, context: FunctionContext) -> None:  # noqa: B027  # many have nothing to open
        """Prepares the format; called once in each task, before ``read``."""

    def close(self) -> None:  # noqa: B027  # nor to close
        """Releases resources; called at the end of a task, also after a failure."""

    @abstractmethod
    def create_input_splits(self) -> Sequence[InputSplit]:
        """Returns the splits, at least one; called while planning, on a format that is not open."""

    @abstractmethod
    def read(self, split: InputSplit) -> Iterator[RowData]:
        """Yields the rows of a split, of the produced type."""


@dataclass(frozen=True, eq=False)
class InputFormatProvider(ScanTableSource.ScanRuntimeProvider):
    """The rows of an ``InputFormat``; bounded.

    Source: Flink's ``org.apache.flink.table.connector.source.InputFormatProvider``.

    Example:
        >>> class Nothing(InputFormat):
        ...     def create_input_splits(self):
        ...         return [0]
        ...     def read(self, split):
        ...         return iter(())
        >>> InputFormatProvider(Nothing()).is_bounded
        True
    """

    format: InputFormat

    @property
    @override
    def is_bounded(self) -> bool:
        return True


class Offset(Protocol):
    """A position in a source; any picklable object that the source understands.

    Example:
        >>> import pickle
        >>> offset: Offset = {"orders-0": 7, "orders-1": 0}  # the next position in each part of a topic
        >>> pickle.loads(pickle.dumps(offset)) == offset
        True
    """


class SourceProvider(ScanTableSource.ScanRuntimeProvider, ABC):
    """A source that can report its position and resume from it (FLIP-27).

    In batch mode the rows from ``initial_offset`` to ``latest_offset`` are read, both determined while planning; nothing is
    committed, because no later job resumes.

    Source: Flink's ``org.apache.flink.table.connector.source.SourceProvider``.

    Example:
        >>> import pyarrow
        >>> class Lines(SourceProvider):
        ...     lines = ("a", "b", "c")
        ...     is_bounded = True
        ...     def initial_offset(self):
        ...         return 0
        ...     def latest_offset(self):
        ...         return len(self.lines)
        ...     def plan(self, start, end):
        ...         return [(start, end)] if start < end else []
        ...     def read(self, split):
        ...         yield pyarrow.record_batch({"line": self.lines[slice(*split)]})
        >>> source = Lines()
        >>> [batch.num_rows for split in source.plan(1, source.latest_offset()) for batch in source.read(split)]
        [2]
    """

    @abstractmethod
    def initial_offset(self) -> Offset:
        """Returns the offset where reading begins."""

    @abstractmethod
    def latest_offset(self) -> Offset:
        """Returns the offset of the current end of the data."""

    @abstractmethod
    def plan(self, start: Offset, end: Offset) -> Sequence[InputSplit]:
        """Returns the splits of the rows from ``start`` (included) to ``end`` (excluded); empty if there are none."""

    @abstractmethod
    def read(self, split: InputSplit) -> Iterator[SupportsArrowArray]:
        """Yields the rows of a split as record batches of the produced type; the same ones each time."""

    def commit(self, end: Offset) -> None:  # many sources need not know
        """Tells the source that the rows before ``end`` are not needed again."""
