"""Queries as they are written. Expressions are ``table_api.expressions.unresolved``; every node has a span."""

from __future__ import annotations

from enum import Enum

from table_api.expressions.unresolved import NamedWindow, Reference, SortKey, Span, UnresolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.tree import Node, Part


@dataclass(frozen=True, slots=True)
class SqlNode(Node):
    """The root of queries, table references and statements."""

    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Hint(Part):
    """``/*+ NAME('key'='value') */``, ``NAME(a, b)`` or ``NAME``: options or positional arguments."""

    name: str
    options: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, kw_only=True)


# --- table references ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableRef(SqlNode):
    """What stands in FROM. ``alias`` and ``column_aliases`` are ``AS alias (c1, c2)``."""

    alias: str | None = field(default=None, kw_only=True)
    column_aliases: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class AsOf(Part):
    """``FOR SYSTEM_TIME AS OF expression``."""

    expression: UnresolvedExpression


@dataclass(frozen=True, slots=True)
class TableNameRef(TableRef):
    """A table or view by name of one to three parts."""

    path: tuple[str, ...]
    hints: tuple[Hint, ...] = ()
    as_of: AsOf | None = None
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class SampledRef(TableRef):
    """``table TABLESAMPLE BERNOULLI|SYSTEM (percentage) [REPEATABLE (seed)]``; an alias is the table's."""

    table: TableRef
    method: str
    percentage: UnresolvedExpression
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ParenthesizedRef(TableRef):
    """A query (or a joined table) in parentheses."""

    query: QueryNode | TableRef


@dataclass(frozen=True, slots=True)
class LateralRef(TableRef):
    """``LATERAL (query)`` or ``LATERAL TABLE(f(…))``: may refer to what stands left of it."""

    inner: TableRef


@dataclass(frozen=True, slots=True)
class TableFunctionRef(TableRef):
    """``TABLE(f(…))`` or ``f(…)`` in FROM: window functions, user-defined and process table functions."""

    call: UnresolvedExpression


@dataclass(frozen=True, slots=True)
class FileRef(TableRef):
    """The path of a file as text in FROM, an extension."""

    path: str


@dataclass(frozen=True, slots=True)
class UnnestRef(TableRef):
    """``UNNEST(expression, …) [WITH ORDINALITY]``."""

    expressions: tuple[UnresolvedExpression, ...]
    with_ordinality: bool = False


class JoinKind(Enum):
    """The kinds of join that can be written; SEMI and ANTI are an extension."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    CROSS = "CROSS"
    SEMI = "LEFT SEMI"
    ANTI = "LEFT ANTI"


@dataclass(frozen=True, slots=True)
class JoinRef(TableRef):
    """A join; a comma is a CROSS join with ``is_comma``. ``condition`` is ON, ``using`` is USING."""

    left: TableRef
    right: TableRef
    kind: JoinKind
    condition: UnresolvedExpression | None = None
    using: tuple[str, ...] = ()
    natural: bool = False
    is_comma: bool = False


# --- MATCH_RECOGNIZE --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PatternQuantifier(Part):
    """``{minimum, maximum}``; ``maximum`` None is unbounded; ``greedy`` false is a trailing ``?``."""

    minimum: int
    maximum: int | None
    greedy: bool = True


@dataclass(frozen=True, slots=True)
class PatternNode(Part):
    """A part of a row pattern.

    ``kind`` is VARIABLE (``name``), CONCAT, ALTERNATE, PERMUTE, EXCLUDE (``items``) or EMPTY.
    """

    kind: str
    name: str = ""
    items: tuple[PatternNode, ...] = ()
    quantifier: PatternQuantifier | None = None


@dataclass(frozen=True, slots=True)
class MeasureItem(Part):
    """``expression AS name`` of MEASURES; ``semantics`` is RUNNING, FINAL or empty."""

    expression: UnresolvedExpression
    name: str
    semantics: str = ""


@dataclass(frozen=True, slots=True)
class PatternDefinition(Part):
    """``variable AS condition`` of DEFINE."""

    variable: str
    condition: UnresolvedExpression


@dataclass(frozen=True, slots=True)
class PatternSubset(Part):
    """``name = (a, b)`` of SUBSET."""

    name: str
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchRecognizeRef(TableRef):
    """``input MATCH_RECOGNIZE (…)``. ``after_match`` is the text of AFTER MATCH SKIP, its variable in ``after_match_variable``."""

    input: TableRef
    partition_by: tuple[UnresolvedExpression, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    measures: tuple[MeasureItem, ...] = ()
    all_rows_per_match: bool = False
    after_match: str = "TO NEXT ROW"
    after_match_variable: str | None = None
    pattern: PatternNode | None = None
    strict_start: bool = False
    strict_end: bool = False
    within: UnresolvedExpression | None = None
    subsets: tuple[PatternSubset, ...] = ()
    definitions: tuple[PatternDefinition, ...] = ()


# --- PIVOT and UNPIVOT ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PivotValue(Part):
    """``(1, 2) AS name`` in IN of PIVOT: a constant for each column of FOR."""

    values: tuple[UnresolvedExpression, ...]
    name: str | None = None
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class PivotRef(TableRef):
    """``input PIVOT (aggregates FOR columns IN (values))``."""

    input: TableRef
    aggregates: tuple[UnresolvedExpression, ...]
    columns: tuple[Reference, ...]
    values: tuple[PivotValue, ...]


@dataclass(frozen=True, slots=True)
class UnpivotColumns(Part):
    """``(a, b) AS 'label'`` in IN of UNPIVOT: the columns that make one row."""

    columns: tuple[Reference, ...]
    label: str | None = None
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class UnpivotRef(TableRef):
    """``input UNPIVOT (value_names FOR label_name IN (groups))``."""

    input: TableRef
    include_nulls: bool
    value_names: tuple[str, ...]
    label_name: str
    groups: tuple[UnpivotColumns, ...]


# --- queries ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueryNode(SqlNode):
    """A query; ORDER BY, OFFSET and FETCH of it are here whatever its body is."""

    order_by: tuple[SortKey, ...] = field(default=(), kw_only=True)
    offset: UnresolvedExpression | None = field(default=None, kw_only=True)
    fetch: UnresolvedExpression | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Select(QueryNode):
    """``SELECT … FROM … WHERE … GROUP BY … HAVING … WINDOW … QUALIFY``.

    ``group_by`` None: there is no GROUP BY; ``()``: ``GROUP BY ()``. ``projection`` items may be ``Star`` and ``Alias``.
    """

    projection: tuple[UnresolvedExpression, ...]
    source: TableRef | None = None
    where: UnresolvedExpression | None = None
    group_by: tuple[UnresolvedExpression, ...] | None = None
    having: UnresolvedExpression | None = None
    windows: tuple[NamedWindow, ...] = ()
    qualify: UnresolvedExpression | None = None
    distinct: bool = False
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True, slots=True)
class Values(QueryNode):
    """``VALUES (1, 'a'), (2, 'b')``."""

    rows: tuple[tuple[UnresolvedExpression, ...], ...]


class SetOperator(Enum):
    """UNION, INTERSECT and EXCEPT (also written MINUS)."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"


@dataclass(frozen=True, slots=True)
class SetOperationQuery(QueryNode):
    """``left UNION [ALL] right``; both are queries (one in parentheses keeps its own ORDER BY)."""

    operator: SetOperator
    all: bool
    left: QueryNode
    right: QueryNode


@dataclass(frozen=True, slots=True)
class Cte(Part):
    """``name (columns) AS (query)``."""

    name: str
    columns: tuple[str, ...]
    query: QueryNode
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class WithQuery(QueryNode):
    """``WITH a AS (…), b AS (…) body``; ORDER BY and so on are the body's."""

    ctes: tuple[Cte, ...]
    body: QueryNode
    recursive: bool = False
