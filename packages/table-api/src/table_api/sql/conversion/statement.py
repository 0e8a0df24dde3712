"""The entry: one statement to one operation; a file of this folder for each family."""

from __future__ import annotations

from table_api.delegation import Session
from table_api.expressions.unresolved import Span
from table_api.operations import Operation
from table_api.sql.ast import QueryNode, Statement
from table_api.sql.conversion.query import QueryConverter
from table_common.exceptions import SourcePosition, TableException
from table_common.frozen_dataclass import dataclass
from table_common.tree import TypeDispatch, deep_recursion

__all__ = ["StatementContext", "convert", "convert_statement"]

convert: TypeDispatch[[StatementContext], Operation] = TypeDispatch("The SQL front end")
"""Statement class to its handler ``(node, context) -> Operation``."""


@dataclass(frozen=True, slots=True)
class StatementContext:
    """The statement's text and the session that it runs in."""

    session: Session
    text: str

    def position(self, span: Span | None) -> SourcePosition | None:
        """Returns the place of a span in the statement."""
        return SourcePosition.of_offset(self.text, span.start, span.end) if span is not None else None

    def queries(self) -> QueryConverter:
        """Returns a converter for the statement's queries."""
        return QueryConverter(self.session, self.text)


def convert_statement(node: QueryNode | Statement, session: Session, text: str) -> Operation:
    """Returns the operation of a parsed statement.

    Raises:
        ValidationException: a name, type or option is wrong; with its position in ``text``.
        TableException: the statement is valid but not supported.
    """
    from table_api.sql.conversion import command, create_table, ddl, dml, row_level  # noqa: F401  # they register their handlers

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
