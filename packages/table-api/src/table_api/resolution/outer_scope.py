"""The scope of the enclosing query, and the outer references of a subquery."""

from __future__ import annotations

from table_api.operations import OuterReferenceExpression, QueryOperation, has_outer_references, map_outer_references
from table_api.operations.subquery import name_of_reference
from table_api.resolution.scope import Scope
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field


@dataclass
class OuterScope:
    """The scope of the enclosing query, for one subquery.

    ``scope`` has the columns of the outer row, ``parent`` is the outer scope of the outer query itself. ``arguments`` collects the
    expressions over the outer row that the subquery uses, by the numbers of its references.
    """

    scope: Scope
    parent: OuterScope | None = None
    arguments: dict[ResolvedExpression, int] = field(default_factory=dict)

    def resolve(self, path: tuple[str, ...]) -> tuple[ResolvedExpression, tuple[str, ...]] | None:
        """Returns the argument for a name, and the rest of the name (nested fields); None if no enclosing query has the name.

        Raises:
            ValidationException: more than one column has the name.
        """
        found = self.scope.find(path)
        if found is None and self.parent is not None:
            found = self.parent.resolve(path)
        return None if found is None else (self.argument(found[0]), found[1])

    def argument(self, expression: ResolvedExpression) -> OuterReferenceExpression:
        """Returns the reference of the subquery to an expression over the outer row."""
        position = self.arguments.setdefault(expression, len(self.arguments))
        name = name_of_reference(expression, f"$arg{position}")
        return OuterReferenceExpression(name, expression.output_type, position)

    def hidden(self) -> OuterScope:
        """Returns the scope for a subquery that may not use the columns of this row, only those of its enclosing queries."""
        return OuterScope(Scope(), self.parent, self.arguments)

    def lift(self, query: QueryOperation, defined_in: OuterScope | None) -> QueryOperation:
        """Returns a WITH query of an enclosing query for use in this subquery, with its outer references passed on."""
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
