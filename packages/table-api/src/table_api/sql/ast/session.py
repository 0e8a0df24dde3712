"""Statements about the session: options, current objects, modules, jars, jobs, SHOW and DESCRIBE."""

from __future__ import annotations

from table_api.expressions.unresolved import Span
from table_api.sql.ast.statement import Options, PartitionSpec, Path, Statement
from table_common.frozen_dataclass import dataclass, field
from table_common.tree import Part


@dataclass(frozen=True, slots=True)
class SetOption(Statement):
    """``SET``, ``SET 'key' = 'value'``; both None lists all options."""

    key: str | None = None
    value: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ResetOption(Statement):
    """``RESET`` or ``RESET 'key'``."""

    key: str | None = None


@dataclass(frozen=True, slots=True)
class UseStatement(Statement):
    """``USE CATALOG c`` (kind CATALOG), ``USE [c.]d`` (kind DATABASE)."""

    kind: str
    path: Path
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class LoadModule(Statement):
    """``LOAD MODULE name [WITH (…)]``."""

    name: str
    options: Options = ()


@dataclass(frozen=True, slots=True)
class UnloadModule(Statement):
    """``UNLOAD MODULE name``."""

    name: str


@dataclass(frozen=True, slots=True)
class UseModules(Statement):
    """``USE MODULES a, b``."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddJar(Statement):
    """``ADD JAR 'path'``."""

    path: str


@dataclass(frozen=True, slots=True)
class RemoveJar(Statement):
    """``REMOVE JAR 'path'``."""

    path: str


@dataclass(frozen=True, slots=True)
class StopJob(Statement):
    """``STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN]``."""

    job_id: str
    with_savepoint: bool = False
    with_drain: bool = False


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
    partition: PartitionSpec | None = None
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class DescribeStatement(Statement):
    """``DESCRIBE [EXTENDED] path`` (kind TABLE), ``DESCRIBE CATALOG|DATABASE|FUNCTION|MODEL|CONNECTION [EXTENDED] path``.

    ``DESCRIBE JOB 'id'`` has kind JOB and the id as its only path part, ``DESCRIBE 'data.csv'`` kind FILE and the path of the file.
    """

    kind: str
    path: Path
    extended: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)
