"""Round trips of every type through every format, within an engine and between both."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from table_api import TableEnvironment

MakeEnv = Callable[[str], TableEnvironment]
PROOF = Path(__file__).parents[2] / "proofs" / "format_types.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("format_types", PROOF)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROOFS = load()


def documented(format_: str) -> dict[str, str]:
    """Returns the column of a format in the page."""
    lines = [line.strip("| ").split(" | ") for line in PROOFS.PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    index = lines[0].index(format_)
    return {cells[0]: cells[index] for cells in lines[1:]}


@pytest.mark.parametrize("format_", PROOFS.FORMATS)
def test_the_embedded_engine_reads_its_own_files(make_env: MakeEnv, tmp_path: Path, format_: str) -> None:
    found = PROOFS.cells(make_env("arrow"), format_, tmp_path)
    assert found == documented(format_), "run: python proofs/format_types.py --page"
    assert set(found.values()) <= {"yes", "some", "no"}


@pytest.mark.parametrize(("writer", "reader"), [("arrow", "spark"), ("spark", "arrow"), ("spark", "spark")])
def test_parquet_of_one_engine_is_read_by_the_other(make_env: MakeEnv, tmp_path: Path, writer: str, reader: str) -> None:
    types = [name for name, cell in documented("parquet").items() if cell == "yes"]
    first = make_env(writer)
    second = first if reader == writer else make_env(reader)
    assert PROOFS.together(first, second, "parquet", types, tmp_path / "t") == dict.fromkeys(types, "equal")


@pytest.mark.parametrize("format_", [name for name in PROOFS.FORMATS if name not in ("parquet", "sqlite", "raw")])
def test_spark_reads_and_writes_the_same_values_as_the_embedded_engine(make_env: MakeEnv, tmp_path: Path, format_: str) -> None:
    types = [name for name, cell in documented(format_).items() if cell == "yes"]
    expected = dict.fromkeys(types, "equal")
    spark, embedded = make_env("spark"), make_env("arrow")
    assert PROOFS.together(spark, embedded, format_, types, tmp_path / "a") == expected
    assert PROOFS.compared(spark, types) == expected, "Spark reads what it wrote"
    assert PROOFS.together(embedded, spark, format_, types, tmp_path / "b") == expected


@pytest.mark.parametrize("type_", ["STRING", "BYTES", "DOUBLE", "CHAR(3)"])
@pytest.mark.parametrize(("writer", "reader"), [("arrow", "spark"), ("spark", "arrow")])
def test_raw_values_are_exchanged_between_engines(make_env: MakeEnv, tmp_path: Path, writer: str, reader: str, type_: str) -> None:
    environments = make_env(writer), make_env(reader)
    assert PROOFS.written(environments[0], "raw", type_, tmp_path / "t", plain=True) is None
    expected = PROOFS.shown(PROOFS.column(type_, "raw", plain=True).column("v"))
    assert PROOFS.shown(PROOFS.read(environments[1], "raw", type_, tmp_path / "t")) == expected


@pytest.mark.parametrize("planner", ["arrow", "spark"])
def test_null_in_csv_is_an_empty_field_beside_a_quoted_empty_text(make_env: MakeEnv, tmp_path: Path, planner: str) -> None:
    env = make_env(planner)
    env.execute_sql(f"CREATE TABLE t (i INT, s STRING) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 't'}')")
    env.execute_sql("INSERT INTO t VALUES (1, CAST(NULL AS STRING)), (2, '')").wait()
    written = "".join(path.read_text() for path in sorted((tmp_path / "t").iterdir()) if path.is_file())
    assert sorted(written.split()) == ["1,", '2,""']
    assert sorted(tuple(row) for row in env.execute_sql("SELECT * FROM t").collect()) == [(1, ""), (2, "")]
