"""What is written can be read: every type in every format, by the engine that wrote it and by the other one."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableError

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
def test_the_embedded_engine_reads_what_it_writes(make_env: MakeEnv, tmp_path: Path, format_: str) -> None:
    found = PROOFS.cells(make_env("arrow"), format_, tmp_path)
    assert found == documented(format_), "run: python proofs/format_types.py --page"
    assert set(found.values()) <= {"yes", "some", "no"}


@pytest.mark.parametrize(("writer", "reader"), [("arrow", "spark"), ("spark", "arrow"), ("spark", "spark")])
def test_parquet_of_one_engine_is_read_by_the_other(make_env: MakeEnv, tmp_path: Path, writer: str, reader: str) -> None:
    types = [name for name, cell in documented("parquet").items() if cell == "yes" and name != "TIME(9)"]
    first = make_env(writer)
    second = first if reader == writer else make_env(reader)
    assert PROOFS.together(first, second, "parquet", types, tmp_path / "t") == dict.fromkeys(types, "equal")


def test_other_formats_go_through_the_same_code_on_spark(make_env: MakeEnv, tmp_path: Path) -> None:
    types = [name for name, cell in documented("avro").items() if cell == "yes"]
    assert PROOFS.together(make_env("spark"), make_env("arrow"), "avro", types, tmp_path / "t") == dict.fromkeys(types, "equal")


@pytest.mark.parametrize("statement", ["INSERT INTO t SELECT CAST(NULL AS TIME(9))", "SELECT v FROM t"])
def test_spark_refuses_times_of_more_digits_than_it_has(make_env: MakeEnv, tmp_path: Path, statement: str) -> None:
    env = make_env("spark")
    env.execute_sql(f"CREATE TABLE t (v TIME(9)) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}')")
    with pytest.raises(TableError, match=r"The planner 'spark' keeps 6 digits of a time, but column 'v' of .* has the type TIME\(9\)"):
        list(env.execute_sql(statement).collect())
