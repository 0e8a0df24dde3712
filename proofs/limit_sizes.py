"""Statements with many values, values of unbounded size, and cases that used to be raw errors."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

from limit_case import ERROR, RESULT, add, joined, read, sized, sql

__all__: list[str] = []

# --- quadratic -------------------------------------------------------------------------------------------------------------------------

sized(
    "values_100000",
    lambda n: "SELECT COUNT(*) FROM (VALUES " + joined(", ", "({0}, 'x{0}')")(n) + ") AS t (a, b)",
    100_000,
    100_000,
    2,
    RESULT,
    spark=30,
)


def _numbers(environment: Any, count: int) -> None:
    import pyarrow as pa

    with_data = pa.table({"i": pa.array(range(count), pa.int64()), "s": pa.array(map(str, range(count)))})
    environment.create_temporary_view("numbers", environment.from_arrow(with_data))


def _over_numbers(name: str, text: Callable[[int], str], rows: int, count: int, seconds: float, **engines: float) -> None:
    def prepare(environment: Any, is_short: bool) -> Callable[[], object]:
        _numbers(environment, rows)
        sql = text(count)

        def run() -> None:
            try:
                read(environment, sql)
            finally:
                environment.drop_temporary_view("numbers")

        return run

    add(name, prepare, seconds, RESULT, **engines)


_over_numbers(
    "in_100000_over_1m",
    lambda n: "SELECT COUNT(*) FROM numbers WHERE i IN (" + joined(", ", "{0}")(n) + ")",
    1_000_000,
    100_000,
    2,
    spark=30,
)
_over_numbers(
    "in_100000_strings_over_1m",
    lambda n: "SELECT COUNT(*) FROM numbers WHERE s IN (" + joined(", ", "'{0}'")(n) + ")",
    1_000_000,
    100_000,
    3,
    spark=30,
)
_over_numbers(
    "not_in_100000_over_1m",
    lambda n: "SELECT COUNT(*) FROM numbers WHERE i NOT IN (" + joined(", ", "{0}")(n) + ")",
    1_000_000,
    100_000,
    2,
    spark=30,
)
_over_numbers(
    "or_5000_over_1m", lambda n: "SELECT COUNT(*) FROM numbers WHERE " + joined(" OR ", "i = {0}")(n), 1_000_000, 5_000, 5, spark=30
)
_over_numbers(
    "in_8000_non_constant",
    lambda n: "SELECT COUNT(*) FROM numbers WHERE i IN (i + 1, " + joined(", ", "{0}")(n) + ")",
    100_000,
    8000,
    5,
    spark=30,
)
sized("in_values_of_list_5000", lambda n: "SELECT 5 IN (" + joined(", ", "{0}")(n) + ")", 5000, 5000, 2, spark=10)
sized(
    "coalesce_5000",
    lambda n: "SELECT COALESCE(" + joined(", ", "NULLIF(a, 1)")(n) + ") FROM (VALUES 1) AS t (a)",
    5000,
    1000,
    10,
    spark=30,
)
sized("concat_5000", lambda n: "SELECT CONCAT(" + joined(", ", "a")(n) + ") FROM (VALUES 'x') AS t (a)", 5000, 1000, 10, spark=30)
sized("array_100000", lambda n: "SELECT CARDINALITY(ARRAY[" + joined(", ", "{0}")(n) + "])", 100_000, 20_000, 10, spark=30)
sized("text_10mb", lambda n: "SELECT CHAR_LENGTH('" + "x" * n + "')", 10_000_000, 10_000_000, 10)
sized("broken_text_10mb", lambda n: "SELEC '" + "x" * n + "'", 10_000_000, 10_000_000, 10, ERROR)
sized("broken_name_10mb", lambda n: "SELECT " + "x" * n, 10_000_000, 10_000_000, 10, ERROR)
sized("broken_cast_10mb", lambda n: "SELECT CAST('" + "x" * n + "' AS INT)", 10_000_000, 10_000_000, 10, ERROR)
sized("words_10mb", lambda n: "SELECT " + "x " * n, 5_000_000, 1_000_000, 10, ERROR)
sized("numbers_10mb", lambda n: "SELECT " + "1," * n + "1", 5_000_000, 200_000, 10)
sized("open_parentheses_10mb", lambda n: "SELECT " + "(" * n, 10_000_000, 10_000_000, 10, ERROR)
sized("comments_10mb", lambda n: "SELECT 1 " + "/* x */ " * (n // 8), 10_000_000, 10_000_000, 10)
sized("number_10mb", lambda n: "SELECT " + "1" * n, 10_000_000, 10_000_000, 10)
sized("exponent", lambda n: f"SELECT 1e{n}, CAST('1e{n}' AS DECIMAL(38, 0))", 999_999_999, 999_999_999, 10)
sized("statements_10mb", lambda n: "SELECT 1; " * n, 1_000_000, 1_000_000, 10, ERROR)
sized("quotes_10mb", lambda n: "SELECT '" + "''" * n + "'", 5_000_000, 5_000_000, 10)
sized("plus_10mb", lambda n: "SELECT a" + " + a" * n + " FROM (VALUES 0) AS t (a)", 2_500_000, 200_000, 10)
sized("and_10mb", lambda n: "SELECT a" + " AND a" * n + " FROM (VALUES TRUE) AS t (a)", 1_700_000, 100_000, 10)
sized("unions_10mb", lambda n: "SELECT 1" + " UNION ALL SELECT 1" * n, 500_000, 20_000, 10)
sized("values_10mb", lambda n: "SELECT COUNT(*) FROM (VALUES " + "(1)," * n + "(1)) AS t (a)", 2_500_000, 200_000, 10)
sized("joins_10mb", lambda n: "SELECT 1 FROM (VALUES 1) AS t (a)" + " CROSS JOIN (VALUES 1) AS t (a)" * n, 300_000, 10_000, 10)
sized("array_10mb", lambda n: "SELECT ARRAY[" + "1," * n + "1]", 5_000_000, 200_000, 10)
sized("in_10mb", lambda n: "SELECT a IN (" + "1," * n + "1) FROM (VALUES 1) AS t (a)", 5_000_000, 200_000, 10)

# --- values without bounds -------------------------------------------------------------------------------------------------------------

for _name, _call in {
    "printf": "PRINTF('%999999999d', 1)",
    "printf_string": "PRINTF('%999999999s', 'x')",
    "printf_precision": "PRINTF('%.999999999f', 1.5)",
    "repeat": "REPEAT(a, 2147483647)",
    "lpad": "LPAD(a, 2147483647, 'x')",
    "rpad": "RPAD(a, 2147483647, 'x')",
    "space": "SPACE(2147483647)",
    "replace": "REPLACE(REPEAT('a', 100000), 'a', REPEAT('b', 100000))",
    "regexp_replace": "REGEXP_REPLACE(REPEAT('a', 100000), 'a', REPEAT('b', 100000))",
    "array_repeat": "ARRAY_REPEAT(a, 2147483647)",
    "concat": "CONCAT(REPEAT(a, 200000000), REPEAT(a, 200000000), REPEAT(a, 200000000))",
    "sequence": "CARDINALITY(SEQUENCE(1, 2147483647))",
    "translate": "TRANSLATE(REPEAT('a', 1000000), 'a', 'b')",
    "overlay": "OVERLAY(a PLACING REPEAT('b', 2147483647) FROM 1)",
    "insert": "INSERT(a, 1, 0, REPEAT('b', 2147483647))",
    "format_number": "FORMAT_NUMBER(1.5, 2147483647)",
    "date_format": "DATE_FORMAT(TIMESTAMP '2020-01-01 00:00:00', REPEAT('yyyy', 1000000))",
    "hex": "HEX(REPEAT('a', 200000000))",
    "to_base64": "TO_BASE64(REPEAT('a', 200000000))",
    "listagg": "LISTAGG(REPEAT(a, 1000000))",
}.items():
    sql(f"value_{_name}", f"SELECT {_call} FROM (VALUES 'x') AS t (a)", 10, spark=15)


def _doubled(call: str, start: str, result: str) -> str:
    """Returns a query that doubles a value 40 times."""
    query = f"SELECT {start} AS s FROM (VALUES 'x', 'y') AS t (a)"
    for _ in range(40):
        query = f"SELECT {call} AS s FROM ({query})"
    return f"SELECT {result} FROM ({query})"


for _name, _of in {
    "operator": ("s || s", "a", "CHAR_LENGTH(s)"),
    "concat": ("CONCAT(s, s)", "a", "CHAR_LENGTH(s)"),
    "concat_ws": ("CONCAT_WS(',', s, s)", "a", "CHAR_LENGTH(s)"),
    "array_concat": ("ARRAY_CONCAT(s, s)", "ARRAY[1]", "CARDINALITY(s)"),
}.items():
    sql(f"value_doubled_{_name}", _doubled(*_of), 10, ERROR)
for _name, _call in {
    "operator": "r || r || r",
    "concat_ws": "CONCAT_WS(r, 'a', 'b', 'c')",
    "overlay": "OVERLAY(r PLACING r FROM 2)",
    "hex": "HEX(r)",
    "encode": "ENCODE(r, 'UTF-16BE')",
    "translate": "TRANSLATE(r, 'x', U&'\\00e4')",
    "json_object": "JSON_OBJECT(KEY 'a' VALUE r, KEY 'b' VALUE r)",
    "json_array": "JSON_ARRAY(r, r)",
}.items():
    sql(f"value_large_{_name}", f"SELECT {_call} FROM (SELECT REPEAT(a, 150000000) AS r FROM (VALUES 'x', 'x') AS t (a))", 10, ERROR)
sql(
    "value_rows_listagg",
    "SELECT CHAR_LENGTH(LISTAGG(REPEAT(a, 1000000))) FROM (VALUES " + ", ".join(["'x'"] * 300) + ") AS t (a)",
    10,
    ERROR,
)
sql("value_generated", "SELECT COUNT(*) FROM (SELECT REPEAT(s, 100000) FROM (VALUES 'a', 'b') AS t (s))", 10)

# --- errors while planning -------------------------------------------------------------------------------------------------------------

for _name, _text in {
    "date_0": "SELECT DATE '0000-01-01'",
    "date_10000": "SELECT DATE '10000-01-01'",
    "date_minus": "SELECT DATE '-0001-01-01'",
    "date_plus": "SELECT DATE '9999-12-31' + INTERVAL '1' DAY",
    "date_minus_years": "SELECT DATE '0001-01-01' - INTERVAL '5' YEAR",
    "date_add_days": "SELECT TIMESTAMPADD(DAY, 2147483647, DATE '2000-01-01')",
    "timestamp_add": "SELECT TIMESTAMPADD(YEAR, 20000, TIMESTAMP '2000-01-01 00:00:00')",
    "timestamp_cast": "SELECT CAST('99999-01-01 00:00:00' AS TIMESTAMP)",
    "date_cast": "SELECT CAST(2932897 AS INT), CAST('0000-00-00' AS DATE)",
    "from_unixtime": "SELECT FROM_UNIXTIME(9223372036854775807)",
    "to_timestamp_ltz": "SELECT TO_TIMESTAMP_LTZ(9223372036854775807, 3), TO_TIMESTAMP_LTZ(-9223372036854775808, 0)",
    "to_timestamp_pattern": "SELECT TO_TIMESTAMP('2020', 'yyyyyyyyyyyyyyyyyyyy'), TO_TIMESTAMP('2020(', 'yyyy('), TO_TIMESTAMP('2020', 'yyyy[')",
    "to_timestamp_twice": "SELECT TO_TIMESTAMP('2020 2021', 'yyyy yyyy'), TO_DATE('2020', 'yyyyyyyyyyyyy MM MM')",
    "date_filter": "SELECT * FROM (VALUES DATE '9999-12-31') AS t (d) WHERE d + INTERVAL '1' YEAR > DATE '2000-01-01'",
    "code_point": "SELECT U&'\\+110000'",
    "code_point_surrogate": "SELECT U&'\\D800'",
    "code_point_surrogate_6": "SELECT U&'\\+00DFFF' || 'x'",
    "code_point_name": 'SELECT 1 AS U&"\\D800"',
    "surrogate_text": "SELECT '\ud800'",
    "surrogate_name": "SELECT 1 AS `\udfff`",
    "surrogate_table": "SELECT * FROM `\udfff`",
    "surrogate_comment": "SELECT 1 -- \udfff",
    "surrogate_broken": "SELEC '\udfff'",
    "nul_text": "SELECT 'a\0b', CHAR_LENGTH('a\0b')",
    "nul_name": "SELECT 1 AS `a\0b`",
    "nul_table": "CREATE TEMPORARY TABLE `a\0b` (a INT) WITH ('connector' = 'datagen')",
    "nul_path": "CREATE TEMPORARY TABLE nul_path (a INT) WITH ('connector' = 'filesystem', 'path' = '/tmp/a\0b', 'format' = 'csv')",
    "nul_path_read": "SELECT * FROM nul_path",
    "nul_path_write": "INSERT INTO nul_path VALUES 1",
    "nul_database": "CREATE DATABASE `a\0b`",
    "nul_catalog": "CREATE CATALOG `a\0b` WITH ('type' = 'generic_in_memory')",
    "long_catalog": f"CREATE CATALOG {'c' * 300} WITH ('type' = 'generic_in_memory')",
    "long_database": f"CREATE DATABASE {'d' * 300}",
    "long_table": f"CREATE TABLE {'t' * 300} (a INT) WITH ('connector' = 'datagen')",
    "long_view": f"CREATE VIEW {'v' * 300} AS SELECT 1 AS a",
    "long_column": f"SELECT 1 AS {'c' * 300}",
    "long_option": f"SET 'table.{'x' * 300}' = '1'",
    "huge_option": f"SET 'table.exec.{'x' * 3_000_000}' = '1'",
    "huge_name": f"SELECT * FROM {'t' * 3_000_000}",
    "huge_function": f"SELECT {'f' * 3_000_000}(1)",
    "huge_column": f"SELECT {'c' * 3_000_000} FROM (VALUES 1) AS t (a)",
    "huge_literal": f"SELECT DATE '{'x' * 3_000_000}'",
    "huge_many_columns": "SELECT nothing FROM (VALUES (" + ", ".join(["1"] * 3000) + ")) AS t",
    "estimates": "SELECT * FROM (SELECT 1 AS a WHERE FALSE) AS t JOIN (SELECT a, COUNT(*) FROM (VALUES 1) AS s (a) WHERE a < 0 GROUP BY a) AS u ON t.a = u.a",
}.items():
    sql(f"raw_{_name}", _text, 5, spark=20)


def _long_value(environment: Any, is_short: bool) -> Callable[[], object]:
    return lambda: environment.from_elements([(datetime.date(9999, 12, 31),)], ["d"]).execute().collect().close()


add("raw_from_elements_date", _long_value, 5, spark=20)
