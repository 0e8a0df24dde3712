"""How the JVM of Spark ends, seen by a program of its own: it dies in a query or between two, calls are cut off, environments are closed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.clientserver import JavaClient, JavaParameters, PythonParameters  # type: ignore[import-untyped]

from table_planner_spark.session.jvm import is_alive

PROGRAM = """
import json, os, pathlib, signal, tempfile, threading, time
from pyspark import SparkContext
from table_api import Configuration, EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError
from table_planner_spark import local_session

def new_env(options={}):
    configuration = Configuration({"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", **options})
    return TableEnvironment.create(
        EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").with_configuration(configuration).build()
    )

def value(env, expression="40 + 2"):
    return next(iter(env.execute_sql(f"SELECT {expression}").collect()))[0]

def error_of(call):
    try:
        return str(call())
    except TableError as error:
        return f"{type(error).__name__}: {error}"

def process():
    return SparkContext._gateway.proc

def runs(process):
    return process.poll() is None

class Stop(BaseException):
    pass

def stop(number, frame):
    raise Stop

found = {}
env = new_env()
env.create_temporary_view("t", env.from_elements([(n, str(n)) for n in range(1_000)], ["n", "s"]))
found["first"] = value(env)

# Calls that signals cut off; the exceptions are kept, as an interactive session keeps its last one.
signal.signal(signal.SIGALRM, stop)
kept = []
for _ in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        SparkContext._jvm.java.lang.Thread.sleep(1_500)
    except Stop as error:
        kept.append(error)
found["cut off"] = [len(kept), *(value(env, f"{n} * 10") for n in range(5))]
def raise_timeout(number, frame):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, raise_timeout)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    SparkContext._jvm.java.lang.Thread.sleep(1_500)
except Exception as error:
    found["exception of a handler"] = [f"{type(error).__name__}: {error}", value(env)]

# In a query.
first = process()
threading.Timer(1.0, first.kill).start()
slow = "SELECT COUNT(*) FROM t a, t b, t c WHERE SIN(a.n + b.n * c.n) > 2"
found["died in a query"] = error_of(lambda: list(env.execute_sql(slow).collect()))
found["next statement"] = next(iter(env.execute_sql("SELECT COUNT(*), MAX(s) FROM t").collect()))[:]
second = process()
found["another JVM"] = second.pid != first.pid

# Between two statements, of two environments.
other = new_env()
found["shared"] = [value(other), process().pid == second.pid]
second.kill()
second.wait()
found["died between"] = [value(env), value(other)]
third = process()

env.close()
found["one of two closed"] = [runs(third), value(other)]
other.close()
found["both closed"] = [runs(third), SparkContext._gateway is None]

for name in ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED"):
    os.environ[name] = "sc://127.0.0.1:1"
    found[name] = error_of(lambda: value(new_env()))
    del os.environ[name]
found["no such master"] = error_of(lambda: value(new_env({"spark.master": "nowhere"})))
found["after no such master"] = [SparkContext._gateway is None, value(new_env())]

# Spark is stopped under a query; its JVM stays.
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "in").mkdir()
    pathlib.Path(folder, "in", "1.csv").write_text("1\\n")
    streaming = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build())
    watched = f"'connector'='filesystem', 'path'='{folder}/in', 'format'='csv', 'source.monitor-interval'='10 ms'"
    streaming.execute_sql(f"CREATE TABLE watched (n INT) WITH ({watched})")
    rows = streaming.execute_sql("SELECT COUNT(*) FROM watched").collect()
    next(rows)
    SparkContext._active_spark_context.stop()
    found["stopped under a query"] = error_of(lambda: list(rows))

    # In a job with checkpoints, which is restarted after lost connections.
    streaming.get_config().set("execution.checkpointing.dir", folder + "/checkpoints").set("pipeline.name", "job")
    streaming.execute_sql("CREATE TABLE nowhere (n INT) WITH ('connector'='blackhole')")
    result = streaming.execute_sql("INSERT INTO nowhere SELECT n FROM watched")
    while not result.get_job_client().checkpoints():
        time.sleep(0.05)
    process().kill()
    found["died in a job"] = error_of(result.wait)

# A session of the program's own.
mine = local_session()
settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build()
of_mine = TableEnvironment.create(settings, external={"spark": mine})
found["a session of the program"] = [value(of_mine)]
process().kill()
process().wait()
found["a session of the program"] += [error_of(lambda: value(of_mine)), value(new_env())]
print(json.dumps(found, default=list))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What the program found."""
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stderr[-4000:]
    result: dict[str, Any] = json.loads(ended.stdout)
    return result


def test_calls_that_an_exception_cuts_off_leave_the_session_as_it_is(found: dict[str, Any]) -> None:
    assert found["cut off"] == [3, 0, 10, 20, 30, 40]


def test_an_exception_of_a_signal_handler_reaches_the_program(found: dict[str, Any]) -> None:
    assert found["exception of a handler"] == ["TimeoutError: enough", 42]


def test_a_crash_of_the_jvm_is_a_clear_error(found: dict[str, Any]) -> None:
    assert found["died in a query"].startswith("TableRuntimeException: The JVM of Spark has ended by the signal SIGKILL")
    assert "The next statement starts a new one." in found["died in a query"]


def test_a_crash_of_the_jvm_ends_a_job_with_checkpoints(found: dict[str, Any]) -> None:
    assert found["died in a job"].startswith("TableRuntimeException: The JVM of Spark has ended by the signal SIGKILL")


def test_the_end_of_spark_under_a_query_is_a_clear_error(found: dict[str, Any]) -> None:
    assert found["stopped under a query"].startswith("TableException: The Spark session of this environment was stopped.")


def test_the_next_statement_starts_another_jvm(found: dict[str, Any]) -> None:
    assert (found["next statement"], found["another JVM"]) == ([1_000, "999"], True)


def test_environments_share_a_jvm_and_the_one_after_it(found: dict[str, Any]) -> None:
    assert (found["shared"], found["died between"]) == ([42, True], [42, 42])


def test_the_jvm_ends_with_the_last_environment(found: dict[str, Any]) -> None:
    assert (found["one of two closed"], found["both closed"]) == ([True, 42], [False, True])


def test_a_session_of_the_program_is_not_replaced_when_its_jvm_dies(found: dict[str, Any]) -> None:
    before, error, after = found["a session of the program"]
    assert (before, after) == (42, 42)
    assert error.startswith("TableRuntimeException: The JVM of Spark has ended")
    assert "Create a new Spark session, and a new environment with it." in error


def test_a_spark_that_does_not_start_leaves_no_jvm_and_the_next_one_starts(found: dict[str, Any]) -> None:
    assert found["no such master"].startswith("TableException: Spark cannot be started")
    assert found["after no such master"] == [True, 42]


@pytest.mark.parametrize("name", ["SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED"])
def test_spark_connect_is_refused_at_once(found: dict[str, Any], name: str) -> None:
    assert f"does not run on Spark Connect, which this process uses: {name} is set" in found[name]


def test_a_jvm_that_this_process_did_not_start_is_asked_at_its_own_address() -> None:
    """As under spark-submit: py4j's client has an address of its own that is none."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = JavaClient(JavaParameters(address="127.0.0.1", port=server.getsockname()[1]), PythonParameters())
        gateway = SimpleNamespace(_gateway_client=client)
        assert is_alive(gateway)
    assert not is_alive(gateway)
