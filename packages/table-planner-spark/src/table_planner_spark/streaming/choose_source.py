"""How a job on Spark reads each of its sources: by offsets, in splits, or as rows that this process sends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark import cloudpickle

from table_common.configuration import ExecutionConfigOptions
from table_common.exceptions import TableException
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.streaming.frame_batches import FrameBatches, FrameStream
from table_planner_spark.streaming.row_transfer import RowTransfer
from table_runtime.run import ExecutionContext
from table_runtime.scans import ScanOffsets, ScanSplits, divide_scan
from table_runtime.streaming import EpochSource, JobSpec, SharedJob, SharedJobState, Source, SourceOffsets, SourceRows, SourceSplits


def epoch_sources(
    stream: JobSpec, session: EngineSession, job: SharedJob, state: SharedJobState, positions: Sequence[Mapping[str, Any]], interval: float
) -> tuple[list[EpochSource], float]:
    """Returns the sources of a job, which continue at positions, and the seconds between the starts of two epochs: if all unbounded sources are streaming
    DataFrames, Spark forms a batch at each ``interval``, and the job does not wait.

    Raises:
        TableException: a source has changed, or its files are not on all machines.
    """
    is_paced = all(isinstance(source.scan, FrameStream) for source in stream.graph.sources if source.is_unbounded)
    sources = [
        epoch_source(
            source,
            position,
            progress.splits,
            stream.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPARK_MAX_ROWS_PER_EPOCH),
            RowTransfer(job.location, f"{job.run}-{number}"),
            session,
            stream.context,
            (job.run, number),
            is_once=stream.is_once,
            interval=interval if is_paced else 0,
        )
        for number, (source, position, progress) in enumerate(zip(stream.graph.sources, positions, state.sources, strict=True))
    ]
    return sources, 0 if is_paced else interval


def require_offsets(source: Source) -> None:
    """Checks that a source can be read again after a failure.

    Raises:
        TableException: it is unbounded and has no offsets, or Spark does not run it in batches that only add rows.
    """
    if isinstance(source.scan, FrameStream):
        source.scan.require_append()
    elif source.is_unbounded and not isinstance(source.scan, ScanOffsets):
        raise TableException(
            f"The source of {source.table} is unbounded and has no offsets, so Spark cannot read it again after a failure.",
            hint="Run the statement on the embedded engine: the planner 'arrow'; or implement SourceProvider (latest_offset, plan, create_reader).",
        )


def epoch_source(
    source: Source,
    position: Mapping[str, Any],
    splits: Iterable[str],
    most_rows: int,
    sent: RowTransfer,
    session: EngineSession,
    context: ExecutionContext,
    key: tuple[str, int],
    *,
    is_once: bool = False,
    interval: float = 0,
) -> EpochSource:
    """Returns a source that continues at a position; ``splits`` are those that are known from the state of the job, ``sent`` sends rows of this process.
    ``key`` is the run of the job and the number of the source. ``is_once``: rows that come later are not read. ``interval`` is that of the batches of a DataFrame in seconds.

    Raises:
        TableException: the source has changed, or its files are not on all machines.
    """
    if isinstance(source.scan, FrameStream):
        trigger = {"availableNow": True} if is_once else {"processingTime": f"{round(interval * 1000)} milliseconds"}
        return FrameBatches(source, source.scan, position, splits, sent.location, f"{key[0]}-{key[1]}", session, trigger)
    if isinstance(source.scan, ScanOffsets):
        return SourceOffsets(source, source.scan, sent, position, most_rows, splits, key, is_once=is_once)
    if not position.get("ended") and ("splits" in position or not position.get("rows")):
        access = adapter_of(session.spark)
        parallelism = access.parallelism(session.spark)
        divided = divide_scan(source.scan, parallelism, context.snapshots)
        if divided is not None and (pickle := _pickler(divided, source.table)) is not None:
            access.require_same_files(session.spark, divided.paths)
            return SourceSplits(source, divided, pickle, position, most_rows, parallelism)
    return SourceRows(source, sent, position, most_rows)


def _pickler(scan: ScanSplits, table: str) -> Callable[[object], bytes] | None:
    """Returns what pickles the reader and the splits of a scan for workers; None: they cannot be pickled, so this process reads."""
    if scan.carries_user_code:
        from table_planner_spark.expressions.user_functions.shipping import dumps  # few sources are user code

        pickle: Callable[[object], bytes] = partial(dumps, name=f"that reads {table}")
    else:
        pickle = cloudpickle.dumps
    try:
        pickle((scan.reader, scan.splits[:1]))
    except Exception:  # whatever a connector raises
        return None
    return pickle
