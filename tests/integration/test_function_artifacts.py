"""CREATE FUNCTION … USING ARTIFACT: functions in wheels and zips, on both engines, from a catalog in another session, and wrong artifacts."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, ValidationException

MakeEnv = Callable[[str], TableEnvironment]
FUNCTIONS = """from table_api.udf import ScalarFunction


class Shout(ScalarFunction):
    def eval(self, text: str) -> str:
        return text.upper() + "!"
"""


def artifact(folder: Path, module: str, name: str) -> Path:
    """Returns an archive with a package of functions, which is nowhere else."""
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{module}/__init__.py", FUNCTIONS)
    return path


@pytest.mark.parametrize("planner", ["arrow", "spark"])
@pytest.mark.parametrize("kind", ["", "TEMPORARY", "TEMPORARY SYSTEM"])
def test_a_function_of_an_artifact_runs_on_both_engines(make_env: MakeEnv, tmp_path: Path, planner: str, kind: str) -> None:
    module = f"shouting_{planner}_{kind.replace(' ', '_').lower()}"
    path = artifact(tmp_path, module, f"{module}-1.0-py3-none-any.whl")
    env = make_env(planner)
    env.execute_sql(f"CREATE {kind} FUNCTION shout AS '{module}.Shout' LANGUAGE PYTHON USING ARTIFACT '{path}'")
    assert [tuple(row) for row in env.execute_sql("SELECT shout(a) FROM (VALUES ('x'), ('y')) AS t(a)").collect()] == [("X!",), ("Y!",)]


def test_the_artifact_is_kept_by_a_catalog(tmp_path: Path) -> None:
    path = artifact(tmp_path, "kept_functions", "kept.zip")

    def session() -> TableEnvironment:
        env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
        env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{tmp_path / 'c.db'}')")
        env.execute_sql("USE CATALOG c")
        return env

    session().execute_sql(f"CREATE FUNCTION shout AS 'kept_functions.Shout' LANGUAGE PYTHON USING ARTIFACT 'file://{path}'")
    other = session()
    assert [row[0] for row in other.execute_sql("SELECT shout('a')").collect()] == ["A!"]
    assert ("resource uris", f"[{path}]") in [tuple(row) for row in other.execute_sql("DESCRIBE FUNCTION shout").collect()]


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("USING ARTIFACT '{folder}/none.whl'", "none.whl' does not exist"),
        ("USING ARTIFACT 's3://bucket/a.whl'", "'s3://bucket/a.whl' cannot be added"),
        ("USING JAR 'a.jar'", "does not accept the language PYTHON"),
        ("USING ARTIFACT '{folder}/there.zip' WITH ('a' = 'b')", "takes no WITH"),
        ("USING ARTIFACT '{folder}/there.zip'", "module 'no_such_module' does not exist"),
    ],
)
def test_what_is_wrong_with_an_artifact_is_said(make_env: MakeEnv, tmp_path: Path, clause: str, message: str) -> None:
    artifact(tmp_path, "there", "there.zip")
    with pytest.raises(TableError, match=message):
        make_env("arrow").execute_sql(
            f"CREATE TEMPORARY FUNCTION f AS 'no_such_module.F' LANGUAGE PYTHON {clause.replace('{folder}', str(tmp_path))}"
        )


def test_restrictions_hold_for_artifacts(tmp_path: Path) -> None:
    path = artifact(tmp_path, "hidden_functions", "hidden.zip")
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    env = TableEnvironment.create(settings)
    env.get_config().set("table.security.allowed-paths", str(tmp_path / "other")).set("table.security.allowed-modules", "hidden_functions")
    with pytest.raises(ValidationException, match=r"hidden\.zip"):
        env.execute_sql(f"CREATE TEMPORARY FUNCTION f AS 'hidden_functions.Shout' LANGUAGE PYTHON USING ARTIFACT '{path}'")
