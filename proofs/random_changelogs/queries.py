"""Random queries of some operators over the random tables."""

from __future__ import annotations

import random

from random_changelogs.tables import CREATE

__all__ = ["random_query", "random_query_by_key"]

JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
COMPLETE = tuple(name for name in sorted(CREATE) if name != "q")
"""The tables whose changes have all columns before the change."""


def random_query(chance: random.Random, depth: int) -> str:
    """Returns a query with the columns k, v and s."""
    if depth == 0:
        return f"SELECT k, v, s FROM {chance.choice(COMPLETE)}"
    inner = random_query(chance, depth - 1)
    other = random_query(chance, chance.randrange(depth))
    join = chance.choice(JOINS)
    rank, direction, bound = (
        chance.choice(["RANK", "DENSE_RANK"]),
        chance.choice(["", " DESC"]),
        chance.choice(["= 1", "<= 2", "BETWEEN 2 AND 3"]),
    )
    growing = "SELECT k, CAST(COUNT(*) AS INT) AS n, MAX(v) AS v, MAX(s) AS s FROM ({inner}) GROUP BY k"
    """Columns whose values only grow if rows are only inserted."""
    return chance.choice(
        [
            f"SELECT * FROM ({inner}) WHERE v > {chance.randrange(3)}",
            f"SELECT k, SUM(v) AS v, MAX(s) AS s FROM ({inner}) GROUP BY k",
            f"SELECT MIN(k) AS k, COUNT(*) AS v, s FROM ({inner}) GROUP BY s",
            f"SELECT k, MAX(v) AS v, s FROM ({inner}) GROUP BY k, s",
            f"SELECT k, AVG(v) AS v, MIN(s) FILTER (WHERE v > 0) AS s FROM ({inner}) GROUP BY k",
            f"SELECT k, COUNT(DISTINCT s) AS v, MIN(s) AS s FROM ({inner}) GROUP BY k HAVING COUNT(*) > 1",
            f"SELECT k, COUNT(v) AS v, s FROM ({inner}) GROUP BY {chance.choice(['ROLLUP', 'CUBE'])} (k, s)",
            f"SELECT k, CAST(10 * PERCENTILE(v, 0.5) AS BIGINT) AS v, MAX(s) AS s FROM ({inner}) GROUP BY k",
            f"SELECT k, CAST(FLOOR(1000 * VAR_POP(CAST(v AS DOUBLE)) + 0.12345) AS BIGINT) AS v, MIN(s) AS s FROM ({inner}) GROUP BY k",
            f"SELECT k, CAST(CHAR_LENGTH(LISTAGG(s)) + CARDINALITY(ARRAY_AGG(v)) AS BIGINT) AS v, MIN(s) AS s FROM ({inner}) GROUP BY k",
            f"SELECT MAX(k) AS k, BITMAP_BUILD_CARDINALITY_AGG(CAST(v AS INT)) AS v, s FROM ({inner}) GROUP BY s",
            f"SELECT n AS k, MAX(v) AS v, MAX(s) AS s FROM ({growing.format(inner=inner)}) GROUP BY n",
            f"SELECT MAX(k) AS k, MAX(v) AS v, MAX(s) AS s FROM ({growing.format(inner=inner)}) WHERE n < 3",
            f"SELECT DISTINCT k, v, s FROM ({inner})",
            f"SELECT a.k, b.v, a.s FROM ({inner}) AS a {join} ({other}) AS b ON a.k = b.k",
            f"SELECT a.k, b.v, b.s FROM ({inner}) AS a {join} ({other}) AS b ON a.k = b.k AND a.v < b.v",
            f"SELECT a.k, b.v, b.s FROM ({inner}) AS a {join} ({other}) AS b ON a.k IS NOT DISTINCT FROM b.k AND a.s = b.s",
            f"SELECT a.k, (SELECT SUM(b.v) FROM ({other}) AS b WHERE b.k = a.k) AS v, a.s FROM ({inner}) AS a",
            f"SELECT * FROM ({inner}) WHERE k IN (SELECT k FROM ({other}))",
            f"SELECT * FROM ({inner}) WHERE k NOT IN (SELECT k FROM ({other}))",
            f"SELECT * FROM ({inner}) AS a WHERE NOT EXISTS (SELECT 1 FROM ({other}) AS b WHERE b.s = a.s)",
            f"SELECT k, v, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v{direction}, s, k) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, n AS v, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY s ORDER BY v DESC, k) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, v, s FROM (SELECT *, {rank}() OVER (PARTITION BY k ORDER BY v{direction}) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, n AS v, s FROM (SELECT *, {rank}() OVER (PARTITION BY s ORDER BY v{direction}) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, n AS v, s FROM (SELECT *, {rank}() OVER (ORDER BY v{direction}) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, v, s FROM ({inner}) ORDER BY v{direction}, k, s LIMIT 3",
            f"SELECT k, v, s FROM ({inner}) ORDER BY v{direction}, k, s LIMIT 1",
            *(
                f"SELECT * FROM ({inner}) {kind} SELECT * FROM ({other})"
                for kind in ("UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
            ),
        ]
    )


def random_query_by_key(chance: random.Random) -> str:
    """Returns a query over the table q: the operator above it keeps its rows and their key, and conditions on them are above that operator."""
    other = random_query(chance, chance.randrange(2))
    join, direction = chance.choice(JOINS), chance.choice(["", " DESC"])
    rank, partition = chance.choice(["ROW_NUMBER", "RANK", "DENSE_RANK"]), chance.choice(["", "PARTITION BY k ", "PARTITION BY s "])
    set_operation = chance.choice(["UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"])
    keeper = chance.choice(
        [
            f"SELECT a.k, b.v, a.s FROM q AS a {join} ({other}) AS b ON a.k = b.k",
            f"SELECT a.k, a.v, b.s FROM q AS a {join} ({other}) AS b ON a.s = b.s",
            f"SELECT b.k, a.v, b.s FROM ({other}) AS a {join} q AS b ON a.v < b.v AND a.s = b.s",
            f"SELECT a.k, b.v, a.s FROM q AS a {join} (SELECT k, MAX(v) AS v FROM ({other}) GROUP BY k) AS b ON TRUE",
            f"SELECT b.k, b.v, b.s FROM q AS a {join} q AS b ON a.k = b.v",
            f"SELECT k, v, s FROM q WHERE v IN (SELECT k FROM ({other}))",
            f"SELECT k, v, s FROM q AS a WHERE NOT EXISTS (SELECT 1 FROM ({other}) AS b WHERE a.s = b.s)",
            f"SELECT k, v, s FROM ({other}) WHERE k NOT IN (SELECT k FROM q)",
            f"SELECT k, n AS v, s FROM (SELECT *, {rank}() OVER ({partition}ORDER BY v{direction}, k) AS n FROM q) WHERE n <= 2",
            f"SELECT k, v, s FROM q ORDER BY v{direction}, s, k LIMIT 2",
            f"SELECT k, v + n AS v, s FROM (SELECT *, SUM(k) OVER ({partition}ORDER BY v, k) AS n FROM q)",
            f"SELECT * FROM q {set_operation} SELECT * FROM ({other})",
            f"SELECT * FROM ({other}) {set_operation} SELECT * FROM q",
            "SELECT k, SUM(v) AS v, MAX(s) AS s FROM q GROUP BY k",
            "SELECT CAST(COUNT(*) AS INT) AS k, CAST(0 AS BIGINT) AS v, JSON_VALUE(JSON_OBJECTAGG(KEY CAST(k AS STRING) VALUE s), '$.1') AS s FROM q GROUP BY k > 3",
        ]
    )
    return chance.choice(
        [
            keeper,
            keeper,
            f"SELECT k, SUM(v) AS v, MAX(s) AS s FROM ({keeper}) GROUP BY k",
            f"SELECT MIN(k) AS k, COUNT(*) AS v, s FROM ({keeper}) GROUP BY s",
            f"SELECT a.k, b.v, a.s FROM ({keeper}) AS a {join} ({other}) AS b ON a.k = b.k",
            f"SELECT k, v, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY s ORDER BY v{direction}, k) AS n FROM ({keeper})) WHERE n <= 2",
            f"SELECT DISTINCT k, v, s FROM ({keeper})",
        ]
    )
