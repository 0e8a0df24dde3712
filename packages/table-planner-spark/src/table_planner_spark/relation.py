"""A lowered node: Spark SQL over its inputs, or a DataFrame for operations that SQL text cannot express.

Each call on a DataFrame costs milliseconds, mostly because the JVM analyzes the plan again, and so does each nested SELECT. Nodes therefore stay
SQL text as long as possible, and the plan becomes one statement that Spark analyzes once. Choosing columns adds no SELECT, and a SELECT over a
filtered node takes over its WHERE. A node becomes a subquery in the FROM of its consumer; only a node with several consumers becomes a common
table expression (WITH), which costs Spark more. Deeply nested queries are divided by a DataFrame, because Spark's analysis is recursive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack

from pyspark.sql import DataFrame, SparkSession

from table_planner_spark.plan_splitting import PartReader, separate_parts
from table_planner_spark.quoting import quote_name
from table_planner_spark.session.adapters import adapter_of

_DEEPEST = 24
"""The nesting depth at which a query becomes a DataFrame."""
_MOST_WINDOWS = 32
"""The most windows that one SELECT computes."""


class SparkRelation:
    """A lowered node and the names of its columns, by position, unique in the plan.

    ``names`` are the columns visible when this node appears in FROM (a superset of ``columns`` after a join).
    """

    __slots__ = ("_query", "columns")

    def __init__(self, frame: DataFrame, columns: Sequence[str], names: Sequence[str] | None = None) -> None:
        self._query = _Query((), tuple(columns if names is None else names), frame.sparkSession, frame)
        self.columns = tuple(columns)

    @classmethod
    def _of(cls, query: _Query, columns: Sequence[str]) -> SparkRelation:
        node = cls.__new__(cls)
        node._query = query
        node.columns = tuple(columns)
        return node

    @classmethod
    def constant(cls, spark: SparkSession, text: str, columns: Sequence[str]) -> SparkRelation:
        """Returns the node for a query without FROM."""
        return cls._of(_Query((text,), columns, spark), columns)

    @classmethod
    def query(cls, parts: Sequence[str | SparkRelation], columns: Sequence[str]) -> SparkRelation:
        """Returns the node for a query. Its parts are text, and other nodes in the places where its FROM uses them."""
        return cls._of(_Query.over(parts, columns), columns)

    @classmethod
    def join(cls, left: SparkRelation, operator: str, right: SparkRelation, condition: str, *, keeps_right: bool = True) -> SparkRelation:
        """Returns a join, which its consumer can use directly in FROM. The columns are those of both sides, or only of the left."""
        added = right if keeps_right else None
        query = _Query.over([left, f" {operator} JOIN ", right, condition], (*left.names, *(added.names if added else ())))
        query.is_join, query.steps = True, 1
        return cls._of(query, (*left.columns, *(added.columns if added else ())))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns visible when this node appears in FROM."""
        return self._query.names

    def select_columns(self, positions: Sequence[int]) -> SparkRelation:
        """Returns the same rows with the columns at these positions, each once, in this order."""
        return SparkRelation._of(self._query, [self.columns[position] for position in positions])

    def select(self, texts: Sequence[str], columns: Sequence[str], suffix: str = "") -> SparkRelation:
        """Returns a SELECT of these texts, which compute ``columns``. The suffix follows FROM and WHERE."""
        if not columns:  # which SQL cannot express
            return SparkRelation(self._query.frame.select(), ())
        where = self._query.where
        if where is not None and not suffix.startswith((" WHERE ", " LATERAL ")):
            rows, condition = where
            return SparkRelation.query([f"SELECT {', '.join(texts)} FROM ", rows, condition, suffix], columns)
        return SparkRelation.query([f"SELECT {', '.join(texts)} FROM ", self, suffix], columns)

    def as_step(self) -> SparkRelation:
        """Returns the node itself, marked as an operator that Spark's plan keeps: Spark does not merge it with those above and below it."""
        self._query.steps = 1
        return self

    def append_clause(self, suffix: str) -> SparkRelation:
        """Returns the same columns after a clause that follows FROM."""
        return self.select(list(map(quote_name, self.columns)), self.columns, suffix)

    def where(self, condition: str, *, is_deterministic: bool) -> SparkRelation:
        """Returns the rows for which a condition over the columns is true. A non-deterministic condition is never merged into a consumer's SELECT."""
        suffix = f" WHERE {condition}"
        node = self.append_clause(suffix)
        if is_deterministic:
            node._query.where = self, suffix
        return node

    def with_scalar_subquery(self, one_row: SparkRelation) -> SparkRelation:
        """Returns the rows with the value of a one-row query as a further column. Spark merges several such subqueries over the same table."""
        rows, queries = self._query.values_of or (self, ())
        queries = (*queries, one_row)
        parts: list[str | SparkRelation] = ["SELECT ", "".join(f"{quote_name(column)}, " for column in rows.columns)]
        for query in queries:
            (value,) = map(quote_name, query.columns)
            parts += [f"(SELECT {value} FROM ", query, f") AS {value}", ", "]
        parts[-1] = " FROM "
        made = _Query.over([*parts, rows], (*rows.columns, *(query.columns[0] for query in queries)))
        made.values_of = rows, queries
        return SparkRelation._of(made, (*self.columns, *one_row.columns))

    def with_windows(self, calls: Mapping[str, str], arguments: Collection[str], *, merges: bool) -> SparkRelation:
        """Returns the rows with further columns, each with its window call, which use the columns ``arguments``.

        With ``merges``, one SELECT computes them together with previous windows whose columns they do not use: Spark analyzes a SELECT once
        for each SELECT above it.
        """
        rows, previous = self._query.windows_of or (self, {})
        steps = self._query.steps + 1
        if not merges or steps > _MOST_WINDOWS or not previous.keys().isdisjoint(arguments):
            rows, previous, steps = self, {}, 1
        calls = {**previous, **calls}
        texts = [*map(quote_name, rows.columns), *(f"{call} AS {quote_name(name)}" for name, call in calls.items())]
        made = rows.select(texts, (*rows.columns, *calls))
        made._query.windows_of, made._query.steps = (rows, calls), steps
        made.columns = (*self.columns, *(name for name in calls if name not in previous))
        return made

    @property
    def frame(self) -> DataFrame:
        """The node as a DataFrame, created on first use."""
        return self._only_columns()._query.frame

    def _only_columns(self) -> SparkRelation:
        return self if self.columns == self.names else self.select(list(map(quote_name, self.columns)), self.columns)

    @property
    def has_separate_parts(self) -> bool:
        """Whether subplans of the node must run before the rest, because Spark would repeat them too often or the node is too deep."""
        return bool(separate_parts(_inputs_first(self._query)))

    def through_parts(self, reader: PartReader) -> DataFrame:
        """Returns the node as a DataFrame in which the reader has replaced the separate parts."""
        top = self._only_columns()._query
        replaced: dict[int, _Query] = {}
        for part in separate_parts(_inputs_first(top)):
            replaced[id(part)] = _Query((), part.names, part.spark, reader(part.copy(replaced).frame))
        frame = top.copy(replaced).frame
        adapter_of(top.spark).analyze(frame)
        return frame


class _Query:
    """The text or the DataFrame of a node. Nodes that differ only in their choice of columns share it."""

    __slots__ = ("_frame", "is_join", "names", "parts", "spark", "steps", "values_of", "where", "windows_of")

    def __init__(self, parts: Sequence[str | _Query], names: Sequence[str], spark: SparkSession, frame: DataFrame | None = None) -> None:
        self.parts = tuple(parts)
        self.names = tuple(names)
        self.spark = spark
        self.is_join = False
        self.steps = 0
        self.where: tuple[SparkRelation, str] | None = None
        self.values_of: tuple[SparkRelation, tuple[SparkRelation, ...]] | None = None
        self.windows_of: tuple[SparkRelation, Mapping[str, str]] | None = None
        self._frame = frame

    @classmethod
    def over(cls, parts: Sequence[str | SparkRelation], names: Sequence[str]) -> _Query:
        """Returns the query composed of text and nodes."""
        queries = [part._query if isinstance(part, SparkRelation) else part for part in parts]
        return cls(queries, names, next(part.spark for part in queries if isinstance(part, _Query)))

    @property
    def is_frame(self) -> bool:
        """Whether the DataFrame exists already."""
        return self._frame is not None

    @property
    def frame(self) -> DataFrame:
        """The DataFrame, created on first use."""
        if self._frame is None:
            with ExitStack() as stack:
                statement = _Statement(self, stack)
                self._frame = adapter_of(self.spark).run_sql(self.spark, statement.text, statement.frames)
        return self._frame

    def copy(self, replaced: Mapping[int, _Query]) -> _Query:
        """Returns a copy of the query in which some inputs are replaced. DataFrames that other inputs still need are created for the copy only."""
        copies = dict(replaced)
        for query in _inputs_first(self, replaced):
            copied = _Query(
                [part if isinstance(part, str) else copies[id(part)] for part in query.parts], query.names, query.spark, query._frame
            )
            copied.is_join = query.is_join
            copies[id(query)] = copied
        return copies[id(self)]

    def inputs(self) -> list[_Query]:
        """Returns the queries that the text uses; none for a DataFrame."""
        return [part for part in self.parts if isinstance(part, _Query)] if self._frame is None else []


class _Statement:
    """The text of a node. Its DataFrames have names in the session until the stack closes."""

    def __init__(self, top: _Query, stack: ExitStack) -> None:
        self._stack = stack
        self._spark = top.spark
        self._texts: dict[int, str] = {}
        self._depths: dict[int, int] = {}
        self._frame_names: dict[int, str] = {}
        self.frames: dict[str, DataFrame] = {}
        nodes = _inputs_first(top)
        readers = Counter(id(one) for node in nodes for one in node.inputs())
        named: list[str] = []
        for node in nodes:
            text, depth = self._render(node)
            if node is top:
                self.text = f"SELECT * FROM {text}" if node.is_join else text
            elif not node.is_frame and depth >= _DEEPEST:
                text, depth = self._name_frame(node.frame), 0
            elif not node.is_frame and readers[id(node)] > 1:
                name = f"__query_{len(named) + 1}"
                named.append(f"{name} AS ({f'SELECT * FROM {text}' if node.is_join else text})")
                text = name
            elif not node.is_frame and not node.is_join:
                text = f"({text})"
            self._texts[id(node)], self._depths[id(node)] = text, depth
        if named:
            self.text = f"WITH {', '.join(named)} {self.text}"

    def _render(self, node: _Query) -> tuple[str, int]:
        """Returns the text of a node, built from those of its inputs, and the nesting depth of its queries."""
        if node.is_frame:
            return self._name_frame(node.frame), 0
        texts = []
        for position, part in enumerate(node.parts):
            if isinstance(part, str):
                texts.append(part)
            elif part.is_join and node.is_join and position > 0 and " JOIN " in self._texts[id(part)]:  # not yet a name
                texts.append(f"({self._texts[id(part)]})")
            else:
                texts.append(self._texts[id(part)])
        return "".join(texts), 1 + max((self._depths[id(one)] for one in node.inputs()), default=0)

    def _name_frame(self, frame: DataFrame) -> str:
        name = self._frame_names.get(id(frame))
        if name is None:
            name = self._frame_names[id(frame)] = adapter_of(self._spark).name_frame(frame, self._spark, self.frames, self._stack)
        return name


def _inputs_first(top: _Query, without: Collection[int] = ()) -> list[_Query]:
    """Returns a node and all its direct and indirect inputs, inputs first, down to DataFrames and excluding ``without``."""
    done: dict[int, _Query] = {}
    stack: list[tuple[_Query, bool]] = [(top, False)]
    while stack:
        node, expanded = stack.pop()
        if id(node) in done or id(node) in without:
            continue
        inputs = node.inputs()
        if expanded or not inputs:
            done[id(node)] = node
        else:
            stack.append((node, True))
            stack.extend((one, False) for one in reversed(inputs))
    return list(done.values())
