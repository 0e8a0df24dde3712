"""Runs ``proofs/secret_values.py`` with a few keys, and tests the leaks that it found."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import TableEnvironment, TableError


@pytest.mark.parametrize(("engine", "keys"), [("arrow", "6"), pytest.param("spark", "1", marks=pytest.mark.night)])
def test_no_output_contains_secrets(run_proof: Callable[..., str], engine: str, keys: str) -> None:
    assert ", 0 failures" in run_proof("secret_values.py", "--engine", engine, "--keys", keys, "--seed", "8", seconds=500)


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_file_paths_show_references_as_written(
    engine: str, make_env: Callable[[str], TableEnvironment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUSTOMER", "customer 42")
    (tmp_path / "customer 42").mkdir()
    (tmp_path / "customer 42" / "t.csv").write_text("1\n")
    environment = make_env(engine)
    environment.execute_sql(
        "CREATE TEMPORARY TABLE t (a INT, p STRING METADATA FROM 'file.path', n STRING METADATA FROM 'file.name')"
        f" WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path}/${{env:CUSTOMER}}')"
    )
    rows = [tuple(row) for row in environment.execute_sql("SELECT * FROM t WHERE n <> 'x'").collect()]
    assert rows == [(1, f"{tmp_path}/${{env:CUSTOMER}}/t.csv", "t.csv")]


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_columns_are_inferred_for_a_path_with_a_reference(
    engine: str, make_env: Callable[[str], TableEnvironment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUSTOMER", "customer 42")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "customer 42.parquet")
    environment = make_env(engine)
    environment.execute_sql(
        f"CREATE TABLE t WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}/${{env:CUSTOMER}}.parquet')"
    )
    assert [row[0] for row in environment.execute_sql("SELECT a FROM t").collect()] == [1]


def test_errors_of_other_statements_show_references(
    make_env: Callable[[str], TableEnvironment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUSTOMER", "hunter2Zq")
    (tmp_path / "hunter2Zq.parquet").write_text("no footer")
    path = f"{tmp_path}/${{env:CUSTOMER}}.parquet"
    with pytest.raises(TableError) as caught:
        make_env("arrow").execute_sql(f"CREATE TABLE t WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')")
    assert (path in str(caught.value), "hunter2Zq" in "".join(traceback.format_exception(caught.value))) == (True, False)
