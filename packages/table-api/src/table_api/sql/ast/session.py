"""Statements about the session whose names or literals are resolved. The parser makes the operations of the others."""

from __future__ import annotations

from table_api.expressions.unresolved import Span
from table_api.sql.ast.statement import PartitionSpec, Path, Statement
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class UseDatabase(Statement):
    """``USE [c.]d``."""

    path: Path
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AddJar(Statement):
    """``ADD JAR 'path'``."""

    path: str


@dataclass(frozen=True, slots=True)
class RemoveJar(Statement):
    """``REMOVE JAR 'path'``."""

    path: str


@dataclass(frozen=True, slots=True)
class ShowPartitions(Statement):
    """``SHOW PARTITIONS path [PARTITION (…)]``."""

    path: Path
    partition: PartitionSpec | None = None
