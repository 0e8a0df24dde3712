"""MATCH_RECOGNIZE on Spark: the Arrow operator in the workers, over partitions that Spark brings together."""

from __future__ import annotations

from typing import Any

ROWS = ", ".join(
    f"('{key}', TIMESTAMP '2020-01-01 00:00:{second:02d}', {price}, CAST({price} AS DECIMAL(6, 2)))"
    for second, price in enumerate([5, 3, 1, 4, 9, 2, 8])
    for key in "cab"
)
INPUT = f"(SELECT * FROM (VALUES {ROWS}) AS v(k, ts, price, amount))"
DOWN_UP = """MEASURES S.price AS s, LAST(D.price) AS d, SUM(D.amount) AS total, U.ts AS ts AFTER MATCH SKIP TO LAST U PATTERN (S D+ U)
    DEFINE D AS D.price < LAST(price, 1), U AS U.price > LAST(D.price)"""


def test_every_partition_is_searched_in_its_order(run: Any) -> None:
    query = f"SELECT k, s, d, CAST(total AS STRING), CAST(ts AS STRING) FROM {INPUT} MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts {DOWN_UP})"
    expected = [row for k in "abc" for row in ((k, 5, 1, "4.00", "2020-01-01 00:00:03"), (k, 9, 2, "2.00", "2020-01-01 00:00:06"))]
    assert sorted(tuple(row) for row in run.rows(query)) == expected


def test_without_partitions_all_rows_are_one_sequence(run: Any) -> None:
    query = f"SELECT * FROM {INPUT} MATCH_RECOGNIZE (ORDER BY ts, k MEASURES COUNT(*) AS n, A.k AS a, B.k AS b AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) DEFINE A AS A.price > 8)"
    assert [tuple(row) for row in run.rows(query)] == [(2, "a", "b"), (2, "c", "a")]
