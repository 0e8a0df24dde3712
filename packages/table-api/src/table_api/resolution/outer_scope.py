"""The names of the row outside of a nested query, and what the query takes from that row."""

from __future__ import annotations

from table_api.operations import OuterReferenceExpression, QueryOperation, has_outer_references, map_outer_references
from table_api.resolution.scope import Scope
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, field

__all__ = ["OuterScope"]


@dataclass
class OuterScope:
    """What a nested query sees of the query around it; made for one nested query.

    ``scope`` are the columns of the outer row, ``parent`` what the outer query itself sees outside of it. ``arguments`` grows as names are
    found: the expressions over the outer row that the nested query uses, in the order of their numbers.
    """

    scope: Scope
    parent: OuterScope | None = None
    arguments: dict[ResolvedExpression, int] = field(default_factory=dict)

    def resolve(self, path: tuple[str, ...]) -> tuple[ResolvedExpression, tuple[str, ...]] | None:
        """Returns the argument that a name stands for, and the rest of the name; None if no query around has the name.

        Raises:
            ValidationException: more than one column has the name.
        """
        found = self.scope.find(path)
        if found is None and self.parent is not None:
            found = self.parent.resolve(path)
        return None if found is None else (self.argument(found[0]), found[1])

    def argument(self, expression: ResolvedExpression) -> OuterReferenceExpression:
        """Returns the reference by which the nested query uses an expression over the outer row."""
        position = self.arguments.setdefault(expression, len(self.arguments))
        name = expression.name if isinstance(expression, (FieldReferenceExpression, OuterReferenceExpression)) else f"$arg{position}"
        return OuterReferenceExpression(name, expression.output_type, position)

    def hidden(self) -> OuterScope:
        """Returns the view of a nested query that may not use the columns of this row, only what is outside of it."""
        return OuterScope(Scope(), self.parent, self.arguments)

    def lift(self, query: QueryOperation, defined_in: OuterScope | None) -> QueryOperation:
        """Returns a query of WITH that was defined in an enclosing query as one that may stand in this nested query."""
        if not has_outer_references(query):
            return query
        levels: list[OuterScope] = []
        level: OuterScope | None = self
        while level is not None and not level.is_same(defined_in):
            levels.append(level)
            level = level.parent
        for step in reversed(levels):
            query = map_outer_references(query, step.argument)
        return query

    def is_same(self, other: OuterScope | None) -> bool:
        """Returns whether references of queries in both scopes have the same numbers."""
        return other is not None and self.arguments is other.arguments
