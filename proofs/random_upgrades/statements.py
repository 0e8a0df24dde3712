"""Random statements whose parts are chosen by their places, so that one of them can be changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from random_upgrades.choices import HARMLESS, Choices
from random_upgrades.tables import VARIANTS

__all__ = ["Text", "random_statement"]

_KINDS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
_WINDOW = "window_start, window_end"


@dataclass(frozen=True)
class Text:
    """A query in both modes, and the tables that it is over.

    ``is_ordered``: the result depends on the order of arrival, so batch mode has another one. ``is_comparable``: its conditions for the rows before are known.
    """

    query: str
    variant: str
    is_ordered: bool
    is_streaming_only: bool
    is_comparable: bool


class _Writer:
    """Writes a statement with some choices.

    With ``before``, the choices of the statement before, each condition on a table is the former one for rows that came before ``cuts`` of the table: what a
    condition left out does not come back.
    """

    def __init__(self, choices: Choices, before: Choices | None = None, cuts: Mapping[str, int] | None = None) -> None:
        self.choices, self.before, self.cuts = choices, before, cuts or {}
        self.is_ordered = self.is_streaming_only = False
        self.is_comparable = True

    def pick(self, place: str, *options: str) -> str:
        return self.choices.pick(place, options)

    def rows(self, place: str, *tables: str) -> str:
        """Returns a table with a condition, in parentheses."""
        table = self.pick(f"{place}.table", *tables)
        conditions = ("TRUE", "v > 1", "g <> 1", "k = 'a'", "w < 2 OR v = 3")
        condition = self.pick(f"{place}.condition", *conditions)
        former = self.before.chosen(f"{place}.condition") if self.before is not None else condition
        self.is_comparable &= former is not None  # which condition the rows before had is not known if it stood at another place
        # Where rows are updated, a condition is above all state, and what was written stays.
        if table in "tu" and former not in (None, condition):
            cut = self.cuts[table]
            condition = f"(n < {cut} AND ({former})) OR (n >= {cut} AND ({condition}))"
        return f"(SELECT * FROM {table} WHERE {condition})" if condition != "TRUE" else f"(SELECT * FROM {table})"

    def events(self, place: str) -> str:
        return self.rows(place, "t", "t", "u")

    def any_rows(self, place: str, depth: int = 1) -> str:
        """Returns rows with the columns n, k, v, w, g and ts, of a table or of a query."""
        if depth and self.pick(f"{place}.depth", "table", "table", "query") == "query":
            make = self.choices.pick(f"{place}.of", (self.union, self.deduplicated, self.summed, self.over_rows, self.joined))
            return f"({make(f'{place}.{make.__name__}', depth - 1)})"
        return self.rows(place, "t", "t", "u", "p", "c")

    def union(self, place: str, depth: int) -> str:
        left, right = self.any_rows(f"{place}.1", depth), self.any_rows(f"{place}.2", depth)
        w = self.pick(f"{place}.column", "w", "w", "CAST(v AS DECIMAL(10, 2))")
        g = self.pick(f"{place}.key", "g", "n")
        return f"SELECT n, k, v, w, g FROM {left} UNION ALL SELECT n, k, v, {w}, {g} FROM {right}"

    def deduplicated(self, place: str, depth: int) -> str:
        keys = self.pick(f"{place}.keys", "k", "g", "k, g")
        direction = self.pick(f"{place}.direction", "", " DESC")
        return (
            f"SELECT n, k, v, w, g FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY ts{direction}) AS r "
            f"FROM {self.events(place)}) WHERE r = 1"
        )

    def summed(self, place: str, depth: int) -> str:
        call = self.pick(f"{place}.call", "SUM(v)", "MAX(v)", "COUNT(v)", "MIN(n)")
        key = self.pick(f"{place}.key", "g", "n")
        having = self.pick(f"{place}.having", "", " HAVING COUNT(*) > 1", " HAVING MAX(v) > 2")
        rows = self.any_rows(place, depth)
        return f"SELECT CAST({key} AS INT) AS n, k, CAST({call} AS INT) AS v, MAX(w) AS w, {key} AS g FROM {rows} GROUP BY k, {key}{having}"

    def over_rows(self, place: str, depth: int) -> str:
        return f"SELECT n, k, CAST({self.over_call(place)} AS INT) AS v, w, g FROM {self.events(place)}"

    def joined(self, place: str, depth: int) -> str:
        left, right = self.any_rows(f"{place}.1", depth), self.any_rows(f"{place}.2", depth)
        condition = self.pick(f"{place}.on", "x.g = y.g", "x.n = y.n", "x.g = y.g AND x.v < y.v")
        v, k = self.pick(f"{place}.v", "x.v", "y.v"), self.pick(f"{place}.k", "x.k", "y.k")
        return (
            f"SELECT x.n, {k} AS k, {v} AS v, x.w, y.g FROM {left} AS x {self.pick(f'{place}.kind', *_KINDS)} {right} AS y ON {condition}"
        )

    # Last operators.

    def calls(self, place: str, prefix: str = "") -> str:
        count = int(self.pick(f"{place}.calls", "1", "2", "3"))
        return ", ".join(f"{self.call(f'{place}.call{number}')} AS a{number}" for number in range(count))

    def call(self, place: str) -> str:
        function = self.pick(f"{place}.function", "SUM", "MAX", "MIN", "AVG", "COUNT", "COUNT(*)", "LISTAGG")
        if function == "COUNT(*)":
            return function
        if function == "LISTAGG":
            self.is_ordered = True
            return "LISTAGG(k)"
        distinct = self.pick(f"{place}.distinct", "", "", "DISTINCT ") if function in ("SUM", "COUNT") else ""
        argument = self.pick(f"{place}.argument", "v", "w", "g", "v + g", "w * 2", "CHAR_LENGTH(k)")
        filter_ = self.pick(f"{place}.filter", "", "", " FILTER (WHERE g > 0)", " FILTER (WHERE v > 1)")
        return f"{function}({distinct}{argument}){filter_}"

    def aggregate(self, place: str) -> str:
        rows = self.any_rows(place)
        keys = self.pick(f"{place}.keys", "k", "g", "k, g", "g, k", "UPPER(k)", "CAST(w AS STRING)", "w", "")
        sets = self.pick(f"{place}.sets", "{}", "{}", "ROLLUP ({})", "CUBE ({})") if keys in ("k, g", "g, k") else "{}"
        group = f" GROUP BY {sets.format(keys)}" if keys else ""
        self.is_streaming_only |= not keys  # over no rows there is no total in streaming mode
        above = self.pick(f"{place}.above.{HARMLESS}", "*", "*, 1 AS extra", "*, a0 AS other")
        having = self.pick(f"{place}.having.{HARMLESS}", "TRUE", "a0 IS NOT NULL") if keys else "TRUE"
        return f"SELECT {above} FROM (SELECT {keys + ', ' * bool(keys)}{self.calls(place)} FROM {rows}{group}) WHERE {having}"

    def removed_calls(self, place: str) -> str:
        """Aggregates of which some may be left out or be in another order."""
        rows, call = self.any_rows(place), self.call(f"{place}.call")
        calls = self.pick(
            f"{place}.order", "{}, SUM(v) AS s, COUNT(*) AS c", "COUNT(*) AS c, {}, SUM(v) AS s", "{}, COUNT(*) AS c", "SUM(v) AS s"
        )
        keys = self.pick(f"{place}.keys.{HARMLESS}", "k, g", "g, k")
        return f"SELECT k, g, {calls.format(f'{call} AS a')} FROM {rows} GROUP BY {keys}"

    def distinct(self, place: str) -> str:
        columns = self.pick(f"{place}.columns", "k, g", "g, k", "k", "v, w", "k, v + 1", "k, v + 2")
        return f"SELECT DISTINCT {columns} FROM {self.any_rows(place)}"

    def join(self, place: str) -> str:
        left, right = self.any_rows(f"{place}.1"), self.any_rows(f"{place}.2")
        kind = self.pick(f"{place}.kind", *_KINDS)
        condition = self.pick(
            f"{place}.on",
            "x.k = y.k",
            "x.g = y.g",
            "x.k = y.k AND x.v < y.v",
            "x.k IS NOT DISTINCT FROM y.k AND x.g = y.g",
            "x.g = y.v",
            "x.v = y.g",
        )
        columns = self.pick(f"{place}.columns", "x.k, x.v, y.w", "y.k, y.v, x.w", "x.n, y.n", "x.*", "x.k AS a, x.v AS b, y.w AS c")
        if columns == "x.*":
            columns = "x.k, x.v"
        aggregates = self.pick(f"{place}.aggregates", "", "", "yes")
        if aggregates:
            key, argument = (
                self.pick(f"{place}.key", "x.v", "y.v", "x.g", "y.g"),
                self.pick(f"{place}.argument", "x.v", "y.v", "x.w", "y.w"),
            )
            return f"SELECT {key}, SUM({argument}), COUNT(*) FROM {left} AS x {kind} {right} AS y ON {condition} GROUP BY {key}"
        return f"SELECT {columns} FROM {left} AS x {kind} {right} AS y ON {condition}"

    def half_join(self, place: str) -> str:
        left, right = self.any_rows(f"{place}.1"), self.any_rows(f"{place}.2")
        test = self.pick(
            f"{place}.test",
            "x.g IN (SELECT y.v FROM {} AS y)",
            "x.v IN (SELECT y.v FROM {} AS y)",
            "x.g NOT IN (SELECT y.g FROM {} AS y WHERE y.g > 0)",
            "EXISTS (SELECT 1 FROM {} AS y WHERE y.k = x.k)",
            "NOT EXISTS (SELECT 1 FROM {} AS y WHERE y.k = x.k)",
            "x.v > (SELECT MAX(y.g) FROM {} AS y)",
        )
        return f"SELECT x.n, x.k, x.v FROM {left} AS x WHERE {test.format(right)}"

    def set_operation(self, place: str) -> str:
        kind = self.pick(f"{place}.kind", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL", "UNION ALL")
        first, second = (
            f"SELECT {self.pick(f'{place}.{side}.columns', 'k, v', 'k, g', 'UPPER(k), v')} FROM {self.any_rows(f'{place}.{side}')}"
            for side in "12"
        )
        if self.pick(f"{place}.sides", "in order", "swapped") == "swapped":
            first, second = second, first
        return f"{first} {kind} {second}"

    def top(self, place: str) -> str:
        function = self.pick(f"{place}.function", "ROW_NUMBER", "RANK", "DENSE_RANK")
        partition = self.pick(f"{place}.partition", "PARTITION BY k ", "PARTITION BY g ", "")
        direction = self.pick(f"{place}.direction", "", " DESC", " DESC NULLS LAST")
        order = self.pick(f"{place}.order", "v", "w", "g")
        bound = self.pick(f"{place}.bound", "r <= 2", "r <= 3", "r = 1", "r BETWEEN 2 AND 3")
        columns = self.pick(f"{place}.columns", "n, k, v", "n, k, v, r", "n, k, v AS x")
        rest = ", n, k, v, w, g" if function == "ROW_NUMBER" else ""
        return f"SELECT {columns} FROM (SELECT *, {function}() OVER ({partition}ORDER BY {order}{direction}{rest}) AS r FROM {self.any_rows(place)}) WHERE {bound}"

    def limit(self, place: str) -> str:
        order = self.pick(f"{place}.order", "v", "w DESC", "g")
        return f"SELECT n, k, v, w, g FROM {self.any_rows(place)} ORDER BY {order}, n, k, v, w, g LIMIT {self.pick(f'{place}.limit', '1', '3', '4')}"

    def deduplicate(self, place: str) -> str:
        direction, call = self.pick(f"{place}.direction", "", " DESC"), self.call(f"{place}.call")
        rows = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {self.pick(f'{place}.keys', 'k', 'g', 'k, g')} ORDER BY ts{direction}) AS r"
        if self.pick(f"{place}.aggregates", "", "yes"):
            return f"SELECT g, {call} FROM ({rows} FROM {self.events(place)}) WHERE r = 1 GROUP BY g"
        return f"SELECT n, k, v FROM ({rows} FROM {self.events(place)}) WHERE r = 1"

    def over_call(self, place: str) -> str:
        partition = self.pick(f"{place}.partition", "PARTITION BY k ", "PARTITION BY g ", "")
        call = self.pick(f"{place}.call", "SUM(v)", "MAX(v)", "COUNT(*)", "COUNT(w)", "AVG(g)", "LAG(n)", "LAG(n, 2)", "ROW_NUMBER()")
        if call.startswith(("LAG", "ROW")):
            return f"{call} OVER ({partition}ORDER BY ts)"
        frame = self.pick(
            f"{place}.frame",
            "ROWS BETWEEN 4 PRECEDING AND CURRENT ROW",
            "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
            "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            "RANGE BETWEEN INTERVAL '4' SECOND PRECEDING AND CURRENT ROW",
            "RANGE BETWEEN INTERVAL '20' SECOND PRECEDING AND CURRENT ROW",
        )
        return f"{call} OVER ({partition}ORDER BY ts {frame})"

    def over(self, place: str) -> str:
        text = f"SELECT n, k, g, {self.over_call(place)} AS o FROM {self.events(place)}"
        if self.pick(f"{place}.aggregates", "", "", "yes"):
            return f"SELECT g, {self.pick(f'{place}.above', 'MAX(o)', 'SUM(o)', 'COUNT(o)')} FROM ({text}) GROUP BY g"
        return text

    def updating_over(self, place: str) -> str:
        partition = self.pick(f"{place}.partition", "PARTITION BY k ", "PARTITION BY g ", "")
        call = self.pick(f"{place}.call", "SUM(v)", "MAX(w)", "LEAD(n)", "LAG(n)", "RANK()")
        order = self.pick(f"{place}.order", "v, n", "n", "w DESC, n")
        frame = self.pick(f"{place}.frame", "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW")
        rows = self.rows(place, "t", "u", "c")
        return f"SELECT n, k, {call} OVER ({partition}ORDER BY {order}{frame if call[0] in 'SM' else ''}) FROM {rows}"

    def window(self, place: str, rows: str, *, sessions: bool = True) -> str:
        kind = self.pick(f"{place}.window", "TUMBLE", "HOP", "CUMULATE", *(["SESSION"] if sessions else []))
        size, step = self.pick(f"{place}.size", "12", "60", "24"), self.pick(f"{place}.step", "6", "4", "12")
        offset = self.pick(f"{place}.offset", "", "", "2", "-3")
        if kind == "SESSION":
            partition = self.pick(f"{place}.sessions", "", " PARTITION BY k", " PARTITION BY g")
            return f"TABLE(SESSION(({rows}){partition}, DESCRIPTOR(ts), {_seconds(self.pick(f'{place}.gap', '2', '5', '9'))}))"
        lengths = _seconds(size) if kind == "TUMBLE" else f"{_seconds(step)}, {_seconds(size)}"
        return f"TABLE({kind}(({rows}), DESCRIPTOR(ts), {lengths}{f', {_seconds(offset)}' if offset else ''}))"

    def window_aggregate(self, place: str) -> str:
        window = self.window(place, f"SELECT * FROM {self.events(place)}")
        keys = self.pick(f"{place}.keys", "k, ", "g, ", "k, g, ", "g, k, ", "")
        order = self.pick(f"{place}.order.{HARMLESS}", "{}, {}", "{1}, {0}").format(_WINDOW, keys.rstrip(", ")) if keys else _WINDOW
        text = f"SELECT {keys}{_WINDOW}, {self.calls(place)} FROM {window} GROUP BY {order}"
        if self.pick(f"{place}.again", "", "", "yes"):
            return f"SELECT window_end, {self.pick(f'{place}.above', 'COUNT(a0)', 'MAX(a0)')} FROM ({text}) GROUP BY window_end"
        return text

    def window_rows(self, place: str) -> str:
        """Windows below operators that do not know them."""
        window = self.window(place, f"SELECT * FROM {self.events(place)}", sessions=False)
        key = self.pick(f"{place}.key", "window_start", "window_end", "g")
        return f"SELECT {key}, {self.call(f'{place}.call')} FROM {window} GROUP BY {key}"

    def window_rank(self, place: str) -> str:
        window = self.window(place, f"SELECT * FROM {self.events(place)}", sessions=False)
        keys = self.pick(f"{place}.keys", ", k", ", g", "")
        order = self.pick(f"{place}.order", "v, n", "v DESC, n", "n")
        rows = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {_WINDOW}{keys} ORDER BY {order}) AS r FROM {window}"
        return f"SELECT n, k, v, window_end FROM ({rows}) WHERE {self.pick(f'{place}.bound', 'r = 1', 'r <= 2', 'r <= 3')}"

    def window_join(self, place: str) -> str:
        left, right = (f"SELECT * FROM {self.events(f'{place}.{side}')}" for side in "12")
        windows = self.window(place, "{}", sessions=False)
        equal = "x.window_start = y.window_start AND x.window_end = y.window_end"
        condition = self.pick(f"{place}.on", "x.k = y.k", "x.g = y.g", "x.k = y.k AND x.v < y.v")
        columns = self.pick(f"{place}.columns", "x.n AS a, y.n AS b, x.window_end", "x.n AS a, y.v AS b, y.window_start")
        return f"SELECT {columns} FROM {windows.format(left)} AS x {self.pick(f'{place}.kind', *_KINDS)} {windows.format(right)} AS y ON {condition} AND {equal}"

    def interval_join(self, place: str) -> str:
        left, right = self.events(f"{place}.1"), self.events(f"{place}.2")
        keys = self.pick(f"{place}.on", "x.k = y.k", "x.g = y.g", "x.k = y.k AND x.v < y.v", "x.v = y.g", "x.g = y.v")
        first, last = self.pick(f"{place}.first", "-8", "-3", "0"), self.pick(f"{place}.last", "1", "4", "9")
        times = f"x.ts BETWEEN y.ts + {_seconds(first)} AND y.ts + {_seconds(last)}"
        columns = self.pick(f"{place}.columns", "x.n AS a, y.n AS b, x.k", "x.n AS a, y.n AS b, y.k", "x.v, y.v AS z")
        return f"SELECT {columns} FROM {left} AS x {self.pick(f'{place}.kind', *_KINDS)} {right} AS y ON {keys} AND {times}"

    def versioned_join(self, place: str) -> str:
        self.is_streaming_only = True
        kind, more = self.pick(f"{place}.kind", "JOIN", "LEFT JOIN"), self.pick(f"{place}.more", "", " AND x.v <= y.v", " AND x.g = y.g")
        columns = self.pick(f"{place}.columns", "x.n, x.k, y.v", "x.n, y.k, y.w", "x.n, x.v, y.n AS m")
        versions = self.pick(f"{place}.versions", "versions", "p")
        return f"SELECT {columns} FROM {self.rows(place, 't')} AS x {kind} {versions} FOR SYSTEM_TIME AS OF x.ts AS y ON x.k = y.k{more}"

    def matches(self, place: str) -> str:
        self.is_streaming_only = True
        skip = self.pick(f"{place}.skip", "PAST LAST ROW", "TO NEXT ROW", "TO LAST B")
        pattern = self.pick(f"{place}.pattern", "A B", "A+ B", "A+ B{2}", "A B+ C")
        last = "C" if "C" in pattern else "B"
        measures = self.pick(
            f"{place}.measures", "FIRST(A.n) AS n, LAST(B.v) AS v", "FIRST(A.v) AS n, LAST(B.n) AS v", "A.n AS n, SUM(B.v) AS v"
        )
        a, b = self.pick(f"{place}.a", "A.v < 4", "A.v < 3", "A.g < 2"), self.pick(f"{place}.b", "B.v > 1", "B.v > A.v", "B.g > 0")
        define = f"A AS {a}, B AS {b}" + ", C AS C.v < 3" * (last == "C")
        within = self.pick(f"{place}.within", "", f" WITHIN {_seconds('9')}", f" WITHIN {_seconds('30')}")
        key = self.pick(f"{place}.keys", "k", "g")
        return (
            f"SELECT * FROM {self.events(place)} MATCH_RECOGNIZE (PARTITION BY {key} ORDER BY ts MEASURES {measures} ONE ROW PER MATCH "
            f"AFTER MATCH SKIP {skip} PATTERN ({pattern}){within} DEFINE {define})"
        )

    def sort(self, place: str) -> str:
        columns = self.pick(f"{place}.columns", "n, k", "n, v", "n, k AS x")
        return f"SELECT {columns}, ts FROM {self.events(place)} ORDER BY ts{self.pick(f'{place}.order', '', ', n', ', v DESC, n')}"

    def elements(self, place: str) -> str:
        array = self.pick(f"{place}.array", "ARRAY[v, g]", "ARRAY[g]", "ARRAY[v, n, g]")
        argument = self.pick(f"{place}.argument", "e", "v", "g")
        return f"SELECT k, COUNT(*), SUM({argument}) FROM {self.rows(place, 't', 'u')} CROSS JOIN UNNEST({array}) AS q (e) GROUP BY k"

    def changes(self, place: str) -> str:
        self.is_streaming_only = True
        rows = self.pick(f"{place}.rows", "p", "c", "p")
        codes = self.pick(
            f"{place}.codes",
            "",
            ", op_mapping => MAP['INSERT', 'I', 'DELETE', 'D']",
            ", op_mapping => MAP['INSERT', 'X', 'UPDATE_AFTER', 'U']",
        )
        key = self.pick(f"{place}.key", "op", "k")
        return f"SELECT {key}, COUNT(*), SUM(v) FROM TO_CHANGELOG(input => TABLE {rows}{codes}) GROUP BY {key}"


def _seconds(number: str) -> str:
    return f"INTERVAL '{number}' SECOND"


_LAST: tuple[Callable[[_Writer, str], str], ...] = (
    _Writer.aggregate,
    _Writer.aggregate,
    _Writer.removed_calls,
    _Writer.removed_calls,
    _Writer.distinct,
    _Writer.join,
    _Writer.join,
    _Writer.half_join,
    _Writer.set_operation,
    _Writer.top,
    _Writer.limit,
    _Writer.deduplicate,
    _Writer.over,
    _Writer.over,
    _Writer.updating_over,
    _Writer.window_aggregate,
    _Writer.window_aggregate,
    _Writer.window_rows,
    _Writer.window_rank,
    _Writer.window_join,
    _Writer.interval_join,
    _Writer.versioned_join,
    _Writer.matches,
    _Writer.sort,
    _Writer.elements,
    _Writer.changes,
)


def random_statement(choices: Choices, last: int, before: Choices | None = None, cuts: Mapping[str, int] | None = None) -> Text:
    """Returns the statement of some choices; its last operator is the one with the number ``last``, modulo their number.

    With ``before``, conditions are the former ones for rows that came before ``cuts``.
    """
    variant = choices.pick("tables", tuple(VARIANTS))
    writer = _Writer(choices, before, cuts)
    make = _LAST[last % len(_LAST)]
    query = make(writer, make.__name__)
    return Text(query, variant, writer.is_ordered, writer.is_streaming_only, writer.is_comparable)
