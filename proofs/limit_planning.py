"""Statements with many parts, whose planning time must grow about linearly with their length."""

from __future__ import annotations

from collections.abc import Callable

from limit_case import ERROR, RESULT, sized, sql

__all__: list[str] = []

# --- joins -----------------------------------------------------------------------------------------------------------------------------


def _chain(count: int) -> str:
    joins = (f" JOIN (VALUES 1) AS t{i} (a) ON t{i}.a = t{i - 1}.a" for i in range(1, count))
    return "FROM (VALUES 1) AS t0 (a)" + "".join(joins)


sized("planning_joins_500", lambda n: f"SELECT COUNT(*) {_chain(n)}", 500, 500, 2, RESULT, spark=60)
sized("planning_joins_1000", lambda n: f"SELECT COUNT(*) {_chain(n)}", 1000, 600, 6, RESULT, spark=90)
sized("planning_joins_2000", lambda n: f"SELECT COUNT(*) {_chain(n)}", 1995, 400, 10, RESULT, spark=120)


def _selected(join: str) -> Callable[[int], str]:
    first = "SELECT * FROM (VALUES (1, ARRAY[1])) AS t0 (a, l)"
    return lambda count: first + "".join(join.format(i, i - 1) for i in range(1, count))


for _name, _join in {
    "joins": " JOIN (VALUES 1) AS t{0} (a) ON t{0}.a = t{1}.a",
    "left_joins": " LEFT JOIN (VALUES 1) AS t{0} (a) ON t{0}.a = t{1}.a",
    "cross_joins": " CROSS JOIN (VALUES 1) AS t{0} (a)",
    "unnests": " CROSS JOIN UNNEST(t0.l) AS t{0} (a)",
}.items():
    sized(f"planning_columns_of_{_name}_1000", _selected(_join), 1000, 400, 3, RESULT, spark=300)

# --- windows ---------------------------------------------------------------------------------------------------------------------------

sized(
    "planning_over_500",
    lambda n: "SELECT " + ", ".join(f"SUM(a) OVER (ORDER BY a + {i}) AS s{i}" for i in range(n)) + " FROM (VALUES (1), (2)) AS t (a)",
    500,
    250,
    2,
    RESULT,
    spark=120,
)

# --- time windows -------------------------------------------------------------------------------------------------------------------

_TIMES = "(SELECT TIMESTAMP '2024-01-01 00:00:00' AS t)"
_HOP = "WITH v AS {} SELECT COUNT(*) FROM TABLE({}(TABLE v, DESCRIPTOR(t), INTERVAL '1' SECOND, INTERVAL '{}' DAY({})))"

sql("planning_hop_86_million_windows", _HOP.format(_TIMES, "HOP", 999, 3), 2, ERROR)
sql("planning_cumulate_86_million_windows", _HOP.format(_TIMES, "CUMULATE", 999, 3), 2, ERROR)
sql("planning_hop_864000_windows", _HOP.format(_TIMES, "HOP", 10, 2), 5, RESULT, spark=30)

# --- constants -------------------------------------------------------------------------------------------------------------------------


def _constants(form: str, item: Callable[[int], str]) -> Callable[[int], str]:
    return lambda count: f"SELECT CARDINALITY({form}[{', '.join(map(item, range(count)))}])"


for _name, _seconds, _text in (
    ("array_of_rows", 5, _constants("ARRAY", lambda i: f"ROW({i}, 'a')")),
    ("array_of_rows_to_cast", 6, _constants("ARRAY", lambda i: f"ROW({('NULL', i, f'{i}.5')[i % 3]}, '{'a' * (i % 4)}')")),
    ("map", 4, _constants("MAP", lambda i: f"{i}, 'a{i}'")),
    ("map_of_rows", 8, _constants("MAP", lambda i: f"{i}, ROW({i}, 'a{i}')")),
):
    sized(f"planning_{_name}", _text, 90_000, 10_000, _seconds, RESULT, spark=120)
