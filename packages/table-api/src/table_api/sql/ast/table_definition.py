"""CREATE TABLE, VIEW and MATERIALIZED TABLE, and the parts of a table definition."""

from __future__ import annotations

from table_api.expressions.unresolved import Literal, Span, UnresolvedExpression
from table_api.sql.ast.query import QueryNode
from table_api.sql.ast.statement import Options, Path, Statement
from table_common.frozen_dataclass import dataclass, field
from table_common.tree import Part
from table_common.types import LogicalType


@dataclass(frozen=True, slots=True)
class ColumnDef(Part):
    """A column of CREATE TABLE and ALTER TABLE.

    A physical column has ``type``; a computed one ``expression``; a metadata one ``type`` and ``is_metadata``. ``first`` and ``after``
    are its position in ALTER TABLE. A column list without types (CTAS reordering) has neither type nor expression.
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
    """``[CONSTRAINT name] PRIMARY KEY (columns) [NOT ENFORCED]``; ``kind`` is PRIMARY KEY or UNIQUE.

    ``enforced`` None means that nothing is said, which Flink reads as ENFORCED and refuses.
    """

    columns: tuple[str, ...]
    name: str | None = None
    enforced: bool | None = None
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
    """``DISTRIBUTED BY [HASH|RANGE] (columns) INTO n BUCKETS`` or ``DISTRIBUTED INTO n BUCKETS``."""

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
    """``CREATE [OR REPLACE] [TEMPORARY] TABLE``, also ``REPLACE TABLE … AS``; ``query`` is AS, ``like`` is LIKE.

    ``constraints`` are all that were written, also on columns; ``identifiers_only`` is a column list without types.
    """

    path: Path
    columns: tuple[ColumnDef, ...] = ()
    constraints: tuple[PrimaryKeyDef, ...] = ()
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
    identifiers_only: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)

    @property
    def primary_key(self) -> PrimaryKeyDef | None:
        """The first PRIMARY KEY, if there is one."""
        return next((constraint for constraint in self.constraints if constraint.kind == "PRIMARY KEY"), None)


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
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class StartMode(Part):
    """``START_MODE = kind [(argument)]``.

    ``kind``: FROM_BEGINNING, FROM_NOW, FROM_TIMESTAMP, RESUME_OR_FROM_BEGINNING, RESUME_OR_FROM_NOW, RESUME_OR_FROM_TIMESTAMP; the
    argument is an interval for …NOW and a timestamp for …TIMESTAMP.
    """

    kind: str
    argument: UnresolvedExpression | None = None


@dataclass(frozen=True, slots=True)
class CreateMaterializedTable(Statement):
    """``CREATE [OR ALTER] MATERIALIZED TABLE``; ``freshness`` is an interval literal, ``refresh_mode`` FULL or CONTINUOUS."""

    path: Path
    query: QueryNode
    query_text: str
    columns: tuple[ColumnDef, ...] = ()
    constraints: tuple[PrimaryKeyDef, ...] = ()
    watermarks: tuple[WatermarkDef, ...] = ()
    comment: str | None = None
    distribution: DistributionDef | None = None
    partitioned_by: tuple[str, ...] = ()
    options: Options = ()
    freshness: Literal | None = None
    refresh_mode: str | None = None
    start_mode: StartMode | None = None
    or_alter: bool = False
    if_not_exists: bool = False
    identifiers_only: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)
