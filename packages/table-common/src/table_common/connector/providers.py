"""The runtime providers that planners know: the runnable part of a source or sink.

Arrow data has a structural type (``SupportsArrowArray``), so this module needs no pyarrow. A provider must be picklable, because it may run
in another process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Protocol

from table_common.annotation import override
from table_common.connector.arrow_array import SupportsArrowArray
from table_common.connector.file_sink_policies import PartitionCommit, RollingPolicy
from table_common.connector.sink.dynamic import DynamicTableSink
from table_common.connector.source.dynamic import ScanTableSource
from table_common.connector.source.dynamic_filtering import DynamicFilteringData
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import RowType


class DeliveryGuarantee(Enum):
    """How often a row is visible in the external system after failures and retries. EXPLAIN shows it for each sink.

    Example:
        >>> str(DeliveryGuarantee.EXACTLY_ONCE)
        'exactly-once'

    Source: Flink's ``org.apache.flink.connector.base.DeliveryGuarantee``.
    """

    EXACTLY_ONCE = "exactly-once"
    AT_LEAST_ONCE = "at-least-once"

    @override
    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class FileScanProvider(ScanTableSource.ScanRuntimeProvider):
    """Files of a format, read by the engine's own reader.

    ``paths`` are files or folders (local paths or URLs); ``physical_type`` is the row in the files (without partition keys),
    ``produced_type`` the row of the scan: some of its columns and of ``partition_keys``, in any order. ``filters`` are conjuncts over
    columns by name that the reader may use to skip data; they are applied again above. ``limit`` is a number of rows that suffices. ``metadata``
    gives those columns of ``produced_type`` that say something of the file: ``file.path`` (STRING, without scheme), ``file.name`` (STRING),
    ``file.size`` (BIGINT, bytes) or ``file.modification-time`` (TIMESTAMP_LTZ(3)), by the column's name. ``partitions``, if given, are the only
    ones that are read: for each the values of ``partition_keys`` as text, None for NULL. A column or field that a file of a format with named
    columns lacks is an error, or NULL if ``nulls_for_missing_columns``. ``snapshot`` is the listing that the source
    made to find partitions, for a reader in the same process; it is not pickled. ``nested`` gives those columns of ``produced_type`` that are
    fields of rows in the files, as names from the column inwards; in a row that is NULL they are NULL. Only sources of Parquet files have them.

    Example:
        >>> from table_common.types import RowType, parse_logical_type
        >>> row_type = parse_logical_type("ROW<id INT, name STRING> NOT NULL")
        >>> FileScanProvider(("/data/orders",), "csv", row_type, row_type, format_options={"field-delimiter": ";"}).is_bounded
        True
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
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    partitions: tuple[tuple[str | None, ...], ...] | None = None
    nulls_for_missing_columns: bool = False
    snapshot: object = field(default=None, compare=False, repr=False)
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    @override
    def is_bounded(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class FileSinkProvider(DynamicTableSink.SinkRuntimeProvider):
    """A folder of files of a format, written by the engine's own writer to a staging name and published by rename.

    ``rolling`` says when an unbounded job closes a file; ``partition_commit``, if given, how complete partitions are marked. A job that ends marks
    the partitions that it wrote.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> provider = FileSinkProvider("/data/orders", "parquet", parse_logical_type("ROW<id INT, day STRING> NOT NULL"), partition_keys=("day",))
        >>> provider.overwrite
        False
    """

    path: str
    format: str
    consumed_type: RowType
    format_options: Mapping[str, str] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    static_partition: Mapping[str, str] = field(default_factory=dict)
    partition_default_name: str = "__HIVE_DEFAULT_PARTITION__"
    overwrite: bool = False
    rolling: RollingPolicy = field(default_factory=RollingPolicy)
    partition_commit: PartitionCommit | None = None

    @property
    def delivery(self) -> DeliveryGuarantee:
        """Engines publish the staged files of a commit once."""
        return DeliveryGuarantee.EXACTLY_ONCE


class InputSplit(Protocol):
    """A piece of the input; any picklable object.

    Example:
        >>> import pickle
        >>> split: InputSplit = ("orders", 0, 1_000)  # a table, and a range of rows
        >>> pickle.loads(pickle.dumps(split))
        ('orders', 0, 1000)

    Source: Flink's ``org.apache.flink.core.io.InputSplit``.
    """


class ArrowScanProvider(ScanTableSource.ScanRuntimeProvider, ABC):
    """Splits known at planning; each is read by one task as record batches.

    Example:
        >>> import pyarrow
        >>> class Numbers(ArrowScanProvider):
        ...     def splits(self):
        ...         return [0, 10]
        ...     def read(self, split):
        ...         yield pyarrow.record_batch({"n": pyarrow.array(range(split, split + 2), pyarrow.int32())})
        >>> [batch.num_rows for split in Numbers().splits() for batch in Numbers().read(split)]
        [2, 2]

    Source: Flink's ``org.apache.flink.table.connector.source.SourceProvider``, for bounded Arrow batches.
    """

    @property
    @override
    def is_bounded(self) -> bool:
        return True

    @property
    def carries_user_code(self) -> bool:
        """Whether the provider holds objects of the user's program. They are pickled like user functions: by value if workers may not have the module."""
        return False

    @abstractmethod
    def splits(self) -> Sequence[InputSplit]:
        """Returns the splits, at least one; they are read independently."""

    def filtered_splits(self, filters: Sequence[DynamicFilteringData]) -> Sequence[InputSplit]:
        """Returns the splits that may have rows which pass all filters; possibly none.

        Called instead of ``splits`` if fields were applied to the source's ``SupportsDynamicFiltering``; by default nothing is skipped.
        """
        return self.splits()

    @abstractmethod
    def read(self, split: InputSplit) -> Iterator[SupportsArrowArray]:
        """Yields the rows of a split as record batches of the produced type; batches of some 64k rows are best."""

    def close(self) -> None:  # few have something to close
        """Releases what ``splits`` opened in its process, when the splits have been read or will not be; may be called again, also before ``splits``."""


class CommitMessage(Protocol):
    """The message of a writer to the committer: a JSON value, or an object of the dataclass that ``ArrowSinkProvider.message_class`` names.

    A checkpoint stores it as JSON. Fields of such a dataclass are bool, int, float, str, other such dataclasses, and lists and dicts of them.

    Example:
        >>> import json
        >>> message: CommitMessage = {"staged": "/data/.staging/part-0", "rows": 2}
        >>> json.loads(json.dumps(message)) == message
        True
    """


@dataclass(frozen=True, slots=True)
class WriterContext:
    """The identity of a write: job, epoch and task. Writing or committing twice under the same identity must have effect once.

    Several attempts of a task may write at the same time, and each may report: what one has staged must not be changed or removed by another. The committer gets the message of one of them.

    A job id lasts over restarts: the epochs of a job that resumes follow its last one. In batch mode each run of a statement is a job with one epoch.

    Example:
        >>> WriterContext("job-1", epoch=2, task=0) == WriterContext("job-1", epoch=2)
        True
    """

    job_id: str
    epoch: int = 0
    """Counts the commits of a job; a job in batch mode has one."""
    task: int = 0
    attempt: int = 0
    """Tells the attempts of a task in one run apart. Those of different runs may have the same number: a run begins when the one before has ended."""


@dataclass(frozen=True, slots=True)
class CommitContext:
    """The identity of a commit: job and epoch, see ``WriterContext``. A repeated commit has the same identity and the same messages.

    Example:
        >>> CommitContext("job-1", epoch=2).epoch
        2
    """

    job_id: str
    epoch: int = 0


class SinkWriter(ABC):
    """Takes the rows of one task in one epoch.

    Example:
        >>> import pyarrow
        >>> class Counting(SinkWriter):
        ...     rows = 0
        ...     def write(self, batch):
        ...         self.rows += batch.num_rows
        ...     def prepare_commit(self):
        ...         return self.rows
        ...     def abort(self):
        ...         self.rows = 0
        >>> writer = Counting()
        >>> writer.write(pyarrow.record_batch({"id": [1, 2]}))
        >>> writer.prepare_commit()
        2

    Source: Flink's ``org.apache.flink.api.connector.sink2.CommittingSinkWriter``.
    """

    @abstractmethod
    def write(self, batch: SupportsArrowArray) -> None:
        """Takes rows of the consumed type, followed by a column of row kinds if ``SinkContext.has_row_kinds``."""

    def write_watermark(self, watermark: int) -> None:  # noqa: B027  # few need it
        """Takes the event time, in milliseconds, up to which all rows were written; called at the end of an epoch whose rows have event time.

        When the input has ended, it is the greatest BIGINT. Where several tasks write an epoch, only a writer without rows gets it, of a sink with
        ``commits_empty_epochs``: it is known when all tasks have ended.
        """

    @abstractmethod
    def prepare_commit(self) -> CommitMessage:
        """Makes the rows of the epoch durable, ends the writer, and returns the message from which the committer makes the rows visible.

        The message is part of a checkpoint: it must be enough to commit in another process after this one was killed. What a run without a commit left behind must
        not become visible when a later run writes and commits the same epoch, also if it has fewer tasks.
        """

    @abstractmethod
    def abort(self) -> None:
        """Discards the written rows; called instead of ``prepare_commit``, or after it failed."""


class SinkCommitter(ABC):
    """Makes the rows of all tasks of one epoch visible.

    Example:
        >>> published = {}
        >>> class Publishing(SinkCommitter):
        ...     def __init__(self, context):
        ...         self.identity = (context.job_id, context.epoch)
        ...     def commit(self, messages):
        ...         published[self.identity] = sum(messages)  # again with the same messages: the same result
        ...     def abort(self, messages):
        ...         published.pop(self.identity, None)
        >>> Publishing(CommitContext("job-1", epoch=7)).commit([2, 3])
        >>> published
        {('job-1', 7): 5}

    Source: Flink's ``org.apache.flink.api.connector.sink2.Committer``.
    """

    @abstractmethod
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        """Makes the rows visible.

        It is called again with the same messages if the job does not know whether it succeeded; even after later epochs, this must change nothing.
        """

    @abstractmethod
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        """Discards the rows that writers have prepared for this job and epoch, also those of attempts that are not in ``messages``: these are unknown if the job failed before.

        The owner of an unbounded job calls it without messages for its next epoch: what a process that died has left behind goes.
        """


class ArrowSinkProvider(DynamicTableSink.SinkRuntimeProvider, ABC):
    """A writer for each task and one committer; both may be created in other processes.

    Example:
        >>> class Rows(SinkWriter, SinkCommitter):
        ...     rows = 0
        ...     def write(self, batch):
        ...         self.rows += batch.num_rows
        ...     def prepare_commit(self):
        ...         return self.rows
        ...     def commit(self, messages):
        ...         self.rows = sum(messages)
        ...     def abort(self, messages=()):
        ...         self.rows = 0
        >>> class CountingProvider(ArrowSinkProvider):
        ...     def create_writer(self, context):
        ...         return Rows()
        ...     def create_committer(self, context):
        ...         return Rows()
        >>> provider = CountingProvider()
        >>> provider.create_committer(CommitContext("job-1")).commit([provider.create_writer(WriterContext("job-1")).prepare_commit()])
        >>> provider.is_local
        False

    Source: Flink's ``org.apache.flink.table.connector.sink.SinkV2Provider``, for Arrow batches.
    """

    @property
    def is_local(self) -> bool:
        """Whether all rows must go to the process that submitted the job, as one task."""
        return False

    @property
    def message_class(self) -> type | None:
        """The dataclass of the commit messages, whose fields say how a checkpoint stores them; None: they are JSON values."""
        return None

    @property
    def commits_empty_epochs(self) -> bool:
        """Whether epochs without rows have a writer and a commit too: the passing of time has an effect."""
        return False

    @property
    def delivery(self) -> DeliveryGuarantee:
        """How often rows are visible if commits are repeated: exactly once, unless the connector says otherwise."""
        return DeliveryGuarantee.EXACTLY_ONCE

    @abstractmethod
    def create_writer(self, context: WriterContext) -> SinkWriter:
        """Returns the writer of a task."""

    @abstractmethod
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        """Returns the committer of an epoch; if ``is_local``, called before the first row is read."""
