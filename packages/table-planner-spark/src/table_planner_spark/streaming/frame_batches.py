"""A streaming DataFrame as a source of a job: Spark's own streaming query forms the batches, and each is read in one epoch.

Spark calls ``foreachBatch`` in a thread of this process, which gives the batch to the job and waits. The call returns when the epoch with the rows of the batch
is committed: then Spark notes the batch as done in its checkpoint, a folder of the job. If the process ends before, Spark gives the batch again. The manifest of
the epoch says which batch was the last, so the rows of one that is in an epoch already are in no other: they are read for the state of Spark alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import DataFrame

from table_common.annotation import override
from table_common.exceptions import TableException, TableInternalError, TableRuntimeException
from table_common.gate import AllowedPath, AllowedUrl
from table_common.types import RowType
from table_planner_spark.errors import to_runtime_error
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.session.log_filter import CallInterrupted
from table_planner_spark.spark_internals import StreamingQuery, failure_of, sleep_in_jvm, why_not_streaming
from table_planner_spark.streaming.frame_rows import Encode, FrameRows
from table_runtime.run import ExecutionContext, Operator
from table_runtime.streaming import EpochSource, Reads, Source

_LOOK_SECONDS = 0.2
"""How often Spark is asked whether the query still runs."""
_STOP_SECONDS = 30.0
"""After this time a call of Spark for a batch fails if the query is not stopped."""


class FrameStream(Operator):
    """The scan of a streaming DataFrame. ``create`` makes it, and ``encode`` the rows of a batch as they travel; ``table`` names it."""

    is_bounded = False

    def __init__(self, schema: pa.Schema, row_type: RowType, table: str, create: Callable[[], DataFrame], encode: Encode) -> None:
        super().__init__(schema)
        self.table = table
        self.row_type = row_type
        self.create = create
        self.encode = encode

    @override
    def details(self) -> str:
        return f"table=[{self.table}], fields=[{', '.join(self.schema.names)}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        raise TableInternalError("The rows of a streaming DataFrame are read batch by batch.")

    def require_append(self) -> None:
        """Checks that Spark runs the DataFrame as a query that only adds rows.

        Raises:
            TableException: it does not.
        """
        reason = why_not_streaming(self.create(), ("Append",))
        if reason is not None:
            raise TableException(
                f"Spark does not give the rows of {self.table} in batches that only add rows: {reason}",
                hint="Do the step that changes rows in the statement, not in the DataFrame: it keeps state for it.",
            )


class FrameBatches(EpochSource):
    """The batches of a streaming DataFrame. The position is the last batch, the folder of Spark's checkpoint in that of the job, and the query of that checkpoint."""

    def __init__(
        self,
        source: Source,
        scan: FrameStream,
        position: Mapping[str, Any],
        splits: Iterable[str],
        location: AllowedPath | AllowedUrl,
        run: str,
        session: EngineSession,
        trigger: Mapping[str, Any],
    ) -> None:
        """``location`` is the folder of the job, ``run`` the name of this start, and ``trigger`` what starts a batch."""
        super().__init__(source, position, {*splits, ""})
        self._scan = scan
        self._session = session
        self._trigger = trigger
        self._name = f"{scan.table} {run}"
        self._checkpoint: str = position.get("checkpoint", f"spark/{run}")
        self._folder = _folder_of(location, self._checkpoint, session, scan.table)
        self._batch: int = position.get("batch", -1)
        self._next = self._batch
        self._query: StreamingQuery | None = None
        self._query_id: str | None = position.get("query")
        self._change = threading.Condition()
        self._waiting: tuple[int, DataFrame] | None = None
        self._is_closed = False
        self._next_look = 0.0

    @property
    @override
    def position(self) -> Mapping[str, Any]:
        ended = {"ended": True} if self.has_ended else {}
        return {"batch": self._next, "checkpoint": self._checkpoint, "query": self._query_id, **ended}

    @override
    def plan(self) -> Mapping[str, Reads | FrameRows]:
        self._next = self._batch
        if self.has_ended:
            return {}
        if self._query is None:
            self._query = self._start()
        with self._change:
            waiting = self._waiting
        if waiting is None:
            self._require_running(self._query)
            return {}
        number, frame = waiting
        if number != self._batch + 1:
            raise self._other_checkpoint(f"Its next batch is {number}, and the last one of the job is {self._batch}")
        if frame.schema != (expected := self._expected):
            raise TableException(
                f"The columns of {self._scan.table} have changed while the job runs: batch {number} has {frame.schema.simpleString()} in place of "
                f"{expected.simpleString()}.",
                hint="Start the statement again with the DataFrame as it is now.",
            )
        rows = FrameRows(self._scan.encode(frame), self._scan.row_type, self._scan.schema)
        self._next = number
        self.note_rows([""])
        return {"": rows}

    @override
    def taken(self) -> None:
        with self._change:
            self._batch = self._next
            if self._waiting is not None and self._waiting[0] <= self._batch:
                self._waiting = None
            self._change.notify_all()

    @override
    def wait(self, seconds: float) -> bool:
        with self._change:
            if self._change.wait_for(lambda: self._waiting is not None, seconds):
                return True
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + _LOOK_SECONDS
        return not self._is_running

    @override
    def close(self) -> None:
        with self._change:
            self._is_closed = True
            self._change.notify_all()
        if self._query is not None:
            with suppress(Exception):  # the job has ended, perhaps because Spark has
                self._query.stop()

    def _start(self) -> StreamingQuery:
        frame = self._scan.create()
        self._expected = frame.schema
        writer = frame.writeStream.queryName(self._name).option("checkpointLocation", self._folder).trigger(**self._trigger)
        try:
            query = writer.foreachBatch(self._on_batch).start()
        except Exception as error:
            raise self._failure(error) from error
        if self._query_id not in (None, query.id):
            self._query = query
            self.close()
            raise self._other_checkpoint(f"It is of the query {query.id}, and the job has read {self._query_id}")
        self._query_id = query.id
        return query

    def _on_batch(self, frame: DataFrame, number: int) -> None:
        """Called by Spark, in a thread of its own; returns when the rows of the batch are in an epoch that was committed."""
        if number == self._batch:  # Spark had not noted it as done
            frame.write.format("noop").mode("append").save()  # operators of Spark in the DataFrame keep state of a batch only if it is read
            return
        with self._change:
            self._waiting = number, frame
            self._change.notify_all()
            self._change.wait_for(lambda: self._is_closed or number == self._batch)
            if number == self._batch:
                return
        try:
            sleep_in_jvm(self._session.spark, _STOP_SECONDS)  # until the query is stopped, which interrupts it
        except Exception as interrupt:
            raise CallInterrupted(
                f"py4j.protocol.Py4JJavaError: {interrupt}"
            ) from None  # by its text Spark knows that the batch has not failed
        raise CallInterrupted(f"The job has ended before batch {number}.")

    def _other_checkpoint(self, found: str) -> TableException:
        return TableException(
            f"Spark's checkpoint of {self._scan.table}, {self._folder}, does not continue after the state of the job. {found}.",
            hint="Start the job from its last checkpoint, with the folder of the job as it was; or under another 'pipeline.name' from the beginning.",
        )

    @property
    def _is_running(self) -> bool:
        return self._query is not None and self._query.isActive

    def _require_running(self, query: StreamingQuery) -> None:
        """Notes that the query has read all rows that were there, if it reads no others.

        Raises:
            TableRuntimeException: it has failed, or was stopped.
        """
        if query.isActive:
            return
        error = failure_of(query)
        if error is not None:
            raise self._failure(error)
        if "availableNow" not in self._trigger:
            raise TableRuntimeException(f"The streaming query that reads {self._scan.table} was stopped outside of the job.")
        with self._change:
            self.is_read = self._waiting is None

    def _failure(self, error: BaseException) -> Exception:
        found = self._session.failure(error)
        if found is not None:
            return found
        return TableRuntimeException(f"Spark cannot read {self._scan.table}: {to_runtime_error(error)}")


def _folder_of(location: AllowedPath | AllowedUrl, checkpoint: str, session: EngineSession, table: str) -> str:
    """Returns the URL of the folder of Spark's checkpoint.

    Raises:
        TableException: Spark has no file system for the folder of the job.
    """
    text = str(location)
    url = text if "://" in text else unquote(Path(text).absolute().as_uri())  # Hadoop takes each character as it is
    scheme = url.partition(":")[0]
    if not adapter_of(session.spark).has_file_system(session.spark, scheme):
        raise TableException(
            f"Spark keeps a checkpoint of {table} in the folder of the job, and has no file system for '{scheme}': {url}.",
            hint="Give Spark one, such as hadoop-aws in 'spark.jars.packages', or SET 'execution.checkpointing.dir' to a folder that all workers reach.",
        )
    return f"{url.rstrip('/')}/{checkpoint}"
