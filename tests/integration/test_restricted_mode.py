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
from subprocess import list2cmdline as imported, __all__ as imported_names
from forbidden_names import held, Base
from table_api.udf import ScalarFunction

class Double(ScalarFunction):
    def eval(self, x: int) -> int:
        return 2 * x

def rows():
    return [(1,), (2,)]

def same(column):
    return column

class Inheriting(Base):
    pass
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
    (tmp_path / "forbidden_names.py").write_text("held = [(1,)]\nclass Base:\n    rows = [(1,)]\n")
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


@pytest.mark.parametrize(
    "path", ["in/%2e%2e/out/t.csv", "in/..%2fout", "in/{../out}", "in/{x,../out}/t.csv", "in/*/../../out", "in/l*", "in/lin[k]/t.csv"]
)
@pytest.mark.parametrize("scheme", ["", "file://"])
def test_no_spelling_of_a_path_is_read_elsewhere(restricted: TableEnvironment, tmp_path: Path, path: str, scheme: str) -> None:
    restricted.execute_sql(_files(f"{scheme}{tmp_path}/{path}"))
    with pytest.raises(ValidationException, match="must not be used by statements"):
        restricted.execute_sql("SELECT a FROM t")


@pytest.mark.parametrize("path", ["in/%2e%2e/out/w", "in/..%2fout/w", "in/link/w", "in/{../out}/w"])
def test_nothing_is_written_elsewhere(restricted: TableEnvironment, tmp_path: Path, path: str) -> None:
    restricted.execute_sql(_files(f"file://{tmp_path}/{path}"))
    with pytest.raises(ValidationException, match="must not be used by statements"):
        restricted.execute_sql("INSERT INTO t VALUES (3)").wait()
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["t.csv"]


def test_what_a_pattern_or_a_folder_has_is_not_read_elsewhere(restricted: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "in" / "d").mkdir()
    (tmp_path / "in" / "d" / "x.csv").symlink_to(tmp_path / "out" / "t.csv")
    for path in ("in/d", "in/d/*.csv", "in/*/x.csv"):
        restricted.execute_sql(_files(f"{tmp_path}/{path}").replace("CREATE TEMPORARY TABLE", "CREATE TEMPORARY TABLE IF NOT EXISTS"))
        with pytest.raises(ValidationException, match="must not be used by statements"):
            list(restricted.execute_sql(f"SELECT a FROM t /*+ OPTIONS('path' = '{tmp_path}/{path}') */").collect())


def _partitioned(path: Path, more: str = "") -> str:
    columns = "CREATE TEMPORARY TABLE p (a INT, k STRING) PARTITIONED BY (k)"
    return f"{columns} WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{path}'{more})"


def test_the_folder_of_a_partition_does_not_lead_out(restricted: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "in" / "p").mkdir()
    (tmp_path / "in" / "p" / "k=1").symlink_to(tmp_path / "out")
    restricted.execute_sql(_partitioned(tmp_path / "in" / "p"))
    for statement in ("SELECT * FROM p", "INSERT INTO p VALUES (3, '1')", "INSERT OVERWRITE p VALUES (3, '1')", "TRUNCATE TABLE p"):
        with pytest.raises(ValidationException, match="must not be used by statements"):
            list(restricted.execute_sql(statement).collect())
    assert (tmp_path / "out" / "t.csv").read_text() == "2\n"
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["t.csv"]


@pytest.mark.parametrize("name", ["x/../../../out/w", "..", "a/b", "x%2f..%2fw"])
def test_the_default_name_of_partitions_is_a_name(make_env: MakeEnv, tmp_path: Path, name: str) -> None:
    env = make_env("arrow")
    env.execute_sql(_partitioned(tmp_path / "p", f", 'partition.default-name' = '{name}'"))
    with pytest.raises(ValidationException, match=r"'partition.default-name' .* must be the name of a folder"):
        env.execute_sql("INSERT INTO p VALUES (1, CAST(NULL AS STRING))").wait()


@pytest.mark.parametrize("name", ["imported", "imported_names", "held", "Base", "Inheriting.rows", "subprocess.run"])
def test_a_callable_is_defined_by_its_module(restricted: TableEnvironment, name: str) -> None:
    restricted.execute_sql(f"CREATE TEMPORARY TABLE c (a INT) WITH ('connector' = 'python', 'callable' = 'allowed_names:{name}')")
    with pytest.raises(ValidationException, match=r"must not be (used|imported)"):
        restricted.execute_sql("SELECT * FROM c")


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
        "SET 'execution.checkpointing.dir' = '{out}'",
        "SET 'state.checkpoints.dir' = '{out}'",
        "SET 'execution.checkpointing.savepoint-dir' = '{out}'",
        "SET 'state.savepoints.dir' = '{out}'",
        "SET 'execution.state-recovery.path' = '{out}'",
        "SET 'execution.savepoint.path' = '{out}'",
        "SET 'table.exec.spill.dir' = '{out}'",
        "COMPILE PLAN 'file://{out}/../in/%2e%2e/out/p.json' FOR INSERT INTO k VALUES (1)",
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


@pytest.mark.parametrize("name", ["forbidden_names:held", "subprocess:run", "allowed_names:imported", "allowed_names:subprocess.run"])
def test_a_model_cannot_name_what_is_not_allowed(restricted: TableEnvironment, name: str) -> None:
    restricted.execute_sql(f"CREATE TEMPORARY MODEL m INPUT (a INT) OUTPUT (b INT) WITH ('provider' = 'python', 'callable' = '{name}')")
    with pytest.raises(ValidationException, match=r"must not be (used|imported)"):
        restricted.execute_sql("SELECT * FROM ML_PREDICT((SELECT 1 AS a), MODEL m, DESCRIPTOR(a))")


def test_a_model_of_an_allowed_module_runs(restricted: TableEnvironment) -> None:
    restricted.execute_sql(
        "CREATE TEMPORARY MODEL m INPUT (a INT) OUTPUT (b INT) WITH ('provider' = 'python', 'callable' = 'allowed_names:same')"
    )
    found = restricted.execute_sql("SELECT * FROM ML_PREDICT((SELECT 1 AS a), MODEL m, DESCRIPTOR(a))").collect()
    assert [tuple(row) for row in found] == [(1, 1)]


def test_a_model_cannot_ask_an_endpoint_elsewhere(restricted: TableEnvironment) -> None:
    options = "'provider' = 'openai', 'endpoint' = 'http://127.0.0.1:1/v1/chat/completions', 'model' = 'm'"
    restricted.execute_sql(f"CREATE TEMPORARY MODEL m INPUT (a STRING) OUTPUT (b STRING) WITH ({options})")
    with pytest.raises(ValidationException, match="must not be used by statements"):
        restricted.execute_sql("SELECT * FROM ML_PREDICT((SELECT 'x' AS a), MODEL m, DESCRIPTOR(a))")


def test_a_search_reads_no_other_folder(restricted: TableEnvironment, tmp_path: Path) -> None:
    restricted.execute_sql(
        f"CREATE TEMPORARY TABLE v (e ARRAY<FLOAT>) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path / 'out'}')"
    )
    with pytest.raises(ValidationException, match="must not be used by statements"):
        restricted.execute_sql("SELECT * FROM TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), ARRAY[1.0], 1))")


def test_function_of_a_compiled_plan_is_not_imported(restricted: TableEnvironment, tmp_path: Path) -> None:
    restricted.execute_sql("CREATE TEMPORARY FUNCTION twice AS 'allowed_names.Double'")
    restricted.execute_sql("CREATE TEMPORARY TABLE k (a BIGINT) WITH ('connector' = 'blackhole')")
    text = restricted.compile_plan_sql("INSERT INTO k SELECT twice(1)").as_json_string()
    restricted.execute_sql("DROP TEMPORARY FUNCTION twice")
    tampered = json.dumps(json.loads(text)).replace("allowed_names.Double", "subprocess.Popen")
    assert tampered != text
    with pytest.raises(ValidationException, match="must not be imported"):
        restricted.load_plan(PlanReference.from_json_string(tampered))
