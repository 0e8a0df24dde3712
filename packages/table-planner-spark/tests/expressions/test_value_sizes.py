"""Functions that could make values of any size from small ones are bounded as on the embedded engine."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException
from table_planner_spark.errors import to_runtime_error
from table_planner_spark.expressions import value_sizes
from table_planner_spark.expressions.functions import strings

CALLS = {
    "REPEAT(a, 2147483647)": "REPEAT would create a value of 2,147,483,647 characters, but a value may have 268,435,456",
    "LPAD(a, 2147483647, 'y')": "The padded text would create a value of 2,147,483,647 characters",
    "RPAD(a, 2147483647, 'y')": "The padded text would create a value of 2,147,483,647 characters",
    "PRINTF('%999999999d', n)": "PRINTF would create a value of 999,999,999 characters",
    "REPLACE(l, 'x', l)": "REPLACE would create a value of 400,000,000 characters",
    "REPLACE(l, '', l)": "REPLACE would create a value of 400,040,000 characters",
    "REGEXP_REPLACE(l, 'x', l)": "REGEXP_REPLACE would create a value of 400,000,000 characters",
    "CAST(a AS CHAR(2147483647))": "CAST would create a value of 2,147,483,647 characters",
    "CAST(CAST(a AS BYTES) AS BINARY(2147483647))": "CAST would create a value of 2,147,483,647 characters",
    "PRINTF(p, n)": "PRINTF would create a value of 999,999,999 characters",
}
LARGE_CALLS = {
    "r || 'x' || r": "\\|\\| would create a value of 300,000,001 bytes, but a value may have 268,435,456",
    "CONCAT(r, r)": "CONCAT would create a value of 300,000,000 bytes",
    "CONCAT_WS(',', r, a, r)": "CONCAT_WS would create a value of 300,000,001 bytes, but",
    "CONCAT_WS(r, a, a, a)": "CONCAT_WS would create a value of 300,000,003 bytes",
    "OVERLAY(r PLACING r FROM 2)": "OVERLAY would create a value of 300,000,000 characters",
    "HEX(r)": "HEX would create a value of 300,000,000 characters",
    "TO_BASE64(REPEAT(a, 210000000))": "TO_BASE64 would create a value of 280,000,000 characters",
    "JSON_OBJECT(KEY 'a' VALUE r, KEY 'b' VALUE r)": "JSON_OBJECT would create a value of 300,000,000 bytes",
    "JSON_ARRAY(r, r)": "JSON_ARRAY would create a value of 300,000,000 bytes",
    "UPPER(r || r)": "\\|\\| would create a value of 300,000,000 bytes",
}

SMALL_LIMIT = 2_684_354
LARGE_CALLS_WITH_A_SMALL_LIMIT = {
    "ENCODE(r, 'UTF-16LE')": "ENCODE would create a value of 3,000,000 bytes",
    "TRANSLATE(r, 'x', '\u00e4')": "TRANSLATE would create a value of 3,000,000 bytes",
    "JSON_QUOTE(REPEAT('\u00e4', 500000))": "JSON_QUOTE would create a value of 3,000,002 characters",
    "JSON_STRING(REPEAT('\u0001', 500000))": "JSON_STRING would create a value of 3,000,002 characters",
    "CHAR_LENGTH(JSON_STRING(ARRAY[r, r]))": "JSON_STRING would create a value of 3,000,007 bytes",
    "CHAR_LENGTH(JSON_STRING(ROW(r, r)))": "JSON_STRING would create a value of 3,000,025 bytes",
    "CARDINALITY(SPLIT(r, ''))": "SPLIT would create a value of 7,500,000 bytes",
    "CARDINALITY(SPLIT(r, a))": "SPLIT would create a value of 6,000,004 bytes",
    "CARDINALITY(STR_TO_MAP(r, 'x', '='))": "STR_TO_MAP would create a value of 13,500,008 bytes",
}
"""Calls that take seconds for values above the real limit."""


@pytest.fixture
def env(spark: object) -> TableEnvironment:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build()
    return TableEnvironment.create(settings, external={"spark": spark})


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value may have a hundredth of the real size."""
    for module in (value_sizes, strings):
        monkeypatch.setattr(module, "MAX_VALUE_SIZE", SMALL_LIMIT)


def values_of(env: TableEnvironment, calls: Sequence[str], rows: str) -> list[tuple[str, object]]:
    """Returns each call with its value, of one query for all."""
    (row,) = env.execute_sql(f"SELECT {', '.join(f'{call} AS v{n}' for n, call in enumerate(calls))} FROM {rows}").to_arrow().to_pylist()
    return list(zip(calls, row.values(), strict=True))


@pytest.mark.parametrize("call", CALLS)
def test_a_value_that_would_be_too_large_is_an_error(env: TableEnvironment, call: str) -> None:
    with pytest.raises(TableRuntimeException, match=CALLS[call]):
        env.execute_sql(
            f"SELECT {call} FROM (SELECT a, n, p, REPEAT(a, 20000) AS l FROM (VALUES ('x', 1, '%.999999999s')) AS t(a, n, p))"
        ).to_arrow()


@pytest.mark.usefixtures("small_limit")
def test_joined_rows_that_would_be_too_large_are_an_error(env: TableEnvironment) -> None:
    rows = ", ".join(["'x'"] * 300)
    with pytest.raises(TableRuntimeException, match="LISTAGG would create a value of 3,000,299 bytes, but a value may have 2,684,354"):
        env.execute_sql(f"SELECT CHAR_LENGTH(LISTAGG(REPEAT(a, 10000))) FROM (VALUES {rows}) AS t (a)").to_arrow()


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize(
    ("call", "size"),
    [
        ("ARRAY_AGG(r)", "3,001,204"),
        ("ARRAY_AGG(ARRAY[r])", "3,002,404"),
        ("COLLECT(r)", "3,001,204"),
        ("COLLECT(ROW(r))", "3,001,204"),
    ],
)
def test_collected_rows_that_would_be_too_large_are_an_error(env: TableEnvironment, call: str, size: str) -> None:
    rows = ", ".join(["'x'"] * 300)
    with pytest.raises(TableRuntimeException, match=f"would create a value of {size} bytes, but a value may have 2,684,354"):
        env.execute_sql(f"SELECT {call} FROM (SELECT REPEAT(a, 10000) AS r FROM (VALUES {rows}) AS t (a))").to_arrow()


@pytest.mark.parametrize(("call", "name"), [("s || s", r"\|\|"), ("CONCAT(s, s)", "CONCAT"), ("CONCAT_WS(',', s, s)", "CONCAT_WS")])
def test_a_text_that_doubles_many_times_is_refused(env: TableEnvironment, call: str, name: str) -> None:
    query = "SELECT a AS s FROM (VALUES 'x', 'y') AS t (a)"
    for _ in range(30):
        query = f"SELECT {call} AS s FROM ({query})"
    with pytest.raises(TableRuntimeException, match=rf"{name} would create a value of [\d,]+ bytes, but a value may have 268,435,456"):
        env.execute_sql(f"SELECT CHAR_LENGTH(s) FROM ({query})").to_arrow()


def test_an_array_that_doubles_many_times_is_refused(env: TableEnvironment) -> None:
    query = "SELECT ARRAY[a] AS s FROM (VALUES 1, 2) AS t (a)"
    for _ in range(30):
        query = f"SELECT ARRAY_CONCAT(s, s) AS s FROM ({query})"
    with pytest.raises(TableRuntimeException, match=r"ARRAY_CONCAT would create a value of [\d,]+ bytes, but a value may have 268,435,456"):
        env.execute_sql(f"SELECT CARDINALITY(s) FROM ({query})").to_arrow()


GUARDED: list[tuple[str, object]] = [
    ("a || b || a", "xyx"),
    ("a || z || b", None),
    ("CONCAT(a, z)", None),
    ("CONCAT(a, b, e)", "xy"),
    ("CONCAT_WS('-', a, z, b)", "x-y"),
    ("CONCAT_WS(b, a, a, z, 'q')", "xyxyq"),
    ("CONCAT_WS(z, a, a)", None),
    ("UPPER(a || b) || COALESCE(z, CASE WHEN a = 'x' THEN UPPER(REPLACE(b, 'y', a || b || a || b)) ELSE LOWER(a) END) || a", "XYXYXYx"),
    ("TRANSLATE(a || b, 'xy', '\u00e4')", "\u00e4"),
    ("TRANSLATE(a || b, 'xx', '\u00e4\u00f6')", "\u00e4y"),
    ("TRANSLATE(a, b, a)", "x"),
    ("ENCODE(a, 'UTF-16BE')", b"\0x"),
    ("ENCODE(z, 'UTF-16BE')", None),
    ("URL_ENCODE(a || ' +')", "x+%2B"),
    ("TO_BASE64(REPEAT(a, 90))", "eHh4" * 30),
    ("HEX(a || b)", "7879"),
    ("JSON_OBJECT(KEY 'k' VALUE z, KEY 'l' VALUE a)", '{"k":null,"l":"x"}'),
    ("JSON_STRING(z)", None),
    ("JSON_STRING(a || '\"')", '"x\\""'),
    ("OVERLAY(a || b PLACING b FROM 1)", "yy"),
    ("SPLIT(a || '.' || b, '.')", ["x", "y"]),
    ("SPLIT(a || '.' || b, '')", ["x", ".", "y"]),
    ("SPLIT(a || '.' || b, b)", ["x.", ""]),
    ("SPLIT(a || '.' || b, '.y')", ["x", ""]),
    ("SPLIT(e, '.')", []),
    ("SPLIT(z, '.')", None),
    ("SPLIT(a, z)", None),
    ("STR_TO_MAP(a || '=1,' || b || '=2,' || a || '=3')", [("x", "3"), ("y", "2")]),
    ("STR_TO_MAP(z)", None),
    ("JSON_STRING(ARRAY[a, z])", '["x",null]'),
]


def test_guards_leave_values_what_they_are(env: TableEnvironment) -> None:
    columns = ", ".join(f"CAST({text} AS STRING) AS {name}" for name, text in {"a": "'x'", "b": "'y'", "e": "''", "z": "NULL"}.items())
    assert values_of(env, [call for call, _ in GUARDED], f"(SELECT {columns})") == GUARDED


@pytest.mark.parametrize("call", LARGE_CALLS)
def test_a_value_of_large_ones_that_would_be_too_large_is_an_error(env: TableEnvironment, call: str) -> None:
    rows = "(SELECT a, REPEAT(a, 150000000) AS r FROM (VALUES 'x', CAST(NULL AS STRING)) AS t(a))"
    with pytest.raises(TableRuntimeException, match=LARGE_CALLS[call]):
        env.execute_sql(f"SELECT {call} FROM {rows}").to_arrow()


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("call", LARGE_CALLS_WITH_A_SMALL_LIMIT)
def test_a_value_above_a_small_limit_is_an_error(env: TableEnvironment, call: str) -> None:
    rows = "(SELECT a, REPEAT(a, 1500000) AS r FROM (VALUES 'x', CAST(NULL AS STRING)) AS t(a))"
    with pytest.raises(TableRuntimeException, match=LARGE_CALLS_WITH_A_SMALL_LIMIT[call]):
        env.execute_sql(f"SELECT {call} FROM {rows}").to_arrow()


def test_others_are_what_they_were(env: TableEnvironment) -> None:
    calls = "REPEAT(a, 3), REPEAT(a, -1), LPAD(a, 3, 'y'), RPAD(a, 3, 'y'), PRINTF('%5d|%%99999999999', n), PRINTF(p, n), REPEAT(z, 2)"
    query = f"SELECT {calls} FROM (VALUES ('x', 1, '%3d', CAST(NULL AS STRING))) AS t(a, n, p, z)"
    (row,) = env.execute_sql(query).to_arrow().to_pylist()
    assert list(row.values()) == ["xxx", "", "yyx", "xyy", "    1|%99999999999", "  1", None]


REPLACED: list[tuple[str, object]] = [
    ("REPLACE(a, s, r)", "b$1b$1-b$1"),
    ("REPLACE(a, '', r)", "b$1xb$1xb$1-b$1xb$1"),
    ("REPLACE(a, e, r)", "b$1xb$1xb$1-b$1xb$1"),
    ("REPLACE(a, s, z)", None),
    ("REPLACE(a, s, e)", "-"),
    ("REPLACE(e, e, r)", "b$1"),
    ("REPLACE(a, 'x', 'yy')", "yyyy-yy"),
    ("REGEXP_REPLACE(a, 'x+', r)", "b$1-b$1"),
    ("REGEXP_REPLACE(a, 'x', z)", None),
    ("REGEXP_REPLACE(a, 'x', '$')", "$$-$"),
    ("CHAR_LENGTH(REPLACE(REPEAT(a, 500), s, REPEAT(r, 200)))", 1500 * 600 + 500),
    ("CHAR_LENGTH(REGEXP_REPLACE(REPEAT(a, 500), 'x', REPEAT(r, 200)))", 1500 * 600 + 500),
]


def test_replacements_return_flinks_results(env: TableEnvironment) -> None:
    values = "(VALUES ('xx-x', 'x', 'b$1', '', CAST(NULL AS STRING))) AS t(a, s, r, e, z)"
    assert values_of(env, [call for call, _ in REPLACED], values) == REPLACED


@pytest.mark.parametrize(
    "said",
    [
        "java.lang.ArithmeticException: integer overflow\n\tat java.base/java.lang.Math.x(A:1)\n\tat org.apache.spark.unsafe.types.X(A:1)",
        "Caused by: java.lang.OutOfMemoryError: Requested array size exceeds VM limit",
        "java.lang.NegativeArraySizeException: -2147483648",
    ],
)
def test_jvm_errors_of_too_large_values_name_the_limit(said: str) -> None:
    assert "but a value may have 268,435,456." in to_runtime_error(RuntimeError(said)).message
