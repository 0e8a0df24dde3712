"""Scans of rows in the memory of this process, which an engine with other processes can copy to its workers once and filter there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.connector.providers import ArrowScanProvider
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass(frozen=True, eq=False)
class InProcessData:
    """Rows that do not change: as long as ``owner`` lives, it and ``part`` identify them. ``owner`` can be referenced weakly.

    ``batches`` returns the rows with the columns of ``row_type``, as often as it is called.

    Example:
        >>> import pyarrow
        >>> from table_common.types import parse_logical_type
        >>> table = pyarrow.table({"id": [1, 2]})
        >>> data = InProcessData(parse_logical_type("ROW<id BIGINT> NOT NULL"), table, "all", table.to_batches)
        >>> [batch.num_rows for batch in data.batches()]
        [2]
    """

    row_type: RowType
    owner: object
    part: Hashable
    batches: Callable[[], Sequence[SupportsArrowArray]]

    def __reduce__(self) -> tuple[Any, ...]:
        # The rows stay where they are: in another process there are none to be copied.
        return _no_data, ()


def _no_data() -> None:
    """The rows after unpickling in another process: none."""


class InProcessScanProvider(ArrowScanProvider):
    """Reads rows of this process. An engine whose tasks run elsewhere need not read: it may copy ``data``, filter it, and choose columns.

    Example:
        >>> import pyarrow
        >>> from table_common.types import parse_logical_type
        >>> table = pyarrow.table({"id": [1, 2]})
        >>> class Rows(InProcessScanProvider):
        ...     data = InProcessData(parse_logical_type("ROW<id BIGINT> NOT NULL"), table, "all", table.to_batches)
        ...     filters = ()
        ...     columns = ((0,),)
        ...     def splits(self):
        ...         return [0]
        ...     def read(self, split):
        ...         yield from self.data.batches()
        >>> Rows().data.row_type.field_names
        ('id',)
    """

    @property
    @abstractmethod
    def data(self) -> InProcessData | None:
        """The rows before filters and projection; None if the rows are only available through ``read``."""

    @property
    @abstractmethod
    def filters(self) -> Sequence[ResolvedExpression]:
        """The conjuncts over ``data`` that select the rows of the scan."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[Sequence[int]]:
        """The produced columns: the position of each in ``data``, followed by those of fields inside of rows."""
