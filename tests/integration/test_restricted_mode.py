"""Statements of a restricted session can only import and access what the program allows, on both engines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import PlanReference, TableEnvironment, ValidationException

MakeEnv = Callable[[str], TableEnvironment]
MODULE = """
import subprocess
from table_api.udf import ScalarFunction

class Double(ScalarFunction):
    def eval(self, x: int) -> int:
        return 2 * x

def rows():
    return [(1,), (2,)]
"""


@pytest.fixture(params=["arrow", "spark"])
def restricted(request: pytest.FixtureRequest, make_env: MakeEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    """An environment whose statements may import the module ``allowed_names`` and access the folder ``in``."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.csv").write_text("1\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "t.csv").write_text("2\n")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out")
    (tmp_path / "allowed_names.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "allowed_names", raising=False)
    env = make_env(request.param)
    env.get_config().set("table.security.allowed-modules", "allowed_names").set("table.security.allowed-paths", str(tmp_path / "in"))
    return env


def _files(path: Path | str) -> str:
    return f"CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{path}')"


def test_allowed_folder_is_read(restricted: TableEnvironment, tmp_path: Path) -> None:
    restricted.execute_sql(_files(tmp_path / "in" / "t.csv"))
    assert [row[0] for row in restricted.execute_sql("SELECT a FROM t").collect()] == [1]


@pytest.mark.parametrize("path", ["out", "in/../out", "in/link", "in/link/t.csv"])
def test_other_folder_is_not_read(restricted: TableEnvironment, tmp_path: Path, path: str) -> None:
    restricted.execute_sql(_files(f"{tmp_path}/{path}"))
    with pytest.raises(ValidationException, match="must not be used by statements"):
        restricted.execute_sql("SELECT a FROM t")


def test_an_options_hint_cannot_leave_the_allowed_folder(restricted: TableEnvironment, tmp_path: Path) -> None:
    restricted.execute_sql(_files(tmp_path / "in" / "t.csv"))
    with pytest.raises(ValidationException, match="must not be used by statements"):
        restricted.execute_sql(f"SELECT a FROM t /*+ OPTIONS('path' = '{tmp_path / 'out'}') */")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO t VALUES (1)",
        "CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{out}/c.db')",
        "CREATE TABLE u WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{out}')",
        "CREATE TABLE u WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{out}/new') AS SELECT 1 AS a",
        "COMPILE PLAN '{out}/p.json' FOR INSERT INTO k VALUES (1)",
        "EXECUTE PLAN '{out}/p.json'",
        "SET 'python.files' = '{out}'",
        "SET 'spark.driver.extraJavaOptions' = '-javaagent:x'",
        "SET 'table.security.allowed-paths' = '/'",
        "RESET 'table.security.allowed-modules'",
        "LOAD MODULE hive",
        "CREATE FUNCTION f AS 'subprocess.Popen'",
        "CREATE TEMPORARY FUNCTION f AS 'allowed_names.subprocess.Popen'",
        "SELECT * FROM p",
        "SELECT * FROM q",
    ],
)
def test_statements_cannot_leave_the_restrictions(restricted: TableEnvironment, tmp_path: Path, statement: str) -> None:
    restricted.execute_sql(_files(tmp_path / "out"))
    restricted.execute_sql("CREATE TEMPORARY TABLE k (a INT) WITH ('connector' = 'blackhole')")
    restricted.execute_sql("CREATE TEMPORARY TABLE p (a INT) WITH ('connector' = 'python', 'callable' = 'subprocess:run')")
    restricted.execute_sql("CREATE TEMPORARY TABLE q (a INT) WITH ('connector' = 'python', 'callable' = 'allowed_names.subprocess:run')")
    with pytest.raises(ValidationException, match=r"must not be|cannot be changed by statements|there is no module"):
        restricted.execute_sql(statement.replace("{out}", str(tmp_path / "out"))).wait()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["t.csv"]


def test_restrictions_survive_a_reset_of_all_options(restricted: TableEnvironment) -> None:
    restricted.execute_sql("RESET")
    assert restricted.get_config().get("table.security.allowed-modules", None) == "allowed_names"


def test_functions_and_rows_of_an_allowed_module_can_be_used(restricted: TableEnvironment) -> None:
    restricted.execute_sql("CREATE TEMPORARY FUNCTION twice AS 'allowed_names.Double'")
    restricted.execute_sql("CREATE TEMPORARY TABLE p (a INT) WITH ('connector' = 'python', 'callable' = 'allowed_names:rows')")
    assert sorted(row[0] for row in restricted.execute_sql("SELECT twice(a) FROM p").collect()) == [2, 4]


def test_function_of_a_compiled_plan_is_not_imported(restricted: TableEnvironment, tmp_path: Path) -> None:
    restricted.execute_sql("CREATE TEMPORARY FUNCTION twice AS 'allowed_names.Double'")
    restricted.execute_sql("CREATE TEMPORARY TABLE k (a BIGINT) WITH ('connector' = 'blackhole')")
    text = restricted.compile_plan_sql("INSERT INTO k SELECT twice(1)").as_json_string()
    restricted.execute_sql("DROP TEMPORARY FUNCTION twice")
    tampered = json.dumps(json.loads(text)).replace("allowed_names.Double", "subprocess.Popen")
    assert tampered != text
    with pytest.raises(ValidationException, match="must not be imported"):
        restricted.load_plan(PlanReference.from_json_string(tampered))
