"""Converts a statement to its operation; the entry point of this package."""

from __future__ import annotations

from table_api.delegation import Session
from table_api.operations import Operation
from table_api.sql.ast import QueryNode, Statement
from table_api.sql.conversion import query  # noqa: F401  # it registers its handlers
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_common.exceptions import TableException
from table_common.tree import deep_recursion


def convert_statement(node: QueryNode | Statement | Operation, session: Session, text: str) -> Operation:
    """Returns the operation of a parsed statement; the parser makes that of a statement without names to resolve.

    Raises:
        ValidationException: a name, type or option is wrong; with its position in ``text``.
        TableException: the statement is valid but not supported.
    """
    if isinstance(node, Operation):
        return node
    context = StatementContext(session, text)
    with deep_recursion():
        if isinstance(node, QueryNode):
            return context.queries().convert(node)
        if convert.missing([type(node)]):
            verb = " ".join(text[node.span.start : node.span.end].split()[:2]).upper() if node.span else type(node).__name__
            raise TableException(f"The statement {verb} … is not supported in this version.", position=context.position(node.span))
        try:
            return convert(node, context)
        except TableException as error:
            raise error.at(context.position(node.span)) from error.__cause__
