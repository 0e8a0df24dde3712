from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

ONE_OF_EACH = """(
    {0}, {0} + 0.25, CAST({0} AS DOUBLE), 'text {0}', X'0{0}', {0} > 3, DATE '2020-01-0{0}', TIME '10:00:0{0}.5',
    TIMESTAMP '2020-01-01 00:00:00.00000{0}', TIMESTAMP '2020-01-01 00:00:00.00000000{0}', INTERVAL '{0}' MONTH, INTERVAL '{0}' SECOND
)"""
NULLS = "(" + ", ".join(["NULL"] * 12) + ")"


def statement(rows: list[str]) -> str:
    return "SELECT * FROM (VALUES " + ", ".join(rows) + ") AS t (a, b, c, d, e, f, g, h, i, j, k, l)"


@pytest.mark.needs_time
def test_many_constants_are_the_same_as_few(run: Any) -> None:
    each = [ONE_OF_EACH.format(number) for number in range(1, 10)]
    few, many = (run.environment.execute_sql(statement([*each, NULLS] * times)).to_arrow() for times in (1, 10))
    assert many.combine_chunks() == pa.concat_tables([few] * 10).combine_chunks()


@pytest.mark.parametrize("count", [2, 1000])
def test_a_chain_of_constant_rows_is_one_relation(run: Any, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    texts: list[str] = []
    sql = SparkSession.sql
    monkeypatch.setattr(SparkSession, "sql", lambda self, text: texts.append(text) or sql(self, text))
    assert sorted(run.rows(" UNION ALL ".join(f"SELECT {number} AS a" for number in range(count)))) == [(n,) for n in range(count)]
    assert not any("UNION" in text for text in texts)
    assert sum(map(len, texts)) < 2000


def test_rows_that_are_no_constants_are_computed_for_each_run(run: Any) -> None:
    rows = run.rows("SELECT RAND() AS a UNION SELECT RAND() UNION SELECT RAND()")
    assert len(set(rows)) == 3


def test_values_without_rows_have_columns(run: Any) -> None:
    assert run.rows("SELECT COUNT(*), MAX(a) FROM (SELECT 1 AS a WHERE FALSE) AS t") == [(0, None)]
