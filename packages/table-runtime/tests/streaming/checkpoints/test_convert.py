"""A folder that a version of format 3 wrote, which was killed between the decision and the commit of its last epoch.

It reads ``t``; ``found`` has the matches of a pattern, ``totals`` the changes of a user aggregate without declared type in the folder. Paths are relative.
"""

from __future__ import annotations

import base64
import json
import pickle
import shutil
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.connector import DynamicTableSource
from table_common.data import Row
from table_common.exceptions import TableException
from table_common.factories import DynamicTableFactory
from table_common.functions import AggregateFunction
from table_runtime.connectors.values import ValuesTableFactory
from table_runtime.streaming.checkpoints import convert as module
from table_runtime.streaming.checkpoints.checksums import FORMAT, read_json, to_json
from table_runtime.streaming.checkpoints.convert import convert, main
from table_testing.line_log import LineLog, LineLogSource, append_lines

DATA = Path(__file__).parent / "data" / "format3"
LIMIT_SECONDS = 60.0
OLD, NEW = "checkpoints/old", "converted/old"


class Total(AggregateFunction[int, list[int]]):
    """A sum with a count, of which the folder has accumulators."""

    def create_accumulator(self) -> list[int]:
        return [0, 0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value
        accumulator[1] += 1

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0] * 100 + accumulator[1]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the data, as the working directory."""
    shutil.copytree(DATA, tmp_path / "job")
    monkeypatch.chdir(tmp_path / "job")

    def create(_: object, context: DynamicTableFactory.Context) -> DynamicTableSource:
        row_type = context.catalog_table.resolved_schema.to_physical_row_type()
        return LineLogSource(LineLog(context.catalog_table.options["data-id"], row_type))

    monkeypatch.setattr(ValuesTableFactory, "create_dynamic_table_source", create)
    return tmp_path / "job"


@pytest.fixture
def env() -> Any:
    """The environment of the job."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    env.get_config().set("table.local-time-zone", "UTC").set("execution.checkpointing.interval", "50 ms").set("pipeline.name", "old")
    env.get_config().set("execution.checkpointing.dir", "converted")
    columns = "k INT, v BIGINT, t BIGINT, ts AS TO_TIMESTAMP_LTZ(t, 3), WATERMARK FOR ts AS ts"
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'values', 'data-id' = 't')")
    env.create_temporary_function("total", Total())
    for name, columns in (("found", "k INT, a BIGINT, b BIGINT"), ("totals", "op STRING, k INT, s BIGINT, m BYTES")):
        env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{name}', 'format' = 'csv')")
    env.execute_sql("CREATE VIEW q AS SELECT k, total(v) AS s, MAX(CAST(CAST(v AS STRING) AS BYTES)) AS m FROM t GROUP BY k")
    yield env
    env.close()


def statements(env: TableEnvironment) -> Any:
    result = env.create_statement_set()
    result.add_insert_sql(
        "INSERT INTO found SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.v) AS a, B.v AS b "
        "PATTERN (A+ B) DEFINE A AS A.v < 10, B AS B.v >= 10)"
    )
    result.add_insert_sql("INSERT INTO totals SELECT * FROM TO_CHANGELOG(TABLE q)")
    return result


def lines(table: str) -> list[str]:
    return [line for path in sorted(Path(table).glob("part-*")) for line in path.read_text().splitlines()]


def current(changes: list[str]) -> Counter[str]:
    rows = Counter[str]()
    for line in changes:
        op, _, row = line.partition(",")
        rows[row] += 1 if op in ("INSERT", "UPDATE_AFTER") else -1
    return +rows


def test_a_job_goes_on_from_a_folder_that_was_converted(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([OLD, NEW]) == 0
    written = capsys.readouterr()
    assert "WARNING: the folder is of a format that holds pickles, and this command unpickles them" in written.err
    assert f"1 checkpoints were written to '{NEW}' in the format {FORMAT}" in written.out
    append_lines(Path("t"), "0", [[1, 50, 4000], [2, 60, 4100], [3, 1, 4200], [3, 1, 9000]])  # matches that began in the old run
    job = statements(env).execute().get_job_client()
    assert job is not None
    expected = Counter(["1,5604,NTA=", "2,8704,NjA=", "3,3203,MzA=", "4,4402,NDA="])
    deadline = time.monotonic() + LIMIT_SECONDS
    matches = Counter(["2,2,20", "4,4,40", "1,1,50", "1,2,50", "1,3,50", "2,5,60"])
    while Counter(lines("found")) != matches or current(lines("totals")) != expected:
        assert time.monotonic() < deadline, (lines("found"), lines("totals"))
        time.sleep(0.01)
    env.execute_sql("STOP JOB 'old'")
    assert current(lines("totals")) == expected
    changes = lines("totals")
    assert len(changes) == len(set(changes))  # the epoch that was not committed is there once
    assert Counter(lines("found")) == matches


def test_the_folder_is_refused_with_the_command(env: TableEnvironment) -> None:
    env.get_config().set("execution.checkpointing.dir", "checkpoints")
    with pytest.raises(TableException, match="has the format 3, in which messages of sinks and parts of the state are pickles") as raised:
        statements(env).execute().wait()
    assert f"python -m table_runtime.streaming.checkpoints.convert '{OLD}' NEW_FOLDER" in str(raised.value)


def test_a_savepoint_is_converted(folder: Path) -> None:
    savepoint = folder / "savepoint"
    shutil.copytree(folder / OLD / "states", savepoint / "states")
    (savepoint / "savepoint.json").write_bytes((folder / OLD / "epochs" / "2.json").read_bytes())
    assert "The savepoint was written" in convert(str(savepoint), "new")
    content = read_json((folder / "new" / "savepoint.json").read_bytes())
    assert content["format"] == FORMAT
    assert all(sink["messages"] == [] for sink in content["sinks"].values())  # a savepoint is committed


def test_what_is_converted_once_is_not_again_and_no_folder_is_overwritten() -> None:
    convert(OLD, NEW)
    with pytest.raises(TableException, match="there is nothing to convert"):
        convert(NEW, "again")
    with pytest.raises(TableException, match="exists and is not empty"):
        convert(OLD, NEW)


class Hostile:
    """An object whose pickle runs code."""

    def __reduce__(self) -> Any:
        return eval, ("__import__('pathlib').Path('ran').touch()",)


@pytest.mark.parametrize("value", [Hostile(), [Hostile()], {"staging": Hostile()}])
def test_a_folder_that_was_made_to_run_code_runs_none(value: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / OLD / "epochs" / "2.json"
    content = read_json(path.read_bytes())
    for sink in content["sinks"].values():
        sink["messages"] = [base64.b64encode(pickle.dumps(value)).decode()]
    path.write_bytes(to_json({**content, "format": 3}))
    assert main([OLD, NEW]) == 1
    text = capsys.readouterr().err
    assert "are an object of builtins:eval, which this command does not make unless it is told to" in text
    assert "--allow builtins:eval" in text
    assert not (folder / "ran").exists()


def loads(value: Any, *allowed: tuple[str, str]) -> Any:
    return module._Unpickler(pickle.dumps(value), module._KNOWN | set(allowed)).load()


@pytest.mark.parametrize("value", [Row(1, "a"), Row(n=Decimal("1.5"), t=[Row(1)]), [1, 2.5, None], {"a": (1, 2)}])
def test_values_of_accumulators_are_made(value: Any) -> None:
    assert loads(value) == value


def test_rows_are_made_whose_kind_was_in_another_module_when_they_were_written() -> None:
    content = pickle.dumps(Row(1, "a"), protocol=3)
    assert b"ctable_common.data.row_kind\n" in content
    old = content.replace(b"ctable_common.data.row_kind\n", b"ctable_common.connector.changelog_mode\n")
    assert module._Unpickler(old, module._KNOWN).load() == Row(1, "a")


class Other:
    """A class of a user's function."""

    def __init__(self) -> None:
        self.n = 3


def test_a_class_is_made_if_it_is_allowed() -> None:
    with pytest.raises(module._RefusedClassError, match="Other"):
        loads(Other())
    assert loads(Other(), (Other.__module__, "Other")).n == 3


def test_attributes_lead_nowhere() -> None:
    class Leading:
        def __reduce__(self) -> Any:
            return getattr, (Row, "__init__")

    with pytest.raises(module._RefusedClassError, match="getattr of '__init__'"):
        loads(Leading())


def test_the_folder_of_the_test_is_small() -> None:
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < 50_000
    assert json.loads((DATA / OLD / "job.json").read_text())["format"] == 3
