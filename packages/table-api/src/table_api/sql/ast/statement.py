"""Statements as they are written: DDL, DML, SHOW, USE, SET and the rest. Queries are ``sql.ast.query``."""

from __future__ import annotations

from dataclasses import dataclass, field

from table_common.tree import Part
from table_common.types import LogicalType

from table_api.expressions.unresolved import Span, UnresolvedExpression
from table_api.sql.ast.query import Hint, QueryNode, SqlNode

__all__: list[str] = []  # filled below

Path = tuple[str, ...]
"""A name of one to three parts."""
Options = tuple[tuple[str, str], ...]
"""The pairs of a WITH clause, in order."""


@dataclass(frozen=True, slots=True)
class Statement(SqlNode):
    """The root of statements that are not queries."""


# --- tables and views -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ColumnDef(Part):
    """A column of CREATE TABLE.

    A physical column has ``type``; a computed one ``expression``; a metadata one ``type`` and ``is_metadata``. ``position`` is ``FIRST``
    or ``AFTER name`` in ALTER TABLE. A column list without types (CTAS reordering) has neither type nor expression.
    """

    name: str
    type: LogicalType | None = None
    expression: UnresolvedExpression | None = None
    is_metadata: bool = False
    metadata_key: str | None = None
    is_virtual: bool = False
    comment: str | None = None
    is_primary_key: bool = False
    first: bool = False
    after: str | None = None
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class PrimaryKeyDef(Part):
    """``[CONSTRAINT name] PRIMARY KEY (columns) [NOT ENFORCED]``; ``kind`` is PRIMARY KEY or UNIQUE."""

    columns: tuple[str, ...]
    name: str | None = None
    enforced: bool = False
    kind: str = "PRIMARY KEY"
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class WatermarkDef(Part):
    """``WATERMARK FOR column AS expression``."""

    column: Path
    expression: UnresolvedExpression
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class DistributionDef(Part):
    """``DISTRIBUTED BY [HASH|RANGE] (columns) INTO n BUCKETS``."""

    kind: str | None
    columns: tuple[str, ...]
    buckets: int | None


@dataclass(frozen=True, slots=True)
class LikeOption(Part):
    """``INCLUDING ALL``, ``EXCLUDING OPTIONS`` …: (strategy, feature)."""

    strategy: str
    feature: str


@dataclass(frozen=True, slots=True)
class LikeClause(Part):
    """``LIKE table (options)``."""

    source: Path
    options: tuple[LikeOption, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateTable(Statement):
    """``CREATE [OR REPLACE] [TEMPORARY] TABLE``, also ``REPLACE TABLE … AS``; ``query`` is AS, ``like`` is LIKE."""

    path: Path
    columns: tuple[ColumnDef, ...] = ()
    primary_key: PrimaryKeyDef | None = None
    watermarks: tuple[WatermarkDef, ...] = ()
    comment: str | None = None
    distribution: DistributionDef | None = None
    partitioned_by: tuple[str, ...] = ()
    options: Options = ()
    temporary: bool = False
    if_not_exists: bool = False
    replace: bool = False
    create: bool = True
    like: LikeClause | None = None
    query: QueryNode | None = None


@dataclass(frozen=True, slots=True)
class CreateView(Statement):
    """``CREATE [OR REPLACE] [TEMPORARY] VIEW``; ``query_text`` is the text of the query as written."""

    path: Path
    query: QueryNode
    query_text: str
    columns: tuple[str, ...] = ()
    comment: str | None = None
    temporary: bool = False
    if_not_exists: bool = False
    replace: bool = False


@dataclass(frozen=True, slots=True)
class DropStatement(Statement):
    """``DROP [TEMPORARY [SYSTEM]] kind [IF EXISTS] path [RESTRICT|CASCADE]``.

    ``kind``: TABLE, VIEW, MATERIALIZED TABLE, DATABASE, CATALOG, FUNCTION, MODEL, CONNECTION.
    """

    kind: str
    path: Path
    temporary: bool = False
    system: bool = False
    if_exists: bool = False
    cascade: bool = False


# --- DML --------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Insert(Statement):
    """``INSERT INTO|OVERWRITE path [PARTITION (k=v)] [(columns)] query [ON CONFLICT …]``."""

    path: Path
    query: QueryNode
    columns: tuple[Path, ...] = ()
    partition: tuple[tuple[str, UnresolvedExpression], ...] = ()
    overwrite: bool = False
    hints: tuple[Hint, ...] = ()
    on_conflict: str | None = None
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class StatementSet(Statement):
    """``EXECUTE STATEMENT SET BEGIN …; END``."""

    inserts: tuple[Insert, ...]


@dataclass(frozen=True, slots=True)
class Explain(Statement):
    """``EXPLAIN [details | PLAN FOR] statement``; details are ESTIMATED_COST, CHANGELOG_MODE, …"""

    statement: QueryNode | Statement
    details: tuple[str, ...] = ()


# --- session ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetOption(Statement):
    """``SET``, ``SET 'key' = 'value'``; both None lists all options."""

    key: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class ResetOption(Statement):
    """``RESET`` or ``RESET 'key'``."""

    key: str | None = None


@dataclass(frozen=True, slots=True)
class UseStatement(Statement):
    """``USE CATALOG c`` (kind CATALOG), ``USE [c.]d`` (kind DATABASE)."""

    kind: str
    path: Path


@dataclass(frozen=True, slots=True)
class LikeFilter(Part):
    """``[NOT] LIKE|ILIKE 'pattern'``."""

    pattern: str
    negated: bool = False
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class ShowStatement(Statement):
    """``SHOW kind [FROM|IN path] [LIKE …]``.

    ``kind``: CATALOGS, DATABASES, TABLES, VIEWS, MATERIALIZED TABLES, COLUMNS, PARTITIONS, FUNCTIONS, USER FUNCTIONS, PROCEDURES,
    MODULES, FULL MODULES, MODELS, CONNECTIONS, JARS, JOBS, CURRENT CATALOG, CURRENT DATABASE, CREATE TABLE, CREATE VIEW,
    CREATE MATERIALIZED TABLE, CREATE CATALOG, CREATE MODEL, CREATE CONNECTION.
    """

    kind: str
    path: Path = ()
    preposition: str | None = None
    like: LikeFilter | None = None
    partition: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DescribeStatement(Statement):
    """``DESCRIBE [EXTENDED] path`` (kind TABLE), ``DESCRIBE CATALOG|DATABASE|FUNCTION|MODEL|CONNECTION|JOB name``."""

    kind: str
    path: Path
    extended: bool = False
