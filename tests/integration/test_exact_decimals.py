"""Decimals of 38 digits are the same on both engines, whatever the decimal context of the program is."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import pytest

from table_api import DataTypes, TableEnvironment
from table_api.expressions import lit

MakeEnv = Callable[[str], TableEnvironment]
ENGINES = ["arrow", "spark"]
WIDE = Decimal("-12345678901234567890.123456789012345678")
TEXT = str(WIDE)
SCHEMA = DataTypes.ROW([DataTypes.FIELD("d", DataTypes.DECIMAL(38, 18))])


@pytest.fixture(autouse=True)
def narrow_context() -> Iterator[None]:
    """Sets a decimal context of 4 digits in this thread and in new threads, stricter than Python's default of 28."""
    before = decimal.DefaultContext.copy()
    decimal.DefaultContext.prec, decimal.DefaultContext.rounding = 4, decimal.ROUND_DOWN
    try:
        with decimal.localcontext(Context(prec=4, rounding=decimal.ROUND_DOWN)):
            yield
    finally:
        decimal.DefaultContext.prec, decimal.DefaultContext.rounding = before.prec, before.rounding


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


@pytest.mark.parametrize("engine", ENGINES)
def test_from_elements_keeps_all_digits(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    given, inferred = env.from_elements([(WIDE,)], SCHEMA), env.from_elements([(WIDE,)], ["d"])
    assert [[row[0] for row in table.execute().collect()] for table in (given, inferred)] == [[WIDE], [WIDE]]


@pytest.mark.parametrize("engine", ENGINES)
def test_lit_keeps_all_digits(make_env: MakeEnv, engine: str) -> None:
    table = make_env(engine).from_elements([(1,)], ["a"]).select(lit(WIDE).alias("x"), lit(1, DataTypes.DECIMAL(38, 30)).alias("y"))
    assert [tuple(row) for row in table.execute().collect()] == [(WIDE, Decimal(1))]


EXPRESSIONS = {
    TEXT: TEXT,
    f"PRINTF('%.18f', {TEXT})": TEXT,
    f"PRINTF('%.20e', {TEXT})": "-1.23456789012345678901e+19",
    f"-({TEXT})": TEXT.removeprefix("-"),
    f"ABS({TEXT})": TEXT.removeprefix("-"),
    f"ABS(-CAST('{'9' * 38}' AS DECIMAL(38, 0)))": "9" * 38,
    "CAST('1' AS DECIMAL(38, 0)) - CAST('0.1' AS DECIMAL(38, 38))": "0.900000",
    "CAST('1' AS DECIMAL(38, 0)) + CAST('0.1' AS DECIMAL(38, 38))": "1.100000",
    f"CAST(CAST('{TEXT}' AS DECIMAL(38, 18)) AS STRING)": TEXT,
    f"ROUND({TEXT}, 12)": "-12345678901234567890.123456789012",
    f"TRUNCATE({TEXT}, -3)": "-12345678901234567000",
    f"CAST('{'9' * 38}' AS DECIMAL(38, 0))": "9" * 38,
    f"MOD({TEXT}, 10.0)": "-0.123456789012345678",
    f"(SELECT SUM(d) FROM (VALUES ({TEXT}), ({TEXT})) AS t(d))": "-24691357802469135780.246913578024691356",
    f"(SELECT AVG(d) FROM (VALUES ({TEXT}), ({TEXT})) AS t(d))": TEXT,
}


@pytest.mark.parametrize("engine", ENGINES)
def test_expressions_are_exact(make_env: MakeEnv, engine: str) -> None:
    (row,) = rows(make_env(engine), f"SELECT {', '.join(EXPRESSIONS)}")
    found = [f"{value:f}" if isinstance(value, Decimal) else value for value in row]
    assert dict(zip(EXPRESSIONS, found, strict=True)) == EXPRESSIONS


@pytest.mark.parametrize("engine", ENGINES)
def test_negation_is_exact(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    values = [WIDE, Decimal(TEXT.removeprefix("-")), Decimal("0.000000000000000001"), Decimal(0), None]
    env.create_temporary_view("d", env.from_elements([(value,) for value in values], SCHEMA))
    changed = [None if value is None else value.copy_negate() for value in values]
    absolute = [None if value is None else value.copy_abs() for value in values]
    assert rows(env, "SELECT -d, ABS(d), ABS(-d) FROM d") == list(zip(changed, absolute, absolute, strict=True))
    assert rows(env, f"SELECT COUNT(*) FROM d WHERE -d = {TEXT}") == [(1,)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("type_", ["DECIMAL(5, 2)", "DECIMAL(18, 2)", "DECIMAL(38, 2)"])
def test_doubles_of_decimals_are_the_nearest_ones(make_env: MakeEnv, engine: str, type_: str) -> None:
    env = make_env(engine)
    cents = [(Decimal(number).scaleb(-2), number / 100) for number in range(1000)]
    schema = DataTypes.ROW([DataTypes.FIELD("d", DataTypes.DECIMAL(5, 2)), DataTypes.FIELD("f", DataTypes.DOUBLE())])
    env.create_temporary_view("t", env.from_elements(cents, schema))
    cast = f"CAST(CAST(d AS {type_}) AS DOUBLE)"
    query = f"SELECT {cast}, CAST({cast} AS STRING) FROM t WHERE d = CAST('0.69' AS {type_})"
    assert rows(env, query) == [(0.69, "0.69")]
    assert rows(env, f"SELECT COUNT(*) FROM t WHERE CAST(d AS {type_}) = f") == [(1000,)]
    assert rows(env, f"SELECT COUNT(*) FROM t AS a JOIN t AS b ON CAST(a.d AS {type_}) = b.f") == [(1000,)]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_overflowing_average_is_null(make_env: MakeEnv, engine: str) -> None:
    query = f"SELECT AVG(a) FROM (VALUES CAST('{'9' * 38}' AS DECIMAL(38, 0)), CAST('9' AS DECIMAL(38, 0))) AS t(a)"
    assert rows(make_env(engine), query) == [(None,)]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_average_with_an_overflowing_sum_is_null(make_env: MakeEnv, engine: str) -> None:
    query = f"SELECT AVG(a) FROM (VALUES CAST('{'9' * 28}.5' AS DECIMAL(38, 10)), CAST('1' AS DECIMAL(38, 10))) AS t(a)"
    assert rows(make_env(engine), query) == [(None,)]


@pytest.mark.parametrize(
    ("engine", "format_"),
    [("arrow", name) for name in ("avro", "csv", "json", "orc", "parquet")] + [("spark", "avro"), ("spark", "parquet")],
)
def test_files_keep_all_digits(make_env: MakeEnv, tmp_path: Path, engine: str, format_: str) -> None:
    env = make_env(engine)
    columns = "d DECIMAL(38, 18), w DECIMAL(38, 0), r ROW<a DECIMAL(38, 38)>" if format_ != "csv" else "d DECIMAL(38, 18), w DECIMAL(38, 0)"
    env.execute_sql(f"CREATE TABLE f ({columns}) WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{tmp_path / 'f'}')")
    nines = f"CAST('{'9' * 38}' AS DECIMAL(38, 0))"
    nested = "" if format_ == "csv" else f", CAST(ROW(CAST('-0.{'9' * 38}' AS DECIMAL(38, 38))) AS ROW<a DECIMAL(38, 38)>)"
    env.execute_sql(f"INSERT INTO f SELECT {TEXT}, {nines}{nested}")
    expected = [WIDE, Decimal("9" * 38)] + ([] if format_ == "csv" else [Decimal("-0." + "9" * 38)])
    assert rows(env, "SELECT d, w FROM f" if format_ == "csv" else "SELECT d, w, f.r.a FROM f") == [tuple(expected)]


@pytest.mark.parametrize("engine", ENGINES)
def test_avro_reads_a_smaller_scale_rounded_half_up(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    env = make_env(engine)
    options = f"WITH ('connector' = 'filesystem', 'format' = 'avro', 'path' = '{tmp_path / 'f'}')"
    env.execute_sql(f"CREATE TABLE f (d DECIMAL(38, 18)) {options}")
    env.execute_sql(f"CREATE TABLE g (d DECIMAL(38, 14)) {options}")
    env.execute_sql("INSERT INTO f VALUES (12345678901234567890.123456789012345000)")
    assert rows(env, "SELECT d FROM g") == [(Decimal("12345678901234567890.12345678901235"),)]


def test_csv_writes_all_digits_in_scientific_notation(make_env: MakeEnv, tmp_path: Path) -> None:
    env = make_env("arrow")
    options = (
        f"'connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 'f'}', 'csv.write-bigdecimal-in-scientific-notation' = 'true'"
    )
    env.execute_sql(f"CREATE TABLE f (d DECIMAL(38, 18)) WITH ({options})")
    env.execute_sql(f"INSERT INTO f VALUES ({TEXT})")
    assert [file.read_text().strip() for file in (tmp_path / "f").iterdir() if file.is_file() and not file.name.startswith(("_", "."))] == [
        TEXT
    ]
