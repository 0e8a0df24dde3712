"""The root of statements and what several families of them share. Queries are ``sql.ast.query``."""

from __future__ import annotations

from table_api.expressions.unresolved import Span, UnresolvedExpression
from table_api.sql.ast.query import SqlNode
from table_common.frozen_dataclass import dataclass, field
from table_common.tree import Part

Path = tuple[str, ...]
"""A name of one to three parts."""
Options = tuple[tuple[str, str], ...]
"""The pairs of a WITH clause, in order."""


@dataclass(frozen=True, slots=True)
class Statement(SqlNode):
    """The root of statements that are not queries."""


@dataclass(frozen=True, slots=True)
class PartitionSpec(Part):
    """``(key = literal, key)``: a value of None is a key without a value; ``options`` is the WITH of ADD PARTITION."""

    values: tuple[tuple[str, UnresolvedExpression | None], ...]
    options: Options = ()
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Resource(Part):
    """``JAR 'path'`` or ``ARTIFACT 'path'`` of USING."""

    kind: str
    path: str


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
    path_span: Span | None = field(default=None, compare=False, kw_only=True)
