"""CREATE CATALOG, DATABASE, FUNCTION, MODEL and CONNECTION."""

from __future__ import annotations

from table_api.expressions.unresolved import Span
from table_api.sql.ast.query import QueryNode
from table_api.sql.ast.statement import Options, Path, Resource, Statement
from table_api.sql.ast.table_definition import ColumnDef
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class CreateCatalog(Statement):
    """``CREATE CATALOG [IF NOT EXISTS] name [COMMENT '…'] [WITH (…)]``."""

    name: str
    options: Options = ()
    comment: str | None = None
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateDatabase(Statement):
    """``CREATE DATABASE [IF NOT EXISTS] [catalog.]name [COMMENT '…'] [WITH (…)]``."""

    path: Path
    options: Options = ()
    comment: str | None = None
    if_not_exists: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class CreateFunction(Statement):
    """``CREATE [TEMPORARY [SYSTEM]] FUNCTION [IF NOT EXISTS] path AS 'class' [LANGUAGE …] [USING JAR '…', …] [WITH (…)]``.

    ``language`` is JAVA, SCALA, SQL, PYTHON or None for the default.
    """

    path: Path
    class_name: str
    language: str | None = None
    resources: tuple[Resource, ...] = ()
    options: Options = ()
    temporary: bool = False
    system: bool = False
    if_not_exists: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class CreateModel(Statement):
    """``CREATE [TEMPORARY] MODEL [IF NOT EXISTS] path [INPUT (…)] [OUTPUT (…)] [COMMENT '…'] [WITH (…)] [AS query]``."""

    path: Path
    inputs: tuple[ColumnDef, ...] = ()
    outputs: tuple[ColumnDef, ...] = ()
    comment: str | None = None
    options: Options = ()
    query: QueryNode | None = None
    temporary: bool = False
    if_not_exists: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class CreateConnection(Statement):
    """``CREATE [TEMPORARY [SYSTEM]] CONNECTION [IF NOT EXISTS] path [COMMENT '…'] WITH (…)``."""

    path: Path
    options: Options = ()
    comment: str | None = None
    temporary: bool = False
    system: bool = False
    if_not_exists: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)
