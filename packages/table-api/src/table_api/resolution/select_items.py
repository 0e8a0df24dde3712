"""The items of SELECT: expansion of ``*``, and references to aliases in GROUP BY."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.expressions.column_selection import Flattened
from table_api.expressions.unresolved import Alias, Call, Literal, Reference, Span, Star, TypeLiteral, UnresolvedExpression
from table_api.resolution.aggregate_expression import AggregateExpression, contains_aggregate
from table_api.resolution.group_window import is_window_property
from table_api.resolution.grouping_sets import ExpandedGroupBy, expand_grouping_sets
from table_api.resolution.resolver import ExpressionResolver
from table_api.resolution.unique_names import unique_names
from table_api.resolution.written_names import ambiguous_column
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import ResolvedExpression
from table_common.functions.builtin import collections, conversion
from table_common.tree import preorder, transform_up
from table_common.types import RowType, StructuredType

MAX_STAR_COLUMNS = 10_000
"""The most columns of a SELECT with ``*``: a thousand stars over a thousand columns would be a million."""
SelectItem = tuple[ResolvedExpression, str | None]


def expand_select_items(
    resolver: ExpressionResolver,
    projection: Sequence[UnresolvedExpression],
    position_of: Callable[[Span | None], SourcePosition | None],
    *,
    numbers_columns: bool = False,
) -> list[SelectItem]:
    """Returns the columns with their aliases; None for a column without alias.

    With ``numbers_columns``, repeated names among the columns of ``*`` get numbers, as in SQL; aliases stay unchanged.

    Raises:
        ValidationException: a name is unknown, or ``*`` is used without FROM.
    """
    items: list[SelectItem] = []
    for expression in projection:
        if isinstance(expression, Star):
            columns = _columns(resolver, expression, position_of(expression.span))
            if len(items) + len(columns) > MAX_STAR_COLUMNS:
                raise ValidationException(
                    f"A SELECT with '*' may have at most {MAX_STAR_COLUMNS:,} columns.", position=position_of(expression.span)
                )
            if numbers_columns:
                before = [name or "" for _, name in items]
                names = unique_names([*before, *(name or "" for _, name in columns)])
                columns = [(column, name) for (column, _), name in zip(columns, names[len(before) :], strict=True)]
            items += columns
        elif isinstance(expression, Flattened):
            items += _fields(resolver, expression.expression)
        elif isinstance(expression, Alias):
            if expression.extra_names:
                raise ValidationException(
                    "Only a table or a table function can have several aliases.", position=position_of(expression.span)
                )
            items.append((resolver.resolve(expression.expression), expression.name))
        else:
            name = expression.path[-1] if isinstance(expression, Reference) else None
            if name is None:
                name = _derived_name(expression) if resolver.text is None else _keyword_name(expression, resolver.text)
            items.append((resolver.resolve(expression), name))
    return items


def _keyword_name(tree: UnresolvedExpression, text: str) -> str | None:
    """Returns the name of a function that is called without parentheses, as it is written: ``current_date``; None for others."""
    if not isinstance(tree, Call) or tree.args or tree.span is None or tree.span != tree.name_span:
        return None
    return text[tree.span.start : tree.span.end]


def _derived_name(tree: UnresolvedExpression) -> str | None:
    """Returns the name that a field of a row, ``r$x``, and a cast of a column, ``a-STRING``, have in the Table API; None for others."""
    if isinstance(tree, Reference):
        return None if tree.path[-1].startswith("$") else tree.path[-1]  # "$w.start" is a property of a window
    if not isinstance(tree, Call) or tree.function not in (collections.GET, conversion.CAST):
        return None
    if tree.function is conversion.CAST and isinstance(tree.args[0], Call) and tree.args[0].function is conversion.CAST:
        return None  # of a cast of a cast
    name, argument = _derived_name(tree.args[0]), tree.args[1]
    if name is None:
        return None
    if isinstance(argument, TypeLiteral):
        return f"{name}-{argument.type}"
    field = argument.value if isinstance(argument, Literal) else None
    return f"{name}$_{field}" if isinstance(field, int) else f"{name}${field}"


def _fields(resolver: ExpressionResolver, tree: UnresolvedExpression) -> list[SelectItem]:
    row = resolver.resolve(tree)
    name = tree.path[-1] if isinstance(tree, Reference) else None
    if not isinstance(row.output_type, (RowType, StructuredType)):
        return [(row, name)]
    from table_api.resolution.field_access import field_of  # few queries need it

    return [(field_of(row, field), None if name is None else f"{name}${field}") for field in row.output_type.field_names]


def names_of_table_api(items: Sequence[SelectItem]) -> list[str]:
    """Returns the names of the columns of ``Table.select`` that have no alias.

    Aggregates and properties of windows are named EXPR$<number>, other expressions _c<position>. The numbers count different aggregates and properties in the order in which they occur, also inside of other expressions.
    """
    numbers: dict[ResolvedExpression, int] = {}
    for expression, _ in items:
        for node in preorder(expression, ResolvedExpression):
            if isinstance(node, AggregateExpression) or is_window_property(node):
                numbers.setdefault(node, len(numbers))
    names: list[str] = []
    for position, (expression, name) in enumerate(items):
        numbered = f"EXPR${numbers[expression]}" if expression in numbers else f"_c{position}"
        names.append(name if name is not None else f"_c{position}" if numbered in names else numbered)
    return names


def _columns(resolver: ExpressionResolver, star: Star, position: SourcePosition | None) -> list[SelectItem]:
    if not star.qualifier and not resolver.scope.relations:
        raise ValidationException("'*' needs a FROM clause, but there is none.", position=position)
    columns = resolver.scope.columns_of(star.qualifier, position) if star.qualifier else resolver.scope.star_columns()
    names = [name for name, _ in columns]
    for excluded in star.excluded:
        if excluded not in names:
            raise ValidationException.unknown("Column", excluded, names, where="EXCEPT", position=position)
    kept: list[SelectItem] = [(column, name) for name, column in columns if name not in star.excluded]
    if not kept:
        raise ValidationException("EXCEPT excludes all columns.", position=position)
    return kept


def over_aliases(
    expression: UnresolvedExpression,
    projection: Sequence[UnresolvedExpression],
    position_of: Callable[[Span | None], SourcePosition | None],
) -> UnresolvedExpression:
    """Returns the expression with aliases of SELECT replaced by their expressions.

    Raises:
        ValidationException: two expressions have the alias.
    """
    aliases: dict[str, dict[int, UnresolvedExpression]] = {}
    for number, item in enumerate(projection, 1):
        if isinstance(item, Alias) and not item.extra_names:
            aliases.setdefault(item.name, {})[number] = item.expression
    if not aliases:
        return expression

    def change(node: UnresolvedExpression) -> UnresolvedExpression:
        if not isinstance(node, Reference) or len(node.path) != 1 or node.path[0] not in aliases:
            return node
        named = aliases[node.path[0]]
        first, *others = named.values()
        if any(other != first for other in others):
            raise ambiguous_column(node.path[0], list(named), "the query", position_of(node.span))
        return first

    return transform_up(expression, UnresolvedExpression, change)


def over_aliases_of_keys(
    projection: Sequence[UnresolvedExpression], group_by: Sequence[UnresolvedExpression], columns: Sequence[str]
) -> list[UnresolvedExpression]:
    """Returns the items of ``select`` with aliases of the Table API's ``group_by`` replaced by their expressions; an item that is such an
    alias keeps it as its name. A column of the input with that name comes first.

    Raises:
        ValidationException: two expressions have the alias.
    """
    keys = [key for key in group_by if isinstance(key, Alias) and key.name not in columns]
    if not keys:
        return list(projection)
    names = {(key.name,) for key in keys}
    return [
        Alias(over_aliases(item, keys, lambda _: None), item.path[0])
        if isinstance(item, Reference) and item.path in names
        else over_aliases(item, keys, lambda _: None)
        for item in projection
    ]


def is_group_by_all(group_by: Sequence[UnresolvedExpression] | None) -> bool:
    """Returns whether the items of GROUP BY are ``ALL``."""
    return group_by is not None and len(group_by) == 1 and isinstance(group_by[0], Star)


def resolve_group_by(
    group_by: Sequence[UnresolvedExpression], resolver: ExpressionResolver, items: Sequence[SelectItem]
) -> ExpandedGroupBy:
    """Returns the expressions of GROUP BY, each once, and its grouping sets.

    Extensions: a name that is not a column of FROM may be an alias of SELECT, a number is the position of an item of SELECT (of one without
    aggregates: other numbers are constants), and ALL (``Star`` here) means all items of SELECT without aggregates.

    Raises:
        ValidationException: a name is unknown, or there would be more than 4096 sets.
    """
    if is_group_by_all(group_by):
        keys = list(dict.fromkeys(expression for expression, _ in items if not contains_aggregate([expression])))
        return ExpandedGroupBy(keys, None, (1,))

    def resolve(item: UnresolvedExpression) -> ResolvedExpression:
        if isinstance(item, Reference) and len(item.path) == 1 and resolver.scope.find(item.path) is None:
            named = [expression for expression, name in items if name == item.path[0]]
            if len(named) == 1 and not contains_aggregate(named):
                return named[0]
        if resolver.text is not None and isinstance(item, Literal) and type(item.value) is int and 1 <= item.value <= len(items):
            # Differs from Flink: a number in GROUP BY is the position of an item of SELECT. In Flink it is a constant.
            numbered = items[item.value - 1][0]
            if not contains_aggregate([numbered]):
                return numbered
        return resolver.resolve(item)

    return expand_grouping_sets(group_by, resolve)
