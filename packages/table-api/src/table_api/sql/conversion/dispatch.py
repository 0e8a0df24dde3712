"""The registry of statement handlers, which are in the other files of this folder, and the context that they receive."""

from __future__ import annotations

from table_api.delegation import Session
from table_api.expressions.unresolved import Span
from table_api.operations import Operation
from table_api.sql.conversion.query_context import QueryConverter
from table_common.exceptions import SourcePosition
from table_common.frozen_dataclass import dataclass
from table_common.tree import TypeDispatch

_MODULES = {
    "alter": ("ddl",),
    "catalog_definition": ("ddl", "function", "model", "refused"),
    "dml": ("dml", "row_level", "partition", "command", "refused"),
    "session": ("command", "refused"),
    "statement": ("ddl",),
    "table_definition": ("create_table", "ddl", "materialized_table"),
}
"""By file of the syntax tree: the modules of this package with handlers of its classes."""
convert: TypeDispatch[[StatementContext], Operation] = TypeDispatch(
    "The SQL front end", package="table_api.sql.conversion", modules=_MODULES
)
"""Maps a class of statements to its handler ``(node, context) -> Operation``."""


@dataclass(frozen=True, slots=True)
class StatementContext:
    """The statement's text and the session that it runs in."""

    session: Session
    text: str

    def position(self, span: Span | None) -> SourcePosition | None:
        """Returns line and column of a span in the statement."""
        return SourcePosition.of_offset(self.text, span.start, span.end) if span is not None else None

    def queries(self) -> QueryConverter:
        """Returns a converter for the statement's queries."""
        return QueryConverter(self.session, self.text)
