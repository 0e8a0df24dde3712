"""Sources with offsets: a driver asks how far it can read, plans splits up to there, and reads them in tasks whose readers stay open.

The driver calls ``latest_offset``, ``wait``, ``plan``, ``is_repeatable``, ``split_ids``, ``pending_rows``, ``commit`` and ``close`` of one provider in its own process. Tasks get pickled copies, of which they
call only ``create_reader``. In batch mode the rows from ``initial_offset`` to ``latest_offset`` are read once, and nothing is committed.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.connector.source.dynamic import ScanTableSource
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass


class Offset(Protocol):
    """A position in a source: a JSON value, that is None, a bool, int or str, or lists and dicts of them. Drivers store it in checkpoints.

    Example:
        >>> import json
        >>> offset: Offset = {"0": 1200, "1": 1177}  # the next position in each partition of a topic
        >>> json.loads(json.dumps(offset)) == offset
        True
    """


@dataclass(frozen=True, slots=True)
class ReadLimit:
    """How much one range of offsets may hold, and where it ends at the latest; None is unlimited.

    ``until`` is an offset that ``latest_offset`` gave before. A range that the other limits allow ends exactly there, so that a job can read
    what was there at a moment though more rows come all the time. A provider that does not heed it reads on as long as there are rows.

    Raises:
        ValidationException: a limit is less than 1.

    Example:
        >>> ReadLimit(rows=20_000).bytes is None
        True
    """

    rows: int | None = None
    bytes: int | None = None
    until: Offset | None = None

    def __post_init__(self) -> None:
        for name, value in (("rows", self.rows), ("bytes", self.bytes)):
            if value is not None and value < 1:
                raise ValidationException(f"A limit of {name} must be at least 1, but is {value}.")


class SourceSplit(Protocol):
    """The part of a range that one task reads; any picklable object with a ``split_id``.

    The id says where the rows come from, such as the partition of a topic or the file, and is the same in all ranges: watermarks are kept by it.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class PartitionRange:
        ...     split_id: str
        ...     start: int
        ...     end: int
        >>> split: SourceSplit = PartitionRange("orders-0", 1200, 1300)
        >>> split.split_id
        'orders-0'

    Source: Flink's ``org.apache.flink.api.connector.source.SourceSplit``.
    """

    @property
    def split_id(self) -> str:
        """The lasting name of the part of the source, unique among the splits of a range."""


class SourceReader(ABC):
    """Reads splits, one after the other, in one task. A driver with many ranges keeps it open, so it may keep its connection.

    Example:
        >>> import pyarrow
        >>> class Ranges(SourceReader):
        ...     def read(self, split):
        ...         yield pyarrow.record_batch({"n": pyarrow.array(split, pyarrow.int64())})
        >>> reader = Ranges()
        >>> [batch.num_rows for split in (range(0, 3), range(3, 5)) for batch in reader.read(split)]
        [3, 2]
        >>> reader.close()

    Source: Flink's ``org.apache.flink.api.connector.source.SourceReader``.
    """

    @abstractmethod
    def read(self, split: SourceSplit) -> Iterator[SupportsArrowArray]:
        """Yields the rows of a split as record batches of the produced type; the same rows in the same order each time."""

    @property
    def ignored(self) -> int:  # most readers fail instead
        """How many messages and values it could not read and left out so far, as the options of a format ask for: a metric of the job."""
        return 0

    def close(self) -> None:  # noqa: B027  # many have nothing to close
        """Releases the reader's resources; may be called again."""


class SourceProvider(ScanTableSource.ScanRuntimeProvider, ABC):
    """A source that can report its position and resume from it (FLIP-27). Must be picklable, also while it is in use.

    Source: Flink's ``org.apache.flink.table.connector.source.SourceProvider``.

    Example:
        >>> import pyarrow
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Numbers(SourceProvider):
        ...     count: int
        ...     is_bounded = True
        ...     def initial_offset(self):
        ...         return 0
        ...     def latest_offset(self, start, limit=None):
        ...         return self.count if limit is None or limit.rows is None else min(self.count, start + limit.rows)
        ...     def plan(self, start, end):
        ...         return [NumbersSplit("numbers", start, end)] if start < end else []
        ...     def create_reader(self):
        ...         return NumbersReader()
        >>> @dataclass(frozen=True)
        ... class NumbersSplit:
        ...     split_id: str
        ...     start: int
        ...     end: int
        >>> class NumbersReader(SourceReader):
        ...     def read(self, split):
        ...         yield pyarrow.record_batch({"n": pyarrow.array(range(split.start, split.end), pyarrow.int64())})
        >>> source = Numbers(5)
        >>> source.latest_offset(0, ReadLimit(rows=2))
        2
        >>> [batch.num_rows for split in source.plan(2, source.latest_offset(2)) for batch in source.create_reader().read(split)]
        [3]
    """

    @property
    def is_in_process(self) -> bool:  # most sources are outside
        """Whether the rows are in the process that made the provider, so that the workers of an engine cannot read them."""
        return False

    @abstractmethod
    def initial_offset(self) -> Offset:
        """Returns the offset where reading begins."""

    @abstractmethod
    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        """Returns the end of the range that begins at ``start``: the end of the data, or an earlier offset if there would be more than ``limit``.

        It is ``start`` if there are no new rows, and never before it. If there are rows it is after ``start``, so that each range makes progress.
        """

    def wait(self, start: Offset, seconds: float) -> bool:
        """Waits up to some seconds for rows after ``start``; returns whether there may be some. By default it waits for the whole time."""
        time.sleep(seconds)
        return True

    def has_ended(self, start: Offset) -> bool:
        """Whether no rows will come after ``start``, which is the latest offset: by default that of a bounded source."""
        return self.is_bounded

    @abstractmethod
    def plan(self, start: Offset, end: Offset) -> Sequence[SourceSplit]:
        """Returns the splits of the rows from ``start`` (included) to ``end`` (excluded); empty if there are none.

        A range is planned again after a restart, and must have the same rows, unless ``is_repeatable`` says that it cannot.
        """

    def is_repeatable(self, start: Offset, end: Offset) -> bool:  # most ranges are
        """Whether another process can read the range again after this one has ended. Those of which it cannot, such as rows of a snapshot that lives as
        long as a session, are read whole: a job commits no part of them, and after a restart asks again where the range that begins at ``start`` ends.
        """
        return True

    def split_ids(self, start: Offset) -> Sequence[str]:  # a source may not know
        """Returns the ids of the splits that have rows after ``start`` or may get some, as far as they are known now; those of ``plan`` among them.

        The watermark of the source waits for each of them until it is idle. By default none: a split is then known from its first rows on, and these
        are late if other splits are ahead of them. A driver calls it at its start and before each range, so it should not ask the system each time.
        """
        return ()

    def pending_rows(self, start: Offset) -> Mapping[str, int]:  # most sources do not know
        """Returns how many rows of each split are after ``start``, as far as that is known without asking the system: the lag in the metrics of a job."""
        return {}

    @abstractmethod
    def create_reader(self) -> SourceReader:
        """Returns a reader; called in the tasks."""

    def commit(self, end: Offset) -> None:  # many sources need not know
        """Tells the source that the rows before ``end`` are not needed again; may be called again with the same offset."""

    def close(self) -> None:  # many have nothing to close
        """Releases what the driver's calls opened, such as connections; may be called again. The splits have been read by then."""
