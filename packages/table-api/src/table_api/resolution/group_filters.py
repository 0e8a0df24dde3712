"""HAVING and QUALIFY: conditions over groups and over the results of window functions."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import Alias, UnresolvedExpression
from table_api.resolution.over.expression import contains_window
from table_api.resolution.resolver import ExpressionResolver, as_boolean
from table_api.resolution.select_items import over_aliases
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression


def resolve_having(
    resolver: ExpressionResolver, condition: UnresolvedExpression, projection: Sequence[UnresolvedExpression] = ()
) -> ResolvedExpression:
    """Returns the condition of HAVING.

    Extension: a name that is not a column of FROM may be an alias of SELECT.

    Raises:
        ValidationException: it is no condition, or a window function is in it.
    """
    position = resolver.position(condition.span)
    aliases = [item for item in projection if isinstance(item, Alias) and not resolver.scope.has_column(item.name)]
    resolved = as_boolean(resolver.resolve(over_aliases(condition, aliases, resolver.position)), "HAVING", position)
    if contains_window([resolved]):
        raise ValidationException("A window function cannot be used in HAVING.", position=position, hint="filter with QUALIFY")
    return resolved


def resolve_qualify(
    resolver: ExpressionResolver, condition: UnresolvedExpression, projection: Sequence[UnresolvedExpression]
) -> ResolvedExpression:
    """Returns the condition of QUALIFY; aliases of SELECT stand for their expressions.

    Raises:
        ValidationException: it is no condition, or there is no window function in it.
    """
    position = resolver.position(condition.span)
    resolved = as_boolean(resolver.resolve(over_aliases(condition, projection, resolver.position)), "QUALIFY", position)
    if not contains_window([resolved]):
        raise ValidationException("QUALIFY needs at least one window function.", position=position, hint="filter with WHERE or HAVING")
    return resolved
