"""References to the environment are resolved for the connector alone: no plan, statement or error shows their values, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment, TableError


@pytest.fixture(params=["arrow", "spark"])
def env(
    request: pytest.FixtureRequest, make_env: Callable[[str], TableEnvironment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> TableEnvironment:
    monkeypatch.setenv("DATA_FOLDER", str(tmp_path / "hidden-place"))
    environment = make_env(request.param)
    environment.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '${env:DATA_FOLDER}/t', 'format' = 'csv')")
    return environment


def test_connector_receives_the_value(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql("INSERT INTO t VALUES (1)")
    assert [row[0] for row in env.execute_sql("SELECT a FROM t").collect()] == [1]
    assert (tmp_path / "hidden-place" / "t").is_dir()


def test_plans_and_statements_show_the_reference(env: TableEnvironment) -> None:
    env.execute_sql("INSERT INTO t VALUES (1)")
    explained = env.explain_sql("SELECT a FROM t") + env.explain_sql("INSERT INTO t SELECT a FROM t")
    created = next(iter(env.execute_sql("SHOW CREATE TABLE t").collect()))[0]
    assert ("${env:DATA_FOLDER}/t" in explained, "hidden-place" in explained) == (True, False)
    assert ("'path' = '${env:DATA_FOLDER}/t'" in created, "hidden-place" in created) == (True, False)


def test_errors_show_the_reference(env: TableEnvironment) -> None:
    with pytest.raises(TableError) as caught:
        list(env.execute_sql("SELECT a FROM t").collect())
    assert "hidden-place" not in str(caught.value)


def test_errors_of_a_running_job_show_the_reference(env: TableEnvironment, tmp_path: Path) -> None:
    folder = tmp_path / "hidden-place" / "t"
    folder.mkdir(parents=True)
    (folder / "broken.csv").write_text("no number\n")
    with pytest.raises(TableError) as caught:
        list(env.execute_sql("SELECT a FROM t").collect())
    assert "hidden-place" not in str(caught.value)


def test_the_error_of_a_missing_variable_names_option_and_table(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATA_FOLDER")
    for statement in ("SELECT a FROM t", "INSERT INTO t VALUES (1)"):
        with pytest.raises(
            TableError, match=r"Option 'path' of table .*t.* refers to the environment variable 'DATA_FOLDER', which is not set"
        ):
            env.execute_sql(statement).wait()
