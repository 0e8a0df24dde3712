"""The entry point of SQL printing, and the printer shared by the handlers of nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.operations.operation import QueryOperation
from table_api.operations.query.external import ExternalQueryOperation
from table_api.operations.sql_text.block import Block, Cell, Column, Stage, unique
from table_api.operations.sql_text.shared_parts import shared_parts
from table_common.exceptions import ValidationException
from table_common.functions import FunctionDefinition
from table_common.tree import TypeDispatch, deep_recursion
from table_common.types import quote_identifier

FunctionNames = Callable[[FunctionDefinition], str | None]
"""Gives the SQL name under which a user's function is registered; None if it is not."""

write: TypeDispatch[[SqlPrinter], Block] = TypeDispatch("The SQL printer", package="table_api.operations.sql_text")
"""Node class to its writer ``(node, printer) -> Block``."""


def query_text(query: QueryOperation, functions: FunctionNames = lambda function: None) -> str:
    """Returns a query as SQL; names of tables, views and functions are full, so that it means the same in every session.

    ``functions`` gives the names of users' functions.

    Raises:
        ValidationException: the query holds what SQL cannot name: an engine's own rows, rows of the program, a function without a name.
    """
    with deep_recursion():
        printer = SqlPrinter(functions, parts=_Parts(shared_parts(query)))
        text = printer.query(query).render()
        return printer.with_clause() + text


def refusal(reason: str, hint: str) -> ValidationException:
    """Returns the error for a query that SQL text cannot express."""
    return ValidationException(f"The query cannot be written as SQL: {reason}", hint=hint)


class _Parts:
    """The operations of a statement that are named in WITH, by identity, and the name, columns and text of those written so far."""

    __slots__ = ("shared", "written")

    def __init__(self, shared: frozenset[int] = frozenset()) -> None:
        self.shared = shared
        self.written: dict[int, tuple[str, tuple[str, ...], str]] = {}


def _columns(alias: str, names: Sequence[str]) -> tuple[Column, ...]:
    """Returns the columns of a query in FROM."""
    return tuple(
        Column(f"{quote_identifier(alias)}.{quote_identifier(inner)}", name, own_name=inner)
        for inner, name in zip(unique(names), names, strict=True)
    )


class SqlPrinter:
    """Writes one statement; aliases of tables differ in all of it, so that an inner query may use columns of an outer one.

    ``outer`` are the texts of the arguments that an inner query is given of the row around it.
    """

    def __init__(
        self, functions: FunctionNames, outer: Sequence[str] = (), taken: set[str] | None = None, parts: _Parts | None = None
    ) -> None:
        self.functions = functions
        self.outer = tuple(outer)
        self._taken = taken if taken is not None else set()
        self._parts = parts if parts is not None else _Parts()

    def inside(self, outer: Sequence[str]) -> SqlPrinter:
        """Returns the printer for a query that is nested in an expression or LATERAL."""
        return SqlPrinter(self.functions, outer, self._taken, self._parts)

    def query(self, node: QueryOperation) -> Block:
        """Returns the block of a node.

        Raises:
            ValidationException: SQL text cannot express the node.
        """
        if isinstance(node, ExternalQueryOperation):
            raise refusal(
                f"it reads {node.summary_name}, whose rows exist only in this program.",
                "create_temporary_view, or write the rows into a table and create a view of it",
            )
        if write.missing([type(node)]):
            raise refusal(f"there is no SQL for {node.summary_name}.", "create_temporary_view")
        if id(node) not in self._parts.shared:
            return write(node, self)
        part = self._parts.written.get(id(node))
        if part is None:
            block = write(node, self)
            part = self._parts.written[id(node)] = (quote_identifier(self.alias("shared")), block.names, block.render())
        name, names, _ = part
        alias = self.alias("q")
        return Block(_columns(alias, names), f"{name} AS {quote_identifier(alias)}", alias=alias)

    def with_clause(self) -> str:
        """Returns WITH and the named parts, each after those that it uses; empty if there are none."""
        parts = ",\n".join(f"{name} AS (\n{text}\n)" for name, _, text in self._parts.written.values())
        return f"WITH {parts}\n" if parts else ""

    def alias(self, name: str) -> str:
        """Returns the name, or one made of it, which no other table of the statement has."""
        final, number = name, 0
        while final in self._taken:
            final, number = f"{name}_{number}", number + 1
        self._taken.add(final)
        return final

    def relation(self, block: Block) -> Block:
        """Returns the block as what can stand in FROM and be filtered: itself, or a query in parentheses with an alias."""
        if block.stage is Stage.FROM and not block.body and block.source and block.all_are(Cell.REFERENCE):
            return block
        alias = self.alias("q")
        return Block(_columns(alias, block.names), f"(\n{block.render()}\n) AS {quote_identifier(alias)}", alias=alias)

    def single(self, block: Block) -> Block:
        """Returns the block as one table of FROM: a join goes into a query of its own."""
        relation = self.relation(block)
        return relation if not relation.is_joined else self.relation(relation.with_columns(relation.columns, Stage.SELECT))

    def named(self, block: Block) -> Block:
        """Returns the block as one table of FROM whose alias a hint can name."""
        relation = self.single(block)
        return relation if relation.alias else self.relation(relation.with_columns(relation.columns, Stage.SELECT))

    def read(self, node: QueryOperation, *, last: Stage, cells: Sequence[Cell] = (Cell.REFERENCE,)) -> Block:
        """Returns the block of an input to which the next clause can be added; ``last`` is the latest that may be there already."""
        block = self.query(node)
        if block.stage <= last and not block.body and block.all_are(*cells):
            return block
        return self.relation(block)
