"""Whoever can write to the folder of a job, to a catalog or to a compiled plan cannot run code: pickles in any of their files are an error, and are not read."""

from __future__ import annotations

import base64
import pickle
import shutil
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, PlanReference, TableEnvironment
from table_common.exceptions import TableError
from table_common.functions import AggregateFunction

LIMIT_SECONDS = 30.0
QUERY = """INSERT INTO o SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.v) AS a, B.v AS b
  PATTERN (A+ B) DEFINE A AS A.v < 10, B AS B.v >= 10)"""
TOTALS = "INSERT INTO p SELECT * FROM TO_CHANGELOG(TABLE q)"


class Total(AggregateFunction[int, list[int]]):
    """A sum in a list."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class Hostile:
    """An object whose pickle creates a file when it is read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return eval, (f"__import__('pathlib').Path({str(self._path)!r}).touch()",)


class Place:
    """A job with a checkpoint, and everything else that is stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.job = folder / "checkpoints" / "job"
        self.ran = folder / "ran"
        self.hostile = pickle.dumps(Hostile(self.ran))
        self._environments: list[TableEnvironment] = []

    def environment(self) -> TableEnvironment:
        env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
        self._environments.append(env)
        config = env.get_config()
        config.set("table.local-time-zone", "UTC").set("execution.checkpointing.interval", "50 ms").set("pipeline.name", "job")
        config.set("execution.checkpointing.dir", str(self.folder / "checkpoints"))
        env.create_temporary_function("total", Total())
        columns = "k INT, v INT, t BIGINT, ts AS TO_TIMESTAMP_LTZ(t, 3), WATERMARK FOR ts AS ts"
        source = f"'connector' = 'filesystem', 'format' = 'csv', 'path' = '{self.folder / 't'}', 'source.monitor-interval' = '10 ms'"
        env.execute_sql(f"CREATE TEMPORARY TABLE t ({columns}) WITH ({source})")
        env.execute_sql("CREATE TEMPORARY VIEW q AS SELECT k, total(v) AS s FROM t GROUP BY k")
        for name, columns in (("o", "k INT, a INT, b INT"), ("p", "op STRING, k INT, s BIGINT")):
            options = f"'connector' = 'filesystem', 'format' = 'csv', 'path' = '{self.folder / name}'"
            env.execute_sql(f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ({options})")
        return env

    def statements(self, env: TableEnvironment) -> Any:
        result = env.create_statement_set()
        result.add_insert_sql(QUERY)
        result.add_insert_sql(TOTALS)
        return result

    def create(self) -> None:
        (self.folder / "t").mkdir()
        (self.folder / "t" / "0.csv").write_text("1,1,1000\n2,2,2000\n2,20,3000\n1,2,3500\n")
        env = self.environment()
        client = self.statements(env).execute().get_job_client()
        deadline = time.monotonic() + LIMIT_SECONDS
        while not list((self.folder / "p").glob("part-*")) or not list((self.folder / "o").glob("part-*")):
            assert time.monotonic() < deadline, client.get_job_status()
            time.sleep(0.01)
        self.savepoint = env.execute_sql("STOP JOB 'job' WITH SAVEPOINT").to_arrow().to_pylist()
        env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{self.folder / 'catalog.db'}')")
        env.execute_sql(
            f"CREATE TABLE c.`default`.x (a INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{self.folder / 'x'}')"
        )
        env.execute_sql(f"COMPILE PLAN '{self.folder / 'plan.json'}' FOR {QUERY}")
        self.close()

    def close(self) -> None:
        for env in self._environments:
            env.close()
        self._environments.clear()

    def actions(self) -> list[Callable[[TableEnvironment], Any]]:
        """What reads what is stored."""
        savepoint = next((self.job / "savepoints").iterdir())

        def from_savepoint(env: TableEnvironment) -> None:
            env.get_config().set("pipeline.name", "other").set("execution.state-recovery.path", str(savepoint))
            env.explain_sql(TOTALS)
            self.run(env)

        def states(env: TableEnvironment) -> None:
            for path in (self.job, savepoint):
                for operator in ("MatchRecognize#0", "GroupAggregate#0"):
                    state = "matches" if operator.startswith("Match") else "function0"
                    options = f"'connector' = 'job-state', 'path' = '{path}', 'operator' = '{operator}', 'state' = '{state}'"
                    env.execute_sql(f"CREATE TEMPORARY TABLE s (k INT, v BYTES) WITH ({options})")
                    env.execute_sql("SELECT * FROM s").to_arrow()

        def catalog(env: TableEnvironment) -> None:
            env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{self.folder / 'catalog.db'}')")
            env.execute_sql("DESCRIBE c.`default`.x").to_arrow()

        return [
            lambda env: env.explain_sql(QUERY),
            lambda env: env.explain_sql(TOTALS),
            lambda env: self.statements(env).explain(),
            lambda env: env.explain_upgrade(QUERY),
            lambda env: env.execute_sql("SHOW JOBS").to_arrow(),
            lambda env: env.execute_sql("DESCRIBE JOB 'job'").to_arrow(),
            self.run,
            from_savepoint,
            states,
            catalog,
            lambda env: env.load_plan(PlanReference.from_file(self.folder / "plan.json")).execute().get_job_client().cancel(),
        ]

    def run(self, env: TableEnvironment) -> None:
        """Starts the job, and ends it when it has an epoch more."""
        name = env.get_config().get("pipeline.name")
        before = self.last_epoch(name)
        result = self.statements(env).execute()
        client = result.get_job_client()
        deadline = time.monotonic() + LIMIT_SECONDS
        while not client.get_job_status().is_globally_terminal_state() and self.last_epoch(name) == before and time.monotonic() < deadline:
            file = self.folder / "t" / f"{time.monotonic_ns()}.csv"
            hidden = file.with_name(f".{file.name}")
            hidden.write_text("1,50,90000\n")
            hidden.rename(file)
            time.sleep(0.02)
        if client.get_job_status().name == "FAILED":
            result.wait()
        client.cancel()

    def last_epoch(self, name: str) -> int:
        return max((int(path.stem) for path in self.job.with_name(name).glob("epochs/*.json") if path.stem.isdigit()), default=-1)

    def all_actions(self) -> list[str]:
        """Does all that reads what is stored; returns the errors, which are ours."""
        errors = []
        for act in self.actions():
            env = self.environment()
            try:
                act(env)
            except TableError as error:
                errors.append(str(error))
            finally:
                self.close()
            assert not self.ran.exists(), errors
        return errors


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that is stored; copies of it keep its path, since catalogs and plans name it."""
    folder = tmp_path_factory.mktemp("stored") / "all"
    folder.mkdir()
    Place(folder).create()
    shutil.copytree(folder, folder.with_name("copy"))
    return folder


@pytest.fixture
def place(created: Path) -> Iterator[Place]:
    """The folder as it was."""
    shutil.rmtree(created)
    shutil.copytree(created.with_name("copy"), created)
    found = Place(created)
    yield found
    found.close()


def test_everything_is_read_if_nothing_was_changed(place: Place) -> None:
    errors = place.all_actions()
    assert all("Columns" in error or "columns" in error for error in errors), errors  # the tables over states have others


KINDS = [
    "checkpoints/job/job.json",
    "checkpoints/job/epochs/*.json",
    "checkpoints/job/locks/*",
    "checkpoints/job/savepoints/*/savepoint.json",
]
KINDS += ["checkpoints/job/states/*/*", "o/.table-epochs/*/*.json", "plan.json", "catalog.db"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_a_pickle_is_not_read(kind: str, place: Place) -> None:
    files = list(place.folder.glob(kind))
    assert files
    for file in files:
        file.write_bytes(place.hostile)
    assert place.all_actions() or kind.endswith(("locks/*", "committed.json"))


def test_messages_of_sinks_that_are_pickles_are_not_read(place: Place) -> None:
    text = base64.b64encode(place.hostile).decode()
    for path in (*place.job.glob("epochs/*.json"), *place.job.glob("savepoints/*/savepoint.json")):
        _change(path, lambda content: [sink.update(messages=[text]) for sink in content["sinks"].values()])
    for note in place.job.glob("done/*"):
        note.unlink()
    errors = place.all_actions()
    assert any("A stored message is not one of FileEpochs: 'message' is 'gASV" in error for error in errors), errors


@pytest.mark.parametrize(("operator", "table"), [("MatchRecognize#0", "matches"), ("GroupAggregate#0", "function0")])
def test_state_with_pickles_is_not_read(operator: str, table: str, place: Place) -> None:
    changed = {}
    for file in [*place.job.glob(f"states/{operator}/*"), *place.job.glob(f"savepoints/*/states/{operator}/*")]:
        content = _with_pickles(file.read_bytes(), table, place.hostile)
        file.unlink()  # a savepoint has a link of it
        file.write_bytes(content)
        changed[file.name] = {"bytes": len(content), "crc": zlib.crc32(content)}

    def rename(content: dict[str, Any]) -> None:
        for entry in content["states"][operator]["files"]:
            entry.update(changed[entry["path"].rpartition("/")[2]])

    for path in (*place.job.glob("epochs/*.json"), *place.job.glob("savepoints/*/savepoint.json")):
        _change(path, rename)
    errors = place.all_actions()
    said = "is not in the form in which it is written" if table == "matches" else "are of the type binary, not of its declared type"
    assert any(said in error for error in errors), errors


def _change(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    from table_runtime.streaming.checkpoints.checksums import read_json, to_json

    content = read_json(path.read_bytes())
    content.pop("format")
    change(content)
    path.unlink()
    path.write_bytes(to_json(content))


def _with_pickles(content: bytes, table: str, hostile: bytes) -> bytes:
    """Returns a file of state whose second column of one table is pickles."""
    source, sink = pa.BufferReader(content), pa.BufferOutputStream()
    while source.tell() < len(content):
        reader = pa.ipc.open_stream(source)
        batches, metadata = list(reader), reader.schema.metadata
        if metadata[b"table"].decode() == table:
            batches = [
                pa.RecordBatch.from_arrays(
                    [each.column(0), pa.array([hostile] * each.num_rows, pa.binary()), *each.columns[2:]], each.schema.names
                )
                for each in batches
            ]
        schema = batches[0].schema.with_metadata(metadata)
        with pa.ipc.new_stream(sink, schema) as writer:
            for each in batches:
                writer.write_batch(each.replace_schema_metadata(metadata))
    return sink.getvalue().to_pybytes()
