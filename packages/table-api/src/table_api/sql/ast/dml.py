"""Statements that change data or say how a statement is run: INSERT, UPDATE, DELETE, statement sets, EXPLAIN, plans, CALL."""

from __future__ import annotations

from table_api.expressions.unresolved import Span, UnresolvedExpression
from table_api.sql.ast.query import Hint, QueryNode
from table_api.sql.ast.statement import PartitionSpec, Path, Statement
from table_common.frozen_dataclass import dataclass, field
from table_common.tree import Part


@dataclass(frozen=True, slots=True)
class Insert(Statement):
    """``INSERT INTO|OVERWRITE path [hints] [PARTITION (k=v)] [(columns)] query [ON CONFLICT DO …]``.

    ``on_conflict`` is ERROR, NOTHING, DEDUPLICATE or None. ``upsert`` is ``UPSERT INTO``, which planners refuse.
    """

    path: Path
    query: QueryNode
    columns: tuple[Path, ...] = ()
    partition: tuple[tuple[str, UnresolvedExpression], ...] = ()
    overwrite: bool = False
    hints: tuple[Hint, ...] = ()
    on_conflict: str | None = None
    upsert: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Assignment(Part):
    """``column = expression`` of UPDATE."""

    column: Path
    expression: UnresolvedExpression
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Update(Statement):
    """``UPDATE path [AS alias] SET column = expression, … [WHERE condition]``."""

    path: Path
    assignments: tuple[Assignment, ...]
    where: UnresolvedExpression | None = None
    alias: str | None = None
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Delete(Statement):
    """``DELETE FROM path [AS alias] [WHERE condition]``."""

    path: Path
    where: UnresolvedExpression | None = None
    alias: str | None = None
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class TruncateTable(Statement):
    """``TRUNCATE TABLE path``."""

    path: Path
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class StatementSet(Statement):
    """``STATEMENT SET BEGIN insert; … END``; after EXECUTE it runs, after EXPLAIN and COMPILE PLAN it is shown or stored."""

    inserts: tuple[Insert, ...]


@dataclass(frozen=True, slots=True)
class BeginStatementSet(Statement):
    """``BEGIN STATEMENT SET``: the inserts that follow are collected until END."""


@dataclass(frozen=True, slots=True)
class EndStatementSet(Statement):
    """``END``: runs what was collected since BEGIN STATEMENT SET."""


@dataclass(frozen=True, slots=True)
class Execute(Statement):
    """``EXECUTE query|insert|statement set``: the same as what stands after it."""

    statement: QueryNode | Statement


@dataclass(frozen=True, slots=True)
class Explain(Statement):
    """``EXPLAIN [details | PLAN FOR] statement``; details are ESTIMATED_COST, CHANGELOG_MODE, …"""

    statement: QueryNode | Statement
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExecutePlan(Statement):
    """``EXECUTE PLAN 'file'``."""

    file: str


@dataclass(frozen=True, slots=True)
class CompilePlan(Statement):
    """``COMPILE PLAN 'file' [IF NOT EXISTS] FOR insert|statement set``."""

    file: str
    statement: Insert | StatementSet
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CompileAndExecutePlan(Statement):
    """``COMPILE AND EXECUTE PLAN 'file' FOR insert|statement set``."""

    file: str
    statement: Insert | StatementSet


@dataclass(frozen=True, slots=True)
class CallProcedure(Statement):
    """``CALL procedure(arguments)``; an argument may be a ``NamedArgument``."""

    path: Path
    args: tuple[UnresolvedExpression, ...] = ()
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AnalyzeTable(Statement):
    """``ANALYZE TABLE path [PARTITION (…)] COMPUTE STATISTICS [FOR COLUMNS a, b | FOR ALL COLUMNS]``."""

    path: Path
    partition: PartitionSpec | None = None
    columns: tuple[str, ...] = ()
    all_columns: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)
