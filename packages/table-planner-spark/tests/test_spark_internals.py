"""What is private of PySpark or differs between its versions."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import ArrayType, LongType, StructField, StructType, TimestampType

from table_common.exceptions import TableException
from table_planner_spark import spark_internals
from table_planner_spark.spark_internals import arrow_schema, clone_connect_session

START_ARROW_STREAM = (-6).to_bytes(4, "big", signed=True)


def _run_as_spark_4_0_does(
    function: Callable[..., Any], batches: list[pa.RecordBatch], positions: list[int], target: io.BytesIO | None = None, times: int = 1
) -> bytes:
    """Calls a function, of its own result if more ``times`` than one, with the variables of PySpark's worker; returns what is written to Spark."""
    made = spark_internals._FunctionInWorker(function, LongType())
    sent = io.BytesIO()
    with pa.RecordBatchStreamWriter(sent, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)

    def process(infile: io.BytesIO, outfile: io.BytesIO) -> bytes:
        iterator: Iterator[Any] = (pytest.fail("PySpark converts batches with pandas") for _ in range(1))

        def func(arg_offsets: list[int]) -> None:
            result: Any = iterator
            for _ in range(times):
                result = made(result)
            assert list(result) == []
            assert next(iterator, None) is None

        func(positions)
        assert infile.read() == b""
        return outfile.getvalue()

    return process(io.BytesIO(sent.getvalue()), target or io.BytesIO())


def _batch(a: list[int | None], b: list[int | None]) -> pa.RecordBatch:
    return pa.record_batch([pa.array(a, pa.int32()), pa.array(b, pa.int32())], names=["_0", "_1"])


def _minus(a: pa.Array, b: pa.Array) -> pa.Array:
    return pa.array([None if x is None or y is None else x - y for x, y in zip(a.to_pylist(), b.to_pylist(), strict=True)], pa.int32())


_minus.__annotations__ = {"a": pa.Array, "b": pa.Array, "return": pa.Array}


def _count(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
    seen = 0
    for (column,) in batches:
        yield pa.array(range(seen, seen + len(column)), pa.int64())
        seen += len(column)


_count.__annotations__ = {"batches": Iterator[tuple[pa.Array, ...]], "return": Iterator[pa.Array]}


def test_a_function_on_spark_4_0_reads_and_writes_the_streams_of_its_task() -> None:
    written = _run_as_spark_4_0_does(_minus, [_batch([1, None], [10, 20]), _batch([5], [7])], [1, 0])
    assert written[:4] == START_ARROW_STREAM
    result = pa.ipc.open_stream(written[4:]).read_all()
    assert result.to_pydict() == {"_0": [9, None, 2]}
    assert result.schema.types == [pa.int64()]  # as Spark expects it


def test_a_function_of_batches_on_spark_4_0_keeps_its_state_between_them() -> None:
    written = _run_as_spark_4_0_does(_count, [_batch([1, 2], [0, 0]), _batch([3], [0])], [0])
    assert pa.ipc.open_stream(written[4:]).read_all().to_pydict() == {"_0": [0, 1, 2]}


def _negated(values: pa.Array) -> pa.Array:
    return pa.array([-value for value in values.to_pylist()], pa.int32())


_negated.__annotations__ = {"values": pa.Array, "return": pa.Array}


@pytest.mark.parametrize(("times", "result"), [(1, [-1, -2, -3]), (2, [1, 2, 3]), (3, [-1, -2, -3])])
def test_functions_that_spark_4_0_chains_are_called_one_after_the_other(times: int, result: list[int]) -> None:
    written = _run_as_spark_4_0_does(_negated, [_batch([1, 2], [0, 0]), _batch([3], [0])], [0], times=times)
    assert pa.ipc.open_stream(written[4:]).read_all().to_pydict() == {"_0": result}


def test_a_function_on_spark_4_0_that_fails_at_once_has_written_nothing() -> None:
    def fail(_: pa.Array) -> pa.Array:
        raise ValueError("first batch")

    fail.__annotations__ = {"_": pa.Array, "return": pa.Array}
    target = io.BytesIO()
    with pytest.raises(ValueError, match="first batch"):
        _run_as_spark_4_0_does(fail, [_batch([1], [1])], [0], target)
    assert target.getvalue() == b""


def test_instants_are_exchanged_in_utc() -> None:
    schema = arrow_schema(StructType([StructField("t", TimestampType()), StructField("a", ArrayType(TimestampType()))]))
    assert [schema.field("t").type, schema.field("a").type.value_type] == [pa.timestamp("us", "UTC")] * 2


@pytest.mark.parametrize(("client", "server", "told"), [("4.0.5", "4.1.0", "client is 4.0.5"), ("4.3.0", "4.0.0", "server is 4.0.0")])
def test_sessions_of_spark_connect_are_cloned_from_4_1_on(monkeypatch: pytest.MonkeyPatch, client: str, server: str, told: str) -> None:
    monkeypatch.setattr("pyspark.__version__", client)
    with pytest.raises(TableException, match=rf"Spark Connect needs Spark 4\.1 or later, but the {told}"):
        clone_connect_session(SimpleNamespace(version=server, cloneSession=lambda: "a clone"))


def test_a_session_of_spark_connect_is_cloned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.__version__", "4.1.4")
    cloned: Any = clone_connect_session(SimpleNamespace(version="4.2.0", cloneSession=lambda: "a clone"))
    assert cloned == "a clone"
