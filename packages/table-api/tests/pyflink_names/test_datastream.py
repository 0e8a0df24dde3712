"""Environments of data streams, and streams as lists of rows."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import Configuration
from table_api.common import Types
from table_api.pyflink_names.datastream import DataStream, RuntimeExecutionMode, StreamExecutionEnvironment
from table_common.exceptions import ValidationException


def test_options_are_collected() -> None:
    env = StreamExecutionEnvironment.get_execution_environment(Configuration().set_string("table.exec.timeout", "1 h"))
    assert env.get_parallelism() == -1
    env.set_parallelism(3).set_runtime_mode(RuntimeExecutionMode.STREAMING)
    env.configure(Configuration().set_string("table.local-time-zone", "UTC"))
    assert env.get_parallelism() == 3
    assert env.get_configuration().to_map() == {
        "table.exec.timeout": "1 h",
        "table.exec.resource.default-parallelism": "3",
        "execution.runtime-mode": "streaming",
        "table.local-time-zone": "UTC",
    }


def test_the_automatic_mode_is_refused() -> None:
    with pytest.raises(ValidationException, match=r"AUTOMATIC.*\n.*BATCH"):
        StreamExecutionEnvironment().set_runtime_mode(RuntimeExecutionMode.AUTOMATIC)


def test_dependencies_are_collected() -> None:
    env = StreamExecutionEnvironment()
    env.add_python_file("a.py")
    env.add_python_archive("b.zip", "b")
    env.set_python_requirements("r.txt")
    assert [method for method, _ in env.dependencies] == ["add_python_file", "add_python_archive", "set_python_requirements"]


def test_a_collection_is_a_stream_of_its_elements() -> None:
    stream = StreamExecutionEnvironment().from_collection([(1, "a"), (2, "b")], Types.TUPLE([Types.INT(), Types.STRING()]))
    assert list(stream) == list(stream) == [(1, "a"), (2, "b")]
    assert stream.execute_and_collect(limit=1) == [(1, "a")]
    assert str(stream.get_type()) == "ROW<`f0` INT, `f1` STRING>"
    with stream.execute_and_collect() as rows:  # type: ignore[union-attr]  # without a limit it is an iterator
        assert next(rows) == (1, "a")


def test_a_stream_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    DataStream(lambda: iter([1, 2])).print("out").print()
    assert capsys.readouterr().out == "out> 1\nout> 2\n1\n2\n"


@pytest.mark.parametrize("method", ["map", "key_by", "sink_to", "assign_timestamps_and_watermarks"])
def test_pipelines_of_streams_are_refused_with_the_replacement(method: str) -> None:
    stream: Any = StreamExecutionEnvironment().from_collection([1])
    with pytest.raises(ValidationException, match=rf"DataStream.{method} does not exist.*\n.*from_data_stream"):
        getattr(stream, method)
    with pytest.raises(AttributeError):
        stream.nothing  # noqa: B018  (the access is the test)


@pytest.mark.parametrize("method", ["add_jars", "from_source", "read_text_file", "enable_checkpointing"])
def test_what_needs_flink_is_refused_with_the_replacement(method: str) -> None:
    env: Any = StreamExecutionEnvironment()
    with pytest.raises(ValidationException, match=rf"StreamExecutionEnvironment.{method} does not exist.*\nhint: .+"):
        getattr(env, method)
    assert not hasattr(env, "nothing")


def test_executing_and_closing_do_nothing() -> None:
    env = StreamExecutionEnvironment()
    assert env.execute("my job").get_job_id() == "my job"
    env.close()
