"""How a job on Spark reads each of its sources: by offsets, in splits, or as rows that this process sends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from pyspark import cloudpickle

from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.streaming.bounded_sources import SourceRows, SourceSplits
from table_planner_spark.streaming.epoch_source import EpochSource
from table_planner_spark.streaming.row_transfer import RowTransfer
from table_planner_spark.streaming.source_offsets import SourceOffsets
from table_runtime.run import ExecutionContext
from table_runtime.scans import ScanOffsets, ScanSplits, divide_scan
from table_runtime.streaming import Source


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
) -> EpochSource:
    """Returns a source that continues at a position; ``splits`` are those that are known from the state of the job, ``sent`` sends rows of this process.
    ``key`` is the run of the job and the number of the source. ``is_once``: rows that come later are not read.

    Raises:
        TableException: the source has changed, or its files are not on all machines.
    """
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
