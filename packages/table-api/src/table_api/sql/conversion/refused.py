"""Statements of Flink that are parsed but not supported: the reason and an alternative for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from table_api.operations import Operation
from table_api.sql.ast import (
    AddJar,
    AlterStatement,
    BeginStatementSet,
    CreateConnection,
    DropStatement,
    EndStatementSet,
    RemoveJar,
    Statement,
)
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_common.exceptions import TableException

_CONNECTION = (
    "Connections are not supported: Flink parses their statements, but does not run them either.",
    "set the options of the table or catalog; ${env:NAME} keeps a secret out of them",
)
_JAR = ("JARs are not supported: functions and connectors are written in Python.", "add_python_file, or install a package")
_STATEMENT_SET = (
    "BEGIN STATEMENT SET is for scripts and the prompt of the SQL client, which collects the statements up to END.",
    "EXECUTE STATEMENT SET BEGIN INSERT …; INSERT …; END, or create_statement_set()",
)

_BY_KIND = {"CONNECTION": _CONNECTION}
_BY_CLASS: dict[type[Statement], tuple[str, str]] = {
    CreateConnection: _CONNECTION,
    AddJar: _JAR,
    RemoveJar: _JAR,
    BeginStatementSet: _STATEMENT_SET,
    EndStatementSet: _STATEMENT_SET,
}


def refuse_kind(node: DropStatement | AlterStatement, context: StatementContext) -> None:
    """Raises a ``TableException`` if objects of the kind are not supported, also for DROP … IF EXISTS."""
    if node.kind in _BY_KIND:
        _refuse(node, context, *_BY_KIND[node.kind])


def _refuse(node: Statement, context: StatementContext, reason: str, hint: str) -> NoReturn:
    raise TableException(reason, position=context.position(node.span), hint=hint)


def _refusing(reason: str, hint: str) -> Callable[[Statement, StatementContext], Operation]:
    def handler(node: Statement, context: StatementContext) -> Operation:
        _refuse(node, context, reason, hint)

    return handler


for _class, _why in _BY_CLASS.items():
    convert.register(_class)(_refusing(*_why))
