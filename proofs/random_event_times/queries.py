"""Random queries of operators over event time, each with the query that returns the same rows in batch mode if no row is late."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

__all__ = ["VERSIONS", "EventQuery", "random_event_query"]

VERSIONS = "CREATE TEMPORARY VIEW versions AS SELECT n, k, v, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM w) WHERE r = 1"
"""The view of the versions of ``w`` by k; streaming mode only."""

_WINDOW = "window_start, window_end"
_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")


@dataclass(frozen=True)
class EventQuery:
    """A query; ``reference`` is the one of batch mode, None if batch mode has none.

    ``is_numbered``: in orderly tables each row has another number n and another time. ``retracts``: a retraction may be late though no row is.
    ``order_is_free``: the order of the rows may depend on the batch boundaries, because an operator emits the rows of several watermarks together: an
    outer interval join, a versioned join, sessions.
    """

    text: str
    reference: str | None
    is_numbered: bool = False
    retracts: bool = False
    order_is_free: bool = False

    def over(self, text: str, *, is_numbered: bool = False, depends_on_ties: bool = False) -> EventQuery:
        """Returns a query whose text has ``{}`` in place of this one. ``depends_on_ties``: on which row of one time comes first."""
        has_reference = self.reference is not None and (self.is_numbered or not depends_on_ties)
        return EventQuery(
            text.replace("{}", f"({self.text})"),
            text.replace("{}", f"({self.reference})") if has_reference else None,
            is_numbered and self.is_numbered,
            order_is_free=self.order_is_free or "SESSION(" in text,
        )


def random_event_query(chance: random.Random, depth: int) -> EventQuery:
    """Returns a query of ``depth`` operators that keep the time attribute, and a last one that need not keep it."""
    inner = _rows(chance, depth)
    return chance.choice(_LAST)(chance, inner)


def _rows(chance: random.Random, depth: int) -> EventQuery:
    """Returns a query with the columns n, k, v and the time attribute ts, whose rows are insertions."""
    if depth == 0:
        text = f"SELECT n, k, v, ts FROM {chance.choice('ttuuw')}"
        return EventQuery(text, text, is_numbered=True)
    return chance.choice(_MIDDLE)(chance, _rows(chance, depth - 1))


def _seconds(number: int) -> str:
    return f"INTERVAL '{number}' SECOND"


def _windows(chance: random.Random, table: str = "{}", *, sessions: bool = True) -> str:
    step = chance.choice([2, 3, 5])
    offset = chance.choice(["", "", f", {_seconds(1)}", f", {_seconds(-1)}"])
    name, lengths = chance.choice(
        [
            ("TUMBLE", _seconds(chance.choice([1, 5, 10, 60])) + offset * (step > 2)),
            ("HOP", f"{_seconds(step)}, {_seconds(step * chance.randrange(1, 5))}" + offset),
            ("CUMULATE", f"{_seconds(step)}, {_seconds(step * chance.randrange(1, 5))}" + offset),
            ("SESSION", _seconds(chance.choice([1, 4, 12]))),
        ][: 4 if sessions else 3]
    )
    if name == "TUMBLE" and lengths.startswith(_seconds(1) + ","):
        lengths = _seconds(1)
    return f"TABLE({name}({table}, DESCRIPTOR(ts), {lengths}))"


def _sessions_by_key(chance: random.Random) -> str:
    return f"TABLE(SESSION({{}} PARTITION BY k, DESCRIPTOR(ts), {_seconds(chance.choice([1, 4, 12]))}))"


def _filter(chance: random.Random, inner: EventQuery) -> EventQuery:
    condition = chance.choice(["v > 1", "k IS NOT NULL", "k = 'a' OR v < 3", "MOD(n, 3) <> 1"])
    return inner.over(f"SELECT * FROM {{}} WHERE {condition}", is_numbered=True)


def _union(chance: random.Random, inner: EventQuery) -> EventQuery:
    other = _rows(chance, chance.randrange(2))
    reference = None if None in (inner.reference, other.reference) else f"({inner.reference}) UNION ALL ({other.reference})"
    return EventQuery(f"({inner.text}) UNION ALL ({other.text})", reference, order_is_free=inner.order_is_free or other.order_is_free)


def _over(chance: random.Random, inner: EventQuery) -> EventQuery:
    partition = chance.choice(["PARTITION BY k ", ""])
    if chance.random() < 0.5:
        call = chance.choice(["SUM(v)", "COUNT(*)", "MAX(v)", "MIN(n)", "AVG(v)", "COUNT(DISTINCT v)"])
        start = chance.choice(["UNBOUNDED", _seconds(0), _seconds(3), _seconds(20)])
        frame = chance.choice(["", f"RANGE BETWEEN {start} PRECEDING AND CURRENT ROW"])
        if not frame and chance.random() < 0.3:
            call = chance.choice(["RANK()", "DENSE_RANK()"])
        return inner.over(_over_text(call, partition, frame), is_numbered=True)
    call, frame = chance.choice(
        [
            ("ROW_NUMBER()", ""),
            ("LAG(v)", ""),
            ("LAG(n, 2, -1)", ""),
            *(
                (call, f"ROWS BETWEEN {start} PRECEDING AND CURRENT ROW")
                for call in ("SUM(v)", "MIN(v)", "FIRST_VALUE(n)", "LAST_VALUE(v)", "COUNT(v)")
                for start in ("UNBOUNDED", "0", "1", "3")
            ),
        ]
    )
    return inner.over(_over_text(call, partition, frame), is_numbered=True, depends_on_ties=True)


def _over_text(call: str, partition: str, frame: str) -> str:
    return f"SELECT n, k, CAST({call} OVER ({partition}ORDER BY ts {frame}) AS INT) AS v, ts FROM {{}}"


def _window_aggregate(chance: random.Random, inner: EventQuery) -> EventQuery:
    call = chance.choice(["MAX(v)", "SUM(v)", "COUNT(DISTINCT v)", "COUNT(v) FILTER (WHERE n > 3)"])
    key = chance.choice(["k", "CAST(NULL AS STRING)"])
    source = chance.choice([_windows(chance), _windows(chance), _sessions_by_key(chance)])
    return inner.over(
        f"SELECT CAST(COUNT(*) AS INT) AS n, {key} AS k, CAST({call} AS INT) AS v, window_time AS ts FROM {source} "
        f"GROUP BY {_WINDOW}, window_time{', k' * (key == 'k')}"
    )


def _window_rank(chance: random.Random, inner: EventQuery) -> EventQuery:
    numbered = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {_WINDOW}, k ORDER BY v{chance.choice(['', ' DESC'])}, n) AS r"
    bound = chance.choice(["r = 1", "r <= 2"])
    return inner.over(f"SELECT n, k, v, window_time AS ts FROM ({numbered} FROM {_windows(chance, sessions=False)}) WHERE {bound}")


def _interval_condition(chance: random.Random) -> str:
    first, last = sorted(chance.randrange(-8, 9) for _ in range(2))
    times = chance.choice(
        [
            f"a.ts BETWEEN b.ts + {_seconds(first)} AND b.ts + {_seconds(last)}",
            f"a.ts > b.ts + {_seconds(first)} AND b.ts >= a.ts - {_seconds(last)}",
            f"b.ts < a.ts - {_seconds(first)} AND a.ts - {_seconds(last)} < b.ts",
            "a.ts = b.ts",
        ]
    )
    keys = chance.choice(["a.k = b.k", "a.k = b.k AND a.v = b.v", "a.k IS NOT DISTINCT FROM b.k", "a.k = b.k AND a.v < b.v"])
    return f"{keys} AND {times}"


def _join(inner: EventQuery, text: str, other: EventQuery) -> EventQuery:
    """Joins with another query, whose place in the text is ``[]``."""
    result = inner.over(text)
    reference = None if None in (result.reference, other.reference) else str(result.reference).replace("[]", f"({other.reference})")
    return EventQuery(result.text.replace("[]", f"({other.text})"), reference, order_is_free=result.order_is_free or other.order_is_free)


def _interval_join(chance: random.Random, inner: EventQuery) -> EventQuery:
    side = chance.choice("ab")
    text = f"SELECT a.n, a.k, b.v, {side}.ts FROM {{}} AS a JOIN [] AS b ON {_interval_condition(chance)}"
    return _join(inner, text, _rows(chance, chance.randrange(2)))


def _outer_interval_join(chance: random.Random, inner: EventQuery) -> EventQuery:
    text = f"SELECT a.n, a.ts, b.n AS m, b.ts AS tb FROM {{}} AS a {chance.choice(_JOINS)} [] AS b ON {_interval_condition(chance)}"
    # Rows without a partner are emitted at watermarks, and an input that is emitted at watermarks comes in one batch for several of them.
    return replace(_join(inner, text, _rows(chance, chance.randrange(2))), order_is_free=True)


def _window_join(chance: random.Random, inner: EventQuery) -> EventQuery:
    windows = _windows(chance, sessions=False)
    other = windows.replace("{}", "[]")
    equal = "a.window_start = b.window_start AND a.window_end = b.window_end"
    if chance.random() < 0.3:
        text = f"SELECT n, k, {_WINDOW} FROM {windows} AS a WHERE {chance.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM {other} AS b WHERE a.k = b.k AND {equal})"
    else:
        more = chance.choice(["", " AND a.v < b.v"])
        text = f"SELECT a.n, b.n AS m, a.window_start, b.window_end FROM {windows} AS a {chance.choice(_JOINS)} {other} AS b ON a.k = b.k AND {equal}{more}"
    return _join(inner, text, _rows(chance, chance.randrange(2)))


def _versioned_join(chance: random.Random, inner: EventQuery) -> EventQuery:
    kind, more = chance.choice(["JOIN", "LEFT JOIN"]), chance.choice(["", " AND a.v <= b.v"])
    table = chance.choice(["versions", "p"])
    text = inner.over(f"SELECT a.n, a.k, b.v, a.ts FROM {{}} AS a {kind} {table} FOR SYSTEM_TIME AS OF a.ts AS b ON a.k = b.k{more}").text
    # Left rows are emitted at watermarks, those that one batch makes due in the order of their time: a row behind the watermark may come before.
    if table == "p" or inner.reference is None or not inner.is_numbered:
        return EventQuery(text, None, order_is_free=True)
    newest = (
        "SELECT n, k, v, ts, m FROM (SELECT a.n, a.k, a.v, a.ts, b.n AS m, ROW_NUMBER() OVER (PARTITION BY a.n ORDER BY b.ts DESC) AS r "
        f"FROM ({inner.reference}) AS a LEFT JOIN w AS b ON a.k = b.k AND b.ts <= a.ts) WHERE r = 1"
    )
    reference = f"SELECT a.n, a.k, b.v, a.ts FROM ({newest}) AS a {kind} w AS b ON a.m = b.n{more}"
    return EventQuery(text, reference, is_numbered=True, order_is_free=True)


def _first_row(chance: random.Random, inner: EventQuery) -> EventQuery:
    key = chance.choice(["k", "v", "k, v"])
    numbered = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY ts) AS r FROM {{}}"
    return inner.over(f"SELECT n, k, v, ts FROM ({numbered}) WHERE r = 1", is_numbered=True, depends_on_ties=True)


def _last_row_text(chance: random.Random) -> str:
    key = chance.choice(["k", "v", "k, v"])
    return f"SELECT n, k, v, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY ts DESC) AS r FROM {{}}) WHERE r = 1"


def _last_row(chance: random.Random, inner: EventQuery) -> EventQuery:
    return inner.over(_last_row_text(chance), depends_on_ties=True)


def _windows_of_updates(chance: random.Random, inner: EventQuery) -> EventQuery:
    text = f"SELECT {_WINDOW}, k, COUNT(*) AS c, MAX(n) AS m FROM {_windows(chance, sessions=False)} GROUP BY {_WINDOW}, k"
    # What a retraction finds depends on the watermark: the window of the row may be over, while batch mode has only the last rows.
    return replace(inner.over(text.replace("{}", f"({_last_row_text(chance)})")), reference=None, retracts=True)


def _matches(chance: random.Random, inner: EventQuery) -> EventQuery:
    skip = chance.choice(["PAST LAST ROW", "TO NEXT ROW", "TO LAST B"])
    pattern = chance.choice(["A B", "A+ B", "A+ B{2}", "A B+ C", "A B? C", "A B*? C"])
    if "B?" in pattern or "B*" in pattern:
        skip = chance.choice(["PAST LAST ROW", "TO NEXT ROW"])
    within = chance.choice(["", "", f" WITHIN {_seconds(9)}", f" WITHIN {_seconds(30)}"])
    last = "C" if "C" in pattern else "B"
    measures = f"MEASURES FIRST(A.n) AS n, LAST({last}.v) AS v, MATCH_ROWTIME() AS ts ONE ROW PER MATCH AFTER MATCH SKIP {skip}"
    define = "DEFINE A AS A.v < 4, B AS B.v > 1" + ", C AS C.v < 3" * (last == "C")
    return inner.over(
        f"SELECT n, k, v, ts FROM {{}} MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts {measures} PATTERN ({pattern}){within} {define})",
        depends_on_ties=True,
    )


def _sort(chance: random.Random, inner: EventQuery) -> EventQuery:
    return inner.over(f"SELECT n, k, v, ts FROM {{}} ORDER BY ts{chance.choice(['', ', n', ', v DESC, k, n'])}")


def _window_details(chance: random.Random, inner: EventQuery) -> EventQuery:
    groups = chance.choice([f"{_WINDOW}, k", f"GROUPING SETS (({_WINDOW}, k), ({_WINDOW}))", f"ROLLUP ({_WINDOW}, k)"])
    calls = "COUNT(*) AS c, SUM(v) AS s, MIN(n) AS l, AVG(v) AS a, COUNT(DISTINCT k) FILTER (WHERE v > 1) AS d"
    key = "" if groups.startswith("ROLLUP") else "k, "
    if groups.startswith("ROLLUP"):
        groups = f"{_WINDOW}"
    return inner.over(f"SELECT {_WINDOW}, {key}{calls} FROM {_windows(chance)} GROUP BY {groups}")


def _window_rows(chance: random.Random, inner: EventQuery) -> EventQuery:
    return inner.over(f"SELECT n, {_WINDOW} FROM {_windows(chance, sessions=False)}")


def _totals(chance: random.Random, inner: EventQuery) -> EventQuery:
    return inner.over("SELECT k, COUNT(*) AS c, MAX(ts) AS m, SUM(v) AS s FROM {} GROUP BY k")


def _by_watermark(chance: random.Random, inner: EventQuery) -> EventQuery:
    condition = chance.choice(["ts > CURRENT_WATERMARK(ts)", "ts <= CURRENT_WATERMARK(ts)"])
    return replace(inner.over(f"SELECT * FROM {{}} WHERE CURRENT_WATERMARK(ts) IS NULL OR {condition}"), reference=None)


_Maker = Callable[[random.Random, EventQuery], EventQuery]

_MIDDLE: tuple[_Maker, ...] = (
    _filter,
    _union,
    _over,
    _over,
    _window_aggregate,
    _window_aggregate,
    _window_rank,
    _interval_join,
    _versioned_join,
    _first_row,
    _matches,
)
_LAST: tuple[_Maker, ...] = (
    *_MIDDLE[2:],
    _outer_interval_join,
    _outer_interval_join,
    _window_join,
    _window_join,
    _last_row,
    _windows_of_updates,
    _sort,
    _window_details,
    _window_rows,
    _totals,
    _by_watermark,
)
