"""Unbounded tables as streaming DataFrames: the calls that Spark makes, queries over a watched folder, and what is refused."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType

from table_api import Configuration
from table_api_bridge import SparkTableEnvironment
from table_common.arrow import to_arrow_schema
from table_common.connector import ReadLimit, SourceProvider, SourceReader, SourceSplit
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import BigIntType, RowType
from table_planner_spark.scan import stream_source
from table_planner_spark.scan.stream_source import OffsetDataSource, why_not_as_stream
from table_planner_spark.spark_internals import SPARK_VERSION, row_limit
from table_runtime.scans import ScanOffsets

ROW = RowType.of([("n", BigIntType())], nullable=False)
SCHEMA = StructType([StructField("n", LongType())])
needs_limits = pytest.mark.skipif(SPARK_VERSION < (4, 2), reason="Spark has no limits of Python's streaming sources before 4.2")

cloudpickle.register_pickle_by_value(sys.modules[__name__])


@dataclass(frozen=True)
class Range:
    split_id: str
    start: int
    end: int


@dataclass
class Numbers(SourceProvider):
    """Numbers in two splits, even and odd ones. ``count`` may grow."""

    count: int = 10
    calls: list[Any] = field(default_factory=list)
    is_bounded = False

    def initial_offset(self) -> Any:
        return 0

    def latest_offset(self, start: Any, limit: ReadLimit | None = None) -> Any:
        end = self.count
        if limit is not None and limit.until is not None:
            end = min(end, limit.until)  # type: ignore[call-overload]
        return min(end, start + limit.rows) if limit is not None and limit.rows is not None else end

    def wait(self, start: Any, seconds: float) -> bool:
        self.calls.append("wait")
        return False

    def plan(self, start: Any, end: Any) -> Sequence[SourceSplit]:
        return [Range(("even", "odd")[n % 2], n, n + 1) for n in range(start, end)]

    def create_reader(self) -> SourceReader:
        return Reader()

    def commit(self, end: Any) -> None:
        self.calls.append(("commit", end))

    def close(self) -> None:
        self.calls.append("close")


class Reader(SourceReader):
    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        if split.start == 13:
            raise OSError("no thirteen")
        yield pa.record_batch({"n": pa.array(range(split.start, split.end), pa.int64())})


@pytest.fixture
def source() -> tuple[Any, Any]:
    """A reader as Spark's process makes it, and its provider."""
    scan = ScanOffsets(Numbers(), ROW, to_arrow_schema(ROW), "t", "numbers", changes=False)
    payload = base64.b64encode(cloudpickle.dumps((scan, ROW, 4, "key"))).decode()
    reader: Any = OffsetDataSource({"payload": payload}).streamReader(SCHEMA)
    return reader, reader._scan.offsets


@needs_limits
def test_offsets_are_in_a_dict_and_heed_the_limit(source: tuple[Any, Any]) -> None:
    reader, provider = source
    start = reader.initialOffset()
    assert start == {"offset": 0}
    assert reader.latestOffset(start, reader.getDefaultReadLimit()) == {"offset": 4}
    assert reader.latestOffset(start, None) == {"offset": 10}
    assert reader.latestOffset({"offset": 10}, row_limit(4)) == {"offset": 10}
    assert provider.calls == ["wait"]


@needs_limits
def test_a_query_of_what_is_there_ends_though_more_rows_come(source: tuple[Any, Any]) -> None:
    reader, provider = source
    reader.prepareForTriggerAvailableNow()
    assert reader.latestOffset({"offset": 0}, row_limit(8)) == {"offset": 8}
    provider.count = 100
    assert reader.latestOffset({"offset": 8}, row_limit(8)) == {"offset": 10}
    assert reader.latestOffset({"offset": 10}, row_limit(8)) == {"offset": 10}
    assert provider.calls == []


def test_the_splits_of_one_id_are_one_task(source: tuple[Any, Any]) -> None:
    reader, _ = source
    partitions = reader.partitions({"offset": 1}, {"offset": 6})
    assert [[split.start for split in partition.splits] for partition in partitions] == [[1, 3, 5], [2, 4]]
    assert [batch.column(0).to_pylist() for batch in reader.read(partitions[0])] == [[1], [3], [5]]
    assert reader.partitions({"offset": 6}, {"offset": 6}) == []


def test_the_source_is_told_what_is_committed_and_closed(source: tuple[Any, Any]) -> None:
    reader, provider = source
    reader.commit({"offset": 7})
    reader.stop()
    assert provider.calls == [("commit", 7), "close"]


def test_an_error_of_a_reader_names_the_table(source: tuple[Any, Any]) -> None:
    reader, _ = source
    (partition,) = reader.partitions({"offset": 13}, {"offset": 14})
    with pytest.raises(TableRuntimeException, match="Reading t failed: OSError: no thirteen"):
        list(reader.read(partition))


def test_older_versions_of_spark_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_source, "SPARK_VERSION", (4, 1))
    assert why_not_as_stream(Numbers()) == "an unbounded table becomes a streaming DataFrame on Spark 4.2 or later, and this is 4.1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A watched folder of three files."""
    target = tmp_path / "in"
    target.mkdir()
    for number in range(3):
        write(target, number)
    return target


def write(folder: Path, number: int) -> None:
    rows = [{"id": number * 10 + n, "name": f"n{n}", "ts": f"2024-01-01 00:00:0{n}"} for n in range(10)]
    hidden = folder / f".{number}.json"
    hidden.write_text("\n".join(map(json.dumps, rows)))
    hidden.rename(folder / f"{number}.json")


@pytest.fixture
def streaming(spark: SparkSession, folder: Path) -> Iterator[SparkTableEnvironment]:
    """An environment in streaming mode with the folder as table ``t``."""
    options = {"execution.runtime-mode": "streaming", "table.exec.spark.max-rows-per-epoch": "10", "table.local-time-zone": "UTC"}
    with SparkTableEnvironment.create(spark, Configuration(options)) as env:
        env.execute_sql(
            "CREATE TABLE t (id BIGINT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
            f"WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json', 'source.monitor-interval' = '1 ms')"
        )
        yield env


def rows_of(frame: DataFrame, checkpoint: Path) -> list[tuple[Any, ...]]:
    """Runs a streaming DataFrame until it has read what there is; returns the rows of this run."""
    query = frame.writeStream.format("memory").queryName("found").option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
    query.outputMode("append").start().awaitTermination(60)
    found = sorted(map(tuple, frame.sparkSession.table("found").collect()))
    frame.sparkSession.catalog.dropTempView("found")
    return found


@needs_limits
def test_a_watched_folder_is_a_streaming_data_frame(
    spark: SparkSession, streaming: SparkTableEnvironment, folder: Path, tmp_path: Path
) -> None:
    windows = (
        "SELECT id, UPPER(name) AS n, window_end FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)) WHERE MOD(id, 2) = 0"
    )
    frame = streaming.to_data_frame(streaming.sql_query(windows))
    assert frame.isStreaming
    assert frame.sparkSession is spark
    written = frame.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = written.trigger(availableNow=True).start(str(tmp_path / "out"))
    query.awaitTermination(60)
    assert [progress["numInputRows"] for progress in query.recentProgress if progress["numInputRows"]] == [10, 10, 10]
    write(folder, 3)
    again = frame.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    again.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination(60)
    found = sorted((row.id, row.n, row.window_end.second) for row in spark.read.parquet(str(tmp_path / "out")).collect())
    assert found == [(number, f"N{number % 10}", 5 if number % 10 < 5 else 10) for number in range(0, 40, 2)]


@needs_limits
def test_it_is_joined_and_viewed_as_others(spark: SparkSession, streaming: SparkTableEnvironment, tmp_path: Path) -> None:
    streaming.create_temporary_view("labels", spark.createDataFrame([(3, "three"), (21, "many")], "k BIGINT, label STRING"))
    streaming.create_spark_view("joined", streaming.sql_query("SELECT t.id, l.label FROM t JOIN labels AS l ON t.id = l.k"))
    try:
        frame = spark.sql("SELECT label, id FROM joined WHERE id > 0")
        assert rows_of(frame, tmp_path / "checkpoint") == [("many", 21), ("three", 3)]
    finally:
        spark.catalog.dropTempView("joined")


@needs_limits
def test_state_is_refused_with_the_insert_that_keeps_it(streaming: SparkTableEnvironment) -> None:
    with pytest.raises(TableException, match=r"Aggregate\(.* keeps state over the table 'default_catalog.default_database.t'") as refused:
        streaming.to_data_frame(streaming.sql_query("SELECT name, COUNT(*) FROM t GROUP BY name"))
    assert "INSERT in streaming mode" in str(refused.value)


def test_rows_of_this_process_are_refused(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Numbers, "is_in_process", True)
    assert why_not_as_stream(Numbers()) == "its rows are in this process, and Spark reads a streaming DataFrame in others"
    assert "SourceProvider" in str(why_not_as_stream(object()))


@needs_limits
def test_a_source_that_cannot_be_pickled_is_refused(streaming: SparkTableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    from table_runtime.files.monitored import MonitoredFiles

    monkeypatch.setattr(MonitoredFiles, "__reduce__", lambda self: (threading.Lock, (threading.Lock(),)), raising=False)
    with pytest.raises(TableException, match=r"The source of .*\.t cannot be sent to Spark's workers.*MonitoredFiles cannot be pickled"):
        streaming.to_data_frame(streaming.sql_query("SELECT id FROM t"))
