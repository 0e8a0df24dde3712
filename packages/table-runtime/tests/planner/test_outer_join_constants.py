"""A constant of the preserved side of an outer join filters the other side, and the rows stay the same."""

from __future__ import annotations

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment

A = [(1, 10), (1, 11), (2, 12), (None, 13)]
B = [(1, 20), (1, 21), (2, 22), (None, 23), (3, 24)]
QUERIES = {
    "left": ("SELECT a.n, b.n AS m FROM a LEFT JOIN b ON a.x = b.x WHERE a.x = 1", [(10, 20), (10, 21), (11, 20), (11, 21)]),
    "left without a partner": ("SELECT a.n, b.n AS m FROM a LEFT JOIN b ON a.x = b.x AND b.n > 30 WHERE a.x = 2", [(12, None)]),
    "right": ("SELECT a.n, b.n AS m FROM a RIGHT JOIN b ON a.x = b.x WHERE 3 = b.x", [(None, 24)]),
    "right column": ("SELECT a.n, b.n AS m FROM a LEFT JOIN b ON a.x = b.x WHERE b.x = 2", [(12, 22)]),
    "not exists": ("SELECT a.n FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.x = a.x AND b.n > 20) AND a.x = 2", []),
    "not exists without a partner": ("SELECT n FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.x = a.x AND n > 22) AND x = 2", [(12,)]),
    "not in with NULL": ("SELECT n FROM a WHERE x NOT IN (SELECT x FROM b WHERE n > 22) AND x = 1", []),
    "not in without NULL": ("SELECT n FROM a WHERE x NOT IN (SELECT x FROM b WHERE n > 23) AND x = 2", [(12,)]),
    "counted": ("SELECT a.n, b.c FROM a LEFT JOIN (SELECT x, COUNT(*) AS c FROM b GROUP BY x) AS b ON a.x = b.x WHERE a.x = 2", [(12, 1)]),
}


@pytest.mark.parametrize(("query", "expected"), QUERIES.values(), ids=QUERIES)
def test_rows(query: str, expected: list[tuple[int | None, ...]]) -> None:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    for name, rows in (("a", A), ("b", B)):
        columns = {"x": pa.array([x for x, _ in rows], pa.int32()), "n": pa.array([n for _, n in rows], pa.int64())}
        env.create_temporary_view(name, env.from_arrow(pa.table(columns)))
    found = [tuple(row.values()) for row in env.execute_sql(query).to_arrow().to_pylist()]
    assert sorted(found, key=repr) == expected
