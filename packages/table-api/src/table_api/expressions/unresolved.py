"""Expressions as they are written, before names and types are known: from ``col("a") + 1`` or from SQL text.

Only ``table_api.resolution`` turns these into resolved expressions. ``span`` is where the text stands in a SQL statement; it takes no
part in equality, so that both front doors build equal trees.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from table_common.frozen_dataclass import dataclass, field
from table_common.functions import FunctionDefinition
from table_common.tree import Node, Part
from table_common.types import LogicalType


class Span(NamedTuple):
    """The characters ``start`` up to but not including ``end`` of the statement's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class UnresolvedExpression(Node):
    """The root of unresolved expressions."""

    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Reference(UnresolvedExpression):
    """A name of one or more parts: a column, perhaps qualified by its table, perhaps with fields of rows after it."""

    path: tuple[str, ...]
    part_spans: tuple[Span, ...] = field(default=(), compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Literal(UnresolvedExpression):
    """A constant with its type; ``value`` is in the form that ``ValueLiteralExpression`` documents."""

    value: Any
    type: LogicalType


@dataclass(frozen=True, slots=True)
class TypeLiteral(UnresolvedExpression):
    """A type as an argument, such as the target of CAST."""

    type: LogicalType


@dataclass(frozen=True, slots=True)
class Symbol(UnresolvedExpression):
    """A keyword as an argument, such as YEAR in EXTRACT or LEADING in TRIM; upper case."""

    name: str


@dataclass(frozen=True, slots=True)
class Star(UnresolvedExpression):
    """``*`` or ``t.*``; ``excluded`` are columns that it does not stand for. As the only item of GROUP BY it means ALL."""

    qualifier: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SortKey(UnresolvedExpression):
    """An ORDER BY item. ``nulls_first`` None means the default: NULL sorts lowest."""

    expression: UnresolvedExpression
    ascending: bool = True
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class NamedArgument(UnresolvedExpression):
    """``name => value`` in a call."""

    name: str
    value: UnresolvedExpression


@dataclass(frozen=True, slots=True)
class Call(UnresolvedExpression):
    """A call by name (one to three parts, looked up later) or of a known definition (operators, special syntax, inline functions).

    ``distinct``, ``filter``, ``order_by`` (inside the parentheses), ``within_group`` and ``ignore_nulls`` belong to aggregates.
    ``star`` marks ``COUNT(*)``, whose args are empty.
    """

    function: tuple[str, ...] | FunctionDefinition
    args: tuple[UnresolvedExpression, ...] = ()
    distinct: bool = False
    filter: UnresolvedExpression | None = None
    order_by: tuple[SortKey, ...] = ()
    within_group: tuple[SortKey, ...] = ()
    ignore_nulls: bool | None = None
    star: bool = False
    name_span: Span | None = field(default=None, compare=False, kw_only=True)


class FrameUnit(Enum):
    """What a window frame counts."""

    ROWS = "ROWS"
    RANGE = "RANGE"


class FrameBoundKind(Enum):
    """Where a window frame begins or ends."""

    UNBOUNDED_PRECEDING = "UNBOUNDED PRECEDING"
    PRECEDING = "PRECEDING"
    CURRENT_ROW = "CURRENT ROW"
    FOLLOWING = "FOLLOWING"
    UNBOUNDED_FOLLOWING = "UNBOUNDED FOLLOWING"


@dataclass(frozen=True, slots=True)
class FrameBound(Part):
    """A bound of a frame; ``offset`` with PRECEDING and FOLLOWING only."""

    kind: FrameBoundKind
    offset: UnresolvedExpression | None = None


@dataclass(frozen=True, slots=True)
class OverWindowSpec(Part):
    """``(name PARTITION BY … ORDER BY … ROWS BETWEEN …)``; ``base`` is the name of a window of the WINDOW clause."""

    partition_by: tuple[UnresolvedExpression, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    unit: FrameUnit | None = None
    lower: FrameBound | None = None
    upper: FrameBound | None = None
    base: str | None = None


@dataclass(frozen=True, slots=True)
class NamedWindow(Part):
    """``WINDOW name AS (…)``."""

    name: str
    spec: OverWindowSpec


@dataclass(frozen=True, slots=True)
class Over(UnresolvedExpression):
    """``call OVER window``; the window is a specification or the name of one."""

    call: UnresolvedExpression
    window: OverWindowSpec | str


@dataclass(frozen=True, slots=True)
class Alias(UnresolvedExpression):
    """``expression AS name``; several names (``extra_names``) only for table functions and ``Table.alias``."""

    expression: UnresolvedExpression
    name: str
    extra_names: tuple[str, ...] = ()


class SubqueryKind(Enum):
    """How a subquery is used."""

    SCALAR = "SCALAR"
    EXISTS = "EXISTS"
    IN = "IN"
    NOT_IN = "NOT IN"
    ANY = "ANY"
    ALL = "ALL"
    ARRAY = "ARRAY"
    MULTISET = "MULTISET"
    MAP = "MAP"


@dataclass(frozen=True, slots=True)
class Subquery(UnresolvedExpression):
    """A query inside an expression.

    ``query`` is a query of ``table_api.sql.ast`` or a ``QueryOperation``; ``operand`` the left side of IN, ANY and ALL;
    ``comparison`` the definition of the operator of ANY and ALL.
    """

    kind: SubqueryKind
    query: object
    operand: UnresolvedExpression | None = None
    comparison: FunctionDefinition | None = None


@dataclass(frozen=True, slots=True)
class QueryArgument(UnresolvedExpression):
    """``TABLE t PARTITION BY … ORDER BY …`` or ``(query)`` as the argument of a table function; ``query`` as in ``Subquery``."""

    query: object
    partition_by: tuple[UnresolvedExpression, ...] = ()
    order_by: tuple[SortKey, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedLeaf(UnresolvedExpression):
    """A resolved expression within an unresolved tree."""

    expression: Any
