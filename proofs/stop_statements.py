"""The statements that ``stop_and_restart.py`` runs, and their tables."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from table_api import TableEnvironment

__all__ = ["LOGS", "STATEMENTS", "Query", "create_tables"]

LOGS = ("orders", "payments", "rates")
"""The tables that are line logs; ``events`` is a folder of files."""
_TIMED = "k INT, v INT, t INT, id BIGINT, ts AS TO_TIMESTAMP_LTZ(t, 0), WATERMARK FOR ts AS ts - INTERVAL '6' SECOND"
_START = "CAST(window_start AS STRING)"
_END = "CAST(window_end AS STRING)"


class Query(NamedTuple):
    """A query whose changes are written."""

    columns: str
    sql: str
    is_timed: bool = False
    """Whether it follows event time, so that its rows are late after a drained savepoint."""


def _windows(kind: str, sizes: str, table: str = "orders") -> str:
    sizes = ", ".join(f"INTERVAL '{size}' SECOND" for size in sizes.split())
    return f"TABLE({kind}(TABLE {table}, DESCRIPTOR(ts), {sizes}))"


def _joined(kind: str, seconds: int) -> str:
    between = f"p.ts BETWEEN o.ts - INTERVAL '{seconds}' SECOND AND o.ts + INTERVAL '{seconds}' SECOND"
    return f"SELECT o.id AS a, p.id AS b FROM orders AS o {kind} payments AS p ON o.k = p.k AND {between}"


_COUNTS = "SELECT k, COUNT(*) AS n FROM orders GROUP BY k"
_GROUPED = f"SELECT window_start, window_end, k, COUNT(*) AS n FROM {_windows('TUMBLE', '10')} GROUP BY window_start, window_end, k"
STATEMENTS = {
    "totals": Query("k INT, n BIGINT, v BIGINT", "SELECT k, COUNT(*) AS n, SUM(v) AS v FROM orders GROUP BY k"),
    "two levels": Query("n BIGINT, c BIGINT", f"SELECT n, COUNT(*) AS c FROM ({_COUNTS}) GROUP BY n"),
    "distinct": Query("v INT", "SELECT DISTINCT v FROM orders"),
    "count distinct": Query("k INT, n BIGINT, x INT", "SELECT k, COUNT(DISTINCT v) AS n, MAX(v) AS x FROM orders GROUP BY k"),
    "join": Query("k INT, v INT, rate INT", "SELECT o.k, o.v, r.rate FROM orders AS o JOIN rates AS r ON o.k = r.k"),
    "left join": Query("k INT, n BIGINT, rate INT", f"SELECT t.k, n, rate FROM ({_COUNTS}) AS t LEFT JOIN rates AS r ON t.k = r.k"),
    "full join": Query(
        "k INT, n BIGINT, rate INT",
        "SELECT r.k, n, rate FROM (SELECT k, COUNT(*) AS n FROM orders WHERE v > 50 GROUP BY k) AS t FULL JOIN rates AS r ON t.k = r.k",
    ),
    "semi join": Query("k INT, v INT", "SELECT k, v FROM orders WHERE k IN (SELECT k FROM rates WHERE rate > 500)"),
    "anti join": Query(
        "k INT, v INT", "SELECT k, v FROM orders WHERE NOT EXISTS (SELECT 1 FROM rates WHERE rates.k = orders.k AND rate > 500)"
    ),
    "top-n": Query(
        "k INT, v INT, n BIGINT",
        "SELECT k, v, n FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id) AS n FROM orders) WHERE n <= 3",
    ),
    "all rates": Query("k INT, rate INT", "SELECT k, rate FROM rates"),
    "union": Query("k INT, v INT", "SELECT k, v FROM orders UNION ALL SELECT k, rate FROM rates"),
    "filter": Query("k INT, v INT", "SELECT k, v FROM orders WHERE v > 10"),
    "all events": Query("k INT, v INT", "SELECT k, v FROM events"),
    "event counts": Query("k INT, n BIGINT", "SELECT k, COUNT(*) AS n FROM events GROUP BY k"),
    "event join": Query(
        "k INT, n BIGINT, m BIGINT",
        "SELECT e.k, n, m FROM (SELECT k, COUNT(*) AS n FROM events GROUP BY k) AS e "
        "JOIN (SELECT k, SUM(v) AS m FROM orders GROUP BY k) AS o ON e.k = o.k",
    ),
    "tumble": Query("s STRING, k INT, n BIGINT", f"SELECT CAST(window_start AS STRING), k, n FROM ({_GROUPED})", is_timed=True),
    "hop": Query(
        "s STRING, n BIGINT, v BIGINT",
        f"SELECT {_START}, COUNT(*), SUM(v) FROM {_windows('HOP', '5 15')} GROUP BY window_start, window_end",
        is_timed=True,
    ),
    "cumulate": Query(
        "s STRING, e STRING, n BIGINT",
        f"SELECT {_START}, {_END}, COUNT(*) FROM {_windows('CUMULATE', '5 20')} GROUP BY window_start, window_end",
        is_timed=True,
    ),
    "session": Query(
        "s STRING, e STRING, k INT, n BIGINT",
        f"SELECT {_START}, {_END}, k, COUNT(*) FROM {_windows('SESSION', '3', 'orders PARTITION BY k')} GROUP BY window_start, window_end, k",
        is_timed=True,
    ),
    "interval join": Query("a BIGINT, b BIGINT", _joined("JOIN", 4), is_timed=True),
    "interval left join": Query("a BIGINT, b BIGINT", _joined("LEFT JOIN", 2), is_timed=True),
    "over": Query(
        "id BIGINT, n BIGINT",
        "SELECT id, COUNT(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW) FROM orders",
        is_timed=True,
    ),
    "window top-n": Query(
        "s STRING, k INT, v INT, id BIGINT",
        f"SELECT {_START}, k, v, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY v, id) AS n "
        f"FROM {_windows('TUMBLE', '10')}) WHERE n <= 2",
        is_timed=True,
    ),
    "window join": Query(
        "a BIGINT, b BIGINT",
        f"SELECT o.id AS a, p.id AS b FROM (SELECT * FROM {_windows('TUMBLE', '5')}) AS o "
        f"JOIN (SELECT * FROM {_windows('TUMBLE', '5', 'payments')}) AS p "
        "ON o.k = p.k AND o.window_start = p.window_start AND o.window_end = p.window_end",
        is_timed=True,
    ),
    "window of windows": Query(
        "s STRING, m BIGINT", f"SELECT {_START}, MAX(n) FROM ({_GROUPED}) GROUP BY window_start, window_end", is_timed=True
    ),
}


def create_tables(env: TableEnvironment, folder: Path, names: list[str], *, streaming: bool) -> None:
    """Creates the sources, and for each statement a view and a table for its changes; ``current_rows`` has the rows of ``totals``."""
    for table in ("orders", "payments"):
        env.execute_sql(f"CREATE TABLE {table} ({_TIMED}) WITH ('connector' = 'values', 'data-id' = '{table}')")
    env.execute_sql("CREATE TABLE rates (k INT, rate INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'values', 'data-id' = 'rates')")
    monitor = ", 'source.monitor-interval' = '5 ms'" if streaming else ""
    env.execute_sql(
        f"CREATE TABLE events (k INT, v INT) WITH ('connector' = 'filesystem', 'path' = '{folder / 'events'}', 'format' = 'json'{monitor})"
    )
    env.execute_sql(
        "CREATE TABLE current_rows (k INT, n BIGINT, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) "
        f"WITH ('connector' = 'sqlite', 'path' = '{folder / 'rows.db'}', 'table-name' = 'totals')"
    )
    for name in names:
        env.execute_sql(f"CREATE VIEW `{name}` AS {STATEMENTS[name].sql}")
        env.execute_sql(
            f"CREATE TABLE `changes of {name}` (op STRING, {STATEMENTS[name].columns}) "
            f"WITH ('connector' = 'filesystem', 'path' = '{folder / 'out' / name}', 'format' = 'json')"
        )
