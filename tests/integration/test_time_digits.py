"""A time has the digits that its column shows, whatever the source of the column stores: random values on both engines, with and without push-down."""

from __future__ import annotations

import operator
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import DataTypes, TableEnvironment
from table_runtime.connectors.python import register_callable, unregister_callable
from table_testing.rounds import NIGHT

ENGINES = ("arrow", "spark")
EPOCH = datetime(1970, 1, 1)
ROWS = 60
_OPERATORS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def env(engine: str, make_env: Callable[[str], TableEnvironment]) -> TableEnvironment:
    return make_env(engine)


def moments(seed: int, step: int) -> list[datetime | None]:
    """Returns values around 1970 that differ by less than ``step`` microseconds in part."""
    draw = random.Random(seed)
    return [None if n % 11 == 0 else EPOCH + timedelta(microseconds=draw.randrange(-3 * step, 4 * step)) for n in range(ROWS)]


def cut(moment: datetime | None, step: int) -> datetime | None:
    return None if moment is None else moment - timedelta(microseconds=((moment - EPOCH) // timedelta(microseconds=1)) % step)


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


def numbers(env: TableEnvironment, query: str) -> list[int]:
    return sorted(number for (number,) in rows(env, query))


def write(path: Path, layout: str, values: Sequence[datetime | None], zone: str | None) -> str:
    """Writes the values as a column ``v`` beside their numbers ``id``, and returns the options of the table."""
    path.mkdir()
    ids = pa.array(range(len(values)), pa.int32())
    if layout == "sqlite":
        with closing(sqlite3.connect(path / "db")) as connection:
            connection.execute("CREATE TABLE t (id INTEGER, v TEXT)")
            suffix = "Z" if zone else ""
            connection.executemany(
                "INSERT INTO t VALUES (?, ?)", [(n, None if v is None else f"{v}{suffix}") for n, v in enumerate(values)]
            )
            connection.commit()
        return f"'connector' = 'sqlite', 'path' = '{path / 'db'}', 'table-name' = 't'"
    format_ = layout
    if layout in ("csv", "json"):
        texts = [None if v is None else f"{v:%Y-%m-%d %H:%M:%S.%f}{'Z' if zone else ''}" for v in values]
        lines = [
            f"{n},{text or ''}" if layout == "csv" else f'{{"id": {n}, "v": {"null" if text is None else chr(34) + text + chr(34)}}}'
            for n, text in enumerate(texts)
        ]
        (path / f"f.{layout}").write_text("".join(line + "\n" for line in lines))
    elif layout == "orc":
        from pyarrow.orc import write_table

        write_table(pa.table({"id": ids, "v": pa.array(values, pa.timestamp("us", zone))}), str(path / "f.orc"))
    else:
        format_ = "parquet"
        table = pa.table({"id": ids, "v": pa.array(values, pa.timestamp("ns" if layout == "nanos" else "us", zone))})
        pq.write_table(table, path / "f.parquet", row_group_size=7, use_deprecated_int96_timestamps=layout == "int96")
    return f"'connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}'"


ALSO_ON_SPARK = ("parquet TIMESTAMP(3)", "nanos TIMESTAMP(3)", "sqlite TIMESTAMP_LTZ(1)")
"""What Spark runs by day: its reader of files, our reader of files in its workers, and a connector."""


@pytest.mark.parametrize(
    ("layout", "type_", "step"),
    [
        ("parquet", "TIMESTAMP(3)", 1_000),
        ("parquet", "TIMESTAMP_LTZ(3)", 1_000),
        ("parquet", "TIMESTAMP(0)", 1_000_000),
        ("parquet", "TIMESTAMP_LTZ(5)", 10),
        ("int96", "TIMESTAMP(3)", 1_000),
        ("nanos", "TIMESTAMP(3)", 1_000),
        ("orc", "TIMESTAMP(3)", 1_000),
        ("csv", "TIMESTAMP(3)", 1_000),
        ("json", "TIMESTAMP(2)", 10_000),
        ("sqlite", "TIMESTAMP(3)", 1_000),
        ("sqlite", "TIMESTAMP_LTZ(1)", 100_000),
    ],
)
def test_all_uses_of_a_column_see_its_digits_alone(
    engine: str, env: TableEnvironment, tmp_path: Path, layout: str, type_: str, step: int
) -> None:
    if engine == "spark" and not NIGHT and f"{layout} {type_}" not in ALSO_ON_SPARK:
        pytest.skip("at night: TESTS=night")
    values = moments(step, step)
    zone = "UTC" if "LTZ" in type_ else None
    env.execute_sql(f"CREATE TABLE t (id INT, v {type_}) WITH ({write(tmp_path / 't', layout, values, zone)})")
    expected = [cut(value, step) for value in values]

    def literal(moment: datetime) -> str:
        return f"CAST('{moment:%Y-%m-%d %H:%M:%S.%f}' AS {type_.partition('(')[0]}(6))"

    first, second = EPOCH - timedelta(microseconds=step), EPOCH + timedelta(microseconds=step)
    between = EPOCH + timedelta(microseconds=step + 1)
    wanted: dict[str, list[int]] = {}

    def want(condition: str, holds: Callable[[datetime | None], bool]) -> None:
        wanted[condition] = [n for n, value in enumerate(expected) if holds(value)]

    for sign, compare in _OPERATORS.items():
        for constant in (first, between):
            want(f"v {sign} {literal(constant)}", lambda v, compare=compare, c=constant: v is not None and compare(v, c))
        want(f"CAST({literal(second)} AS {type_}) {sign} v", lambda v, compare=compare: v is not None and compare(second, v))
    want(f"v IN ({literal(first)}, {literal(between)}, {literal(second)})", lambda v: v in (first, second))
    want(f"v NOT IN ({literal(first)}, {literal(second)})", lambda v: v not in (first, second, None))
    want(f"v BETWEEN {literal(first)} AND {literal(between)}", lambda v: v is not None and first <= v <= between)
    want(f"v IS NOT DISTINCT FROM {literal(first)} OR v IS NULL", lambda v: v in (first, None))
    want(f"NOT (v = {literal(first)} AND id >= 0)", lambda v: v not in (first, None))
    # Spark's workers read other files than Parquet without conditions.
    for pushed in ("true", "false") if layout == "parquet" or engine == "arrow" else ("true",):
        env.get_config().set("table.optimizer.source.predicate-pushdown-enabled", pushed)
        queries = [f"SELECT {number} AS c, id FROM t WHERE {condition}" for number, condition in enumerate(wanted)]
        found: dict[int, list[int]] = {}
        for number, row in sorted(rows(env, " UNION ALL ".join(queries))):
            found.setdefault(number, []).append(row)
        assert {condition: found.get(number, []) for number, condition in enumerate(wanted)} == wanted
    _check_groups(env, expected)


def _check_groups(env: TableEnvironment, expected: Sequence[datetime | None]) -> None:
    env.execute_sql("CREATE TEMPORARY VIEW w AS SELECT id, v, CAST(v AS TIMESTAMP(6)) AS p FROM t")
    counted = Counter(expected)
    assert dict(rows(env, "SELECT CAST(v AS TIMESTAMP(6)), n FROM (SELECT v, COUNT(*) AS n FROM t GROUP BY v)")) == counted
    assert Counter(value for (value,) in rows(env, "SELECT DISTINCT p FROM (SELECT DISTINCT v, p FROM w)")) == Counter(counted.keys())
    present = [value for value in expected if value is not None]
    aggregates = "SELECT CAST(MIN(v) AS TIMESTAMP(6)), CAST(MAX(v) AS TIMESTAMP(6)), COUNT(DISTINCT v) FROM t"
    assert rows(env, aggregates) == [(min(present), max(present), len(set(present)))]
    pairs = sum(count * count for value, count in counted.items() if value is not None)
    assert rows(env, "SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.v = b.v") == [(pairs,)]
    least = sorted((value, number) for number, value in enumerate(expected) if value is not None)[:5]
    assert rows(env, "SELECT p, id FROM w WHERE v IS NOT NULL ORDER BY v, id LIMIT 5") == least


def test_times_of_day_have_their_digits(env: TableEnvironment, tmp_path: Path) -> None:
    draw = random.Random(1)
    values = [None if n % 7 == 0 else (EPOCH + timedelta(microseconds=draw.randrange(3_000_000))).time() for n in range(ROWS)]
    pq.write_table(
        pa.table({"id": pa.array(range(ROWS), pa.int32()), "v": pa.array(values, pa.time64("us"))}),
        tmp_path / "f.parquet",
        row_group_size=5,
    )
    env.execute_sql(f"CREATE TABLE t (id INT, v TIME(0)) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet')")
    expected = [None if value is None else value.replace(microsecond=0) for value in values]
    for sign, holds in _OPERATORS.items():
        found = numbers(env, f"SELECT id FROM t WHERE v {sign} TIME '00:00:01'")
        assert found == [n for n, value in enumerate(expected) if value is not None and holds(value, time(0, 0, 1))], sign
    assert dict(rows(env, "SELECT v, COUNT(*) FROM t GROUP BY v")) == Counter(expected)


def test_times_inside_of_rows_arrays_and_maps_have_their_digits(env: TableEnvironment, tmp_path: Path) -> None:
    moment, shown = datetime(1969, 12, 31, 23, 59, 59, 123_456), "TIMESTAMP '1969-12-31 23:59:59.123'"
    stamp = pa.timestamp("us")
    table = pa.table(
        {
            "id": pa.array([1, 2], pa.int32()),
            "r": pa.array([{"x": moment, "y": 1}, None], pa.struct([("x", stamp), ("y", pa.int32())])),
            "a": pa.array([[moment, None], None], pa.list_(stamp)),
            "m": pa.array([[("k", moment)], None], pa.map_(pa.string(), stamp)),
            "n": pa.array([[{"x": moment}], []], pa.list_(pa.struct([("x", stamp)]))),
        }
    )
    pq.write_table(table, tmp_path / "f.parquet")
    columns = "r ROW<x TIMESTAMP(3), y INT>, a ARRAY<TIMESTAMP(3)>, m MAP<STRING, TIMESTAMP(3)>, n ARRAY<ROW<x TIMESTAMP(3)>>"
    env.execute_sql(f"CREATE TABLE t (id INT, {columns}) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet')")
    for condition in (f"r.x = {shown}", f"a[1] = {shown}", f"m['k'] = {shown}", f"n[1].x = {shown}", f"ARRAY_CONTAINS(a, {shown})"):
        assert rows(env, f"SELECT id FROM t WHERE {condition}") == [(1,)], condition
    assert rows(env, "SELECT id FROM t WHERE r IS NULL AND a IS NULL AND m IS NULL") == [(2,)]
    assert rows(env, f"SELECT t.id FROM t CROSS JOIN UNNEST(a) AS e (v) WHERE v = {shown}") == [(1,)]


def test_nanoseconds_are_cut_to_their_column(env: TableEnvironment, tmp_path: Path) -> None:
    ticks = [1_234, 1_299, -1, None]
    pq.write_table(
        pa.table({"id": pa.array(range(4), pa.int32()), "v": pa.array(ticks, pa.int64()).view(pa.timestamp("ns"))}), tmp_path / "f.parquet"
    )
    env.execute_sql(
        f"CREATE TABLE t (id INT, v TIMESTAMP(7)) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet')"
    )
    assert numbers(env, "SELECT id FROM t WHERE v = TIMESTAMP '1970-01-01 00:00:00.0000012'") == [0, 1]
    assert numbers(env, "SELECT id FROM t WHERE v <= TIMESTAMP '1969-12-31 23:59:59.9999999'") == [2]
    assert rows(env, "SELECT COUNT(DISTINCT v) FROM t") == [(2,)]


@pytest.mark.parametrize("unit", ["ms", "us"])
def test_coarser_times_are_not_taken_for_nanoseconds(env: TableEnvironment, tmp_path: Path, unit: str) -> None:
    moment = datetime(2020, 1, 1, 12, 0, 0, 123_000)
    nested = pa.array([{"x": moment}], pa.struct([("x", pa.timestamp(unit))]))
    pq.write_table(pa.table({"v": pa.array([moment], pa.timestamp(unit)), "r": nested}), tmp_path / "f.parquet")
    columns = "v TIMESTAMP(9), r ROW<x TIMESTAMP(9)>"
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet')")
    assert rows(env, "SELECT CAST(v AS TIMESTAMP(6)), CAST(r.x AS TIMESTAMP(6)) FROM t") == [(moment, moment)]


def test_tables_of_the_program_have_their_digits(env: TableEnvironment) -> None:
    moment = datetime(2020, 1, 1, 12, 0, 0, 123_456)
    data = pa.table({"v": pa.array([moment, None], pa.timestamp("us")), "z": pa.array([moment, None], pa.timestamp("us", "UTC"))})
    types = DataTypes.ROW([DataTypes.FIELD("v", DataTypes.TIMESTAMP(3)), DataTypes.FIELD("z", DataTypes.TIMESTAMP_LTZ(3))])
    env.create_temporary_view("of_arrow", env.from_arrow(data, types))
    env.create_temporary_view("of_elements", env.from_elements([(moment, moment.replace(tzinfo=UTC))], types))
    register_callable("digits", lambda: iter([data]))
    try:
        env.execute_sql(
            "CREATE TEMPORARY TABLE of_python (v TIMESTAMP(3), z TIMESTAMP_LTZ(3)) WITH ('connector' = 'python', 'callable' = 'digits')"
        )
        for name in ("of_arrow", "of_elements", "of_python"):
            shown = "2020-01-01 12:00:00.123"
            query = f"SELECT COUNT(*) FROM {name} WHERE v = TIMESTAMP '{shown}' AND z = CAST('{shown}' AS TIMESTAMP_LTZ(3))"
            assert rows(env, query) == [(1,)], name
    finally:
        unregister_callable("digits")


def test_what_is_written_is_read_back_by_both_engines(make_env: Callable[[str], TableEnvironment], tmp_path: Path) -> None:
    for number, writer in enumerate(ENGINES):
        for reader in ENGINES:
            table = f"t (v TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / str(number)}', 'format' = 'parquet')"
            environment = make_env(writer)
            environment.execute_sql(f"CREATE TEMPORARY TABLE {table}")
            environment.execute_sql("INSERT OVERWRITE t VALUES CAST('1969-12-31 23:59:59.999999' AS TIMESTAMP(3))").wait()
            other = make_env(reader)
            other.execute_sql(f"CREATE TEMPORARY TABLE {table}")
            assert rows(other, "SELECT COUNT(*) FROM t WHERE v = TIMESTAMP '1969-12-31 23:59:59.999'") == [(1,)]


def test_spark_gets_bounds_of_stored_values(make_env: Callable[[str], TableEnvironment], tmp_path: Path) -> None:
    values = moments(1, 1_000)
    env = make_env("spark")
    env.execute_sql(f"CREATE TABLE t (id INT, v TIMESTAMP(3)) WITH ({write(tmp_path / 't', 'parquet', values, None)})")
    ((plan,),) = rows(env, "EXPLAIN SELECT id FROM t WHERE v = TIMESTAMP '1970-01-01 00:00:00.001'")
    assert "GreaterThanOrEqual(v,1970-01-01T00:00:00.001)" in plan
    assert "LessThan(v,1970-01-01T00:00:00.002)" in plan
