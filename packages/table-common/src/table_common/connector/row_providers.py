"""Row-wise runtime providers for simple connectors.

``ArrowScanProvider`` and ``SourceProvider`` are much faster: they produce whole batches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from table_common.annotation import override
from table_common.connector.providers import InputSplit
from table_common.connector.source.dynamic import ScanTableSource
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionContext

if TYPE_CHECKING:
    from table_common.data import RowData


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
