"""Writes to connectors that accept Arrow record batches: a writer in each Spark task, or one in this process, and one committer."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import TaskContext, cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from table_common.annotation import override
from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    CommitMessage,
    SinkCommitter,
    WriterContext,
    message_from_json,
    message_to_json,
)
from table_common.types import RowType
from table_planner_spark.data_sources import registered_name
from table_planner_spark.expressions.python_boundary import encode_sql, from_transport
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.workers import require_packages
from table_planner_spark.worker_errors import carrying_errors, to_table_error
from table_runtime.files import FileChanges

_PAYLOAD = "payload"


@dataclass(frozen=True, slots=True)
class ArrowWrite:
    """A prepared write; its columns have transport types."""

    provider: ArrowSinkProvider
    frame: DataFrame
    row_type: RowType
    table: str = "the table"

    def run(self, frame: DataFrame, changes: FileChanges, write_id: str, begin_commit: Callable[[], None]) -> None:
        """Writes the rows and commits them with a new committer."""
        if self.provider.is_local:
            try:
                _write_here(self.provider, frame, self.row_type, write_id, begin_commit)
            except PySparkException:  # the query failed, not the writing
                raise
            except Exception as error:
                raise to_table_error(error, f"Writing {self.table}") from error
            return
        spark = frame.sparkSession
        require_packages(spark)
        # Spark looks the name up in the active session of this thread, which may differ from the planning thread's.
        adapter_of(spark).activate(spark)
        with tempfile.TemporaryDirectory(prefix="table-write-") as folder:
            messages = Path(folder) / "messages"
            adapter_of(spark).require_shared_folder(spark, Path(folder))
            payload = cloudpickle.dumps((self.provider, self.row_type, write_id, self.table, str(messages)))  # type: ignore[no-untyped-call]
            writer = frame.write.format(registered_name(spark, ArrowSinkDataSource)).mode("append")
            try:
                writer.option(_PAYLOAD, base64.b64encode(payload).decode()).save()
                begin_commit()
            except BaseException:
                if messages.exists():  # else Spark has aborted the write
                    with suppress(Exception):
                        self.provider.create_committer(CommitContext(write_id)).abort(_read(self.provider, messages))
                raise
            try:
                self.provider.create_committer(CommitContext(write_id)).commit(_read(self.provider, messages))
            except Exception as error:
                raise to_table_error(error, f"Writing {self.table}") from error


def plan_arrow_write(provider: ArrowSinkProvider, node: SparkRelation, row_type: RowType, table: str = "the table") -> ArrowWrite:
    """Returns the write of a query's rows; ``table`` is the table's name in errors."""
    texts = [
        f"{encode_sql(quote_name(name), field.type)} AS {quote_name(name)}"
        for name, field in zip(node.columns, row_type.fields, strict=True)
    ]
    return ArrowWrite(provider, node.frame.selectExpr(*texts), row_type, table)


def _write_here(provider: ArrowSinkProvider, frame: DataFrame, row_type: RowType, job_id: str, begin_commit: Callable[[], None]) -> None:
    writer = provider.create_writer(WriterContext(job_id))
    committer: SinkCommitter | None = None
    messages: list[CommitMessage] = []
    try:
        committer = provider.create_committer(CommitContext(job_id))
        for batch in frame.toArrow().to_batches():
            writer.write(from_transport(batch, row_type))
        messages.append(writer.prepare_commit())
        begin_commit()
        committer.commit(messages)
    except BaseException:
        # The first error is the one to report.
        if not messages:
            with suppress(Exception):
                writer.abort()
        if committer is not None:
            with suppress(Exception):
                committer.abort(messages)
        raise


class ArrowSinkDataSource(DataSource):
    """A provider as a Spark data source; it is passed, pickled, in an option."""

    @classmethod
    @override
    def name(cls) -> str:
        return "table_arrow_sink"

    @override
    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        return _Writer(*cloudpickle.loads(base64.b64decode(self.options[_PAYLOAD])))


@dataclass
class _Message(WriterCommitMessage):
    content: Any


class _Writer(DataSourceArrowWriter):
    """Writes in the tasks. What they give for the commit goes into a file of this machine, and the process of the planner commits it.

    Spark commits in a process of its own, which the planner could not ask whether the job was cancelled before.
    """

    def __init__(self, provider: ArrowSinkProvider, row_type: RowType, job_id: str, table: str, messages: str) -> None:
        self._doing = f"Writing {table}"
        self._provider = provider
        self._row_type = row_type
        self._job_id = job_id
        self._messages = messages

    @override
    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        task = TaskContext.get()
        with carrying_errors(self._doing):
            number, attempt = (task.partitionId(), task.taskAttemptId()) if task is not None else (0, 0)
            writer = self._provider.create_writer(WriterContext(self._job_id, 0, number, attempt))
            try:
                for batch in iterator:
                    writer.write(from_transport(batch, self._row_type))
                return _Message(message_to_json(self._provider, writer.prepare_commit()))
            except BaseException:
                with suppress(Exception):
                    writer.abort()
                raise

    @override
    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        with carrying_errors(self._doing):
            Path(self._messages).write_text(json.dumps(_contents(messages)))

    @override
    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        found = [message_from_json(self._provider, message) for message in _contents(messages)]
        self._provider.create_committer(CommitContext(self._job_id)).abort(found)


def _read(provider: ArrowSinkProvider, messages: Path) -> list[CommitMessage]:
    return [message_from_json(provider, message) for message in json.loads(messages.read_text())]


def _contents(messages: Sequence[WriterCommitMessage | None]) -> list[Any]:
    return [message.content for message in messages if isinstance(message, _Message)]
