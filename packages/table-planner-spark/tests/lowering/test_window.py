"""OVER windows on Spark."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableException

ROWS = """(VALUES
  (1, 'a', 10, 1.50, DATE '2020-01-31', TIMESTAMP '2020-01-01 00:00:00.000000001'),
  (2, 'b', 20, 2.50, DATE '2020-02-28', TIMESTAMP '2020-01-01 00:00:00.000000003'),
  (3, 'a', 10, CAST(NULL AS DECIMAL(3, 2)), DATE '2020-03-31', TIMESTAMP '2020-01-01 00:00:00.000000004'),
  (4, 'b', CAST(NULL AS INT), 0.25, CAST(NULL AS DATE), CAST(NULL AS TIMESTAMP(9)))
) AS t(id, p, q, m, d, ts)"""


def over(run: Any, expression: str) -> list[Any]:
    """Returns the value for each row, in the order of the id."""
    return [row[1] for row in sorted(run.rows(f"SELECT id, {expression} FROM {ROWS}"), key=lambda row: row[0])]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("ROW_NUMBER() OVER (PARTITION BY p ORDER BY id DESC)", [2, 2, 1, 1]),
        ("RANK() OVER (ORDER BY q)", [2, 4, 2, 1]),
        ("RANK() OVER (ORDER BY q NULLS LAST)", [1, 3, 1, 4]),
        ("NTILE(3) OVER (ORDER BY id)", [1, 1, 2, 3]),
        ("LAG(q) OVER (ORDER BY id)", [None, 10, 20, 10]),
        ("LEAD(q, 1, 0) OVER (ORDER BY id)", [20, 10, None, 0]),
        ("LAG(m) IGNORE NULLS OVER (ORDER BY id)", [None, Decimal("1.50"), Decimal("2.50"), Decimal("2.50")]),
        ("SUM(q) OVER (ORDER BY id)", [10, 30, 40, 40]),
        ("SUM(q) OVER ()", [40, 40, 40, 40]),
        ("SUM(q) OVER (PARTITION BY p)", [20, 20, 20, 20]),
        ("AVG(q) OVER (ORDER BY id)", [10, 15, 13, 13]),
        ("SUM(q) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)", [30, 10, None, None]),
        ("COUNT(*) OVER (ORDER BY q RANGE BETWEEN 10 PRECEDING AND CURRENT ROW)", [2, 3, 2, 1]),
        ("COUNT(*) OVER (ORDER BY m RANGE 1 PRECEDING)", [1, 2, 1, 1]),
        ("COUNT(*) OVER (ORDER BY d RANGE INTERVAL '1' MONTH PRECEDING)", [1, 2, 1, 1]),
        ("COUNT(*) OVER (ORDER BY d DESC RANGE INTERVAL '40' DAY PRECEDING)", [2, 2, 1, 1]),
        ("FIRST_VALUE(m) OVER (ORDER BY id DESC)", [Decimal("0.25")] * 4),
        ("LAST_VALUE(m) RESPECT NULLS OVER (ORDER BY id)", [Decimal("1.50"), Decimal("2.50"), None, Decimal("0.25")]),
        ("SUM(q) FILTER (WHERE id > 1) OVER (ORDER BY id)", [None, 20, 30, 30]),
        ("LISTAGG(p, '-') OVER (ORDER BY id)", ["a", "a-b", "a-b-a", "a-b-a-b"]),
        ("COUNT(DISTINCT p) OVER (ORDER BY id)", [1, 2, 2, 2]),
        ("SUM(DISTINCT q) OVER (ORDER BY id)", [10, 30, 30, 30]),
        ("AVG(DISTINCT m) OVER (ORDER BY id)", [Decimal("1.500000"), Decimal("2.000000"), Decimal("2.000000"), Decimal("1.416667")]),
        ("LISTAGG(DISTINCT p) OVER (ORDER BY id)", ["a", "a,b", "a,b", "a,b"]),
        ("ARRAY_AGG(DISTINCT q) OVER (ORDER BY id)", [[10], [10, 20], [10, 20], [10, 20, None]]),
        ("COLLECT(DISTINCT p) OVER (ORDER BY id)", [[("a", 1)], *[[("a", 1), ("b", 1)]] * 3]),
    ],
)
def test_window_functions(run: Any, expression: str, expected: list[Any]) -> None:
    assert over(run, expression) == expected


@pytest.mark.parametrize(("distance", "expected"), [("0", [1, 1, 1, 1]), ("0.001", [1, 2, 3, 1])])
def test_ranges_distinguish_nanoseconds(run: Any, distance: str, expected: list[int]) -> None:
    assert over(run, f"COUNT(*) OVER (ORDER BY ts RANGE INTERVAL '{distance}' SECOND PRECEDING)") == expected


@pytest.mark.parametrize("expression", ["LAG(q, id) OVER (ORDER BY id)", "STDDEV_POP(DISTINCT q) OVER ()"])
def test_what_spark_cannot_do_is_refused(run: Any, expression: str) -> None:
    with pytest.raises(TableException, match="The planner 'spark'"):
        over(run, expression)


def test_a_range_over_decimals_of_38_digits_keeps_the_digits_of_the_key(run: Any) -> None:
    keys = ", ".join(f"CAST({key} AS DECIMAL(38, 10))" for key in ("0.0000000001", "0.0000000004", "1234567890123456789012345678.5"))
    found = run.rows(f"SELECT COUNT(*) OVER (ORDER BY k RANGE 0.00000000029999 PRECEDING) FROM (VALUES {keys}) AS t (k)")
    assert sorted(found) == [(1,), (1,), (1,)]
    found = run.rows(f"SELECT COUNT(*) OVER (ORDER BY k RANGE 12345678901234567890123456.0 PRECEDING) FROM (VALUES {keys}) AS t (k)")
    assert sorted(found) == [(1,), (1,), (2,)]


def test_many_windows_with_windows_over_their_columns(run: Any) -> None:
    inner = ", ".join(f"SUM(id) OVER (PARTITION BY p ORDER BY id + {i}) AS s{i}" for i in range(17))
    (*found,) = run.rows(f"SELECT id, s3, s16, SUM(s3 + s16) OVER (PARTITION BY p ORDER BY id DESC) FROM (SELECT *, {inner} FROM {ROWS})")
    assert sorted(found) == [(1, 1, 1, 10), (2, 2, 2, 16), (3, 4, 4, 8), (4, 6, 6, 12)]
