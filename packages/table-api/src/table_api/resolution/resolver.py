"""Resolution of expressions: names become references to columns, calls and constants get types.

Expressions are resolved bottom-up without recursion, so Python's stack does not limit their depth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from table_api.delegation import Session
from table_api.expressions.column_selection import Flattened
from table_api.expressions.unresolved import (
    Alias,
    Call,
    Literal,
    NamedArgument,
    Over,
    OverWindowSpec,
    QueryArgument,
    Reference,
    ResolvedLeaf,
    SortKey,
    Span,
    Star,
    Subquery,
    Symbol,
    TypeLiteral,
    UnresolvedExpression,
)
from table_api.operations import SortOrder
from table_api.resolution.calls import ResolvedNamedArgument, definition_of, refuse_json, resolve_call
from table_api.resolution.casting import cast_to
from table_api.resolution.outer_scope import OuterScope
from table_api.resolution.over.resolve import resolve_over, with_window_specs
from table_api.resolution.scope import Scope
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import CallExpression, ResolvedExpression, TypeLiteralExpression, ValueLiteralExpression, symbol_of
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import NILADIC, arithmetic, collections, conversion, strings, temporal, windows
from table_common.tree import TypeDispatch, fold, preorder
from table_common.types import CharType, RowType, SymbolType, VarCharType, is_rowtime, plain_timestamp

if TYPE_CHECKING:
    from table_api.resolution.subqueries import NestedQueries

_OF_PATTERNS = frozenset({windows.FIRST, windows.LAST, windows.PREV, windows.NEXT, windows.MATCH_ROWTIME, windows.MATCH_PROCTIME})
_TABLE_MISPLACED = "A table can only be used as an argument of a table function in FROM."
_resolve: TypeDispatch[[ExpressionResolver, Sequence[Any]], Any] = TypeDispatch("The resolver")


@dataclass
class ExpressionResolver:
    """Resolves expressions of one clause against one scope.

    ``text`` is the statement, for positions in errors; None for the Table API. ``aggregates_refused_in`` is the name
    of the clause, for the error, if aggregate calls are not allowed in it; None: they are allowed. ``is_global_aggregate`` says that there is no grouping. ``outer`` is the row
    around the query that the expression stands in, ``nested_queries`` converts a query that stands in the expression; ``windows`` are the
    windows that have names.
    """

    session: Session
    scope: Scope
    text: str | None = None
    aggregates_refused_in: str | None = None
    is_global_aggregate: bool = False
    outer: OuterScope | None = None
    nested_queries: NestedQueries | None = None
    windows: Mapping[str, OverWindowSpec] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._spans: dict[int, tuple[ResolvedExpression, Span]] = {}
        self._windowed: frozenset[int] = frozenset()

    def resolve(self, expression: UnresolvedExpression) -> ResolvedExpression:
        """Returns the expression with names and types.

        Raises:
            ValidationException: a name is unknown or ambiguous, or a function does not take its arguments; with the position.
        """
        result: ResolvedExpression
        if type(expression) is Literal:  # rows of VALUES are mostly these, and many
            result = _literal(expression, self, ())
            if expression.span is not None:
                self._spans[id(result)] = result, expression.span
            return result
        result = _value(self._fold(expression))
        try:
            refuse_json(result)
        except ValidationException as error:
            raise error.at(self.position(expression.span)) from None
        return result

    def resolve_order(self, key: SortKey) -> SortOrder:
        """Returns a sort key with its expression resolved."""
        result: SortOrder = self._fold(key)
        return result

    def _fold(self, expression: UnresolvedExpression) -> Any:
        expression, self._windowed = with_window_specs(expression, self.windows, self.position)
        try:
            return fold(expression, UnresolvedExpression, self._step)
        except ValidationException:
            self._check_calls_with_tables(expression)
            raise

    def _check_calls_with_tables(self, expression: UnresolvedExpression) -> None:
        """Checks the functions that are called with a table: arguments are resolved first, and their errors mean little if it is missing.

        Raises:
            ValidationException: a function does not exist, or takes no table.
        """
        for call in preorder(expression, UnresolvedExpression):
            values = [arg.value if isinstance(arg, NamedArgument) else arg for arg in call.args] if isinstance(call, Call) else ()
            table = next((value for value in values if isinstance(value, QueryArgument)), None)
            if table is None:
                continue
            assert isinstance(call, Call)
            definition_of(self.session, call.function, self.position(call.name_span or call.span))
            raise ValidationException(_TABLE_MISPLACED, position=self.position(table.span)) from None

    def has_window(self, call: Call) -> bool:
        """Returns whether the call being resolved has an OVER window."""
        return id(call) in self._windowed

    def position_of(self, expression: ResolvedExpression) -> SourcePosition | None:
        """Returns the position in the statement of an expression that this resolver returned."""
        entry = self._spans.get(id(expression))
        return self.position(entry[1]) if entry is not None else None

    def position(self, span: Span | None) -> SourcePosition | None:
        """Returns the position of a span, or None without a statement."""
        return SourcePosition.of_offset(self.text, span.start, span.end) if self.text is not None and span is not None else None

    def _step(self, node: UnresolvedExpression, children: Sequence[Any]) -> Any:
        try:
            result = _resolve(node, self, children)
        except (ValidationException, TableException) as error:
            raise error.at(self.position(node.span)) from error.__cause__
        if isinstance(result, ResolvedExpression) and node.span is not None:
            self._spans.setdefault(id(result), (result, node.span))
        return result


@_resolve.register(Reference)
def _reference(node: Reference, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    position = resolver.position(node.span)
    found = resolver.scope.find(node.path, position)
    if found is None and resolver.outer is not None:
        found = resolver.outer.resolve(node.path)
    if found is None and len(node.path) == 1 and node.path[0].upper() in NILADIC:
        return resolve_call(resolver.session, node.path, [])
    column, fields = found if found is not None else resolver.scope.resolve(node.path, position)
    for name in fields:
        from table_api.resolution.field_access import field_of  # few queries need it

        column = field_of(column, name)
    return column


@_resolve.register(Literal)
def _literal(node: Literal, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    return ValueLiteralExpression(node.value, node.type)


@_resolve.register(TypeLiteral)
def _type_literal(node: TypeLiteral, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    return TypeLiteralExpression(node.type)


@_resolve.register(Symbol)
def _symbol(node: Symbol, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    return ValueLiteralExpression(symbol_of(node.name), SymbolType(nullable=False))


@_resolve.register(ResolvedLeaf)
def _resolved(node: ResolvedLeaf, resolver: ExpressionResolver, children: Sequence[Any]) -> Any:
    return node.expression


@_resolve.register(Flattened)
def _flattened(node: Flattened, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    raise ValidationException("flatten makes columns in select alone.", hint="col('r').get('field') is one field of a row")


@_resolve.register(SortKey)
def _sort_key(node: SortKey, resolver: ExpressionResolver, children: Sequence[Any]) -> SortOrder:
    nulls_first = node.ascending if node.nulls_first is None else node.nulls_first
    return SortOrder(_value(children[0]), node.ascending, nulls_first)


def _value(result: ResolvedExpression | SortOrder) -> ResolvedExpression:
    if isinstance(result, SortOrder):
        raise ValidationException(f"'{result}' is a sort key, not a value.", hint="asc and desc come last, in order_by: col('a').desc")
    return result


@_resolve.register(NamedArgument)
def _named_argument(node: NamedArgument, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedNamedArgument:
    return ResolvedNamedArgument(node.name, children[0])


@_resolve.register(Call)
def _call(node: Call, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    args, remaining = children[: len(node.args)], iter(children[len(node.args) :])
    condition = next(remaining) if node.filter is not None else None
    for argument in args:
        _value(argument)
    order_by = tuple(next(remaining) for _ in (*node.order_by, *node.within_group))
    function: FunctionDefinition | tuple[str, ...] = node.function
    if function is arithmetic.PLUS and resolver.text is None and any(map(_is_text, args)):
        function = strings.CONCAT  # only the Table API joins texts with +
        args = [arg if _is_text(arg) else cast_to(arg, VarCharType()) for arg in args]
    result = resolve_call(
        resolver.session,
        function,
        args,
        position=resolver.position(node.name_span or node.span),
        distinct=node.distinct,
        condition=condition,
        order_by=order_by,
        star=node.star,
        aggregates_refused_in=resolver.aggregates_refused_in,
        is_global_aggregate=resolver.is_global_aggregate,
        has_window=resolver.has_window(node),
    )
    if isinstance(result, CallExpression) and result.function in _OF_PATTERNS and not resolver.scope.has_pattern:
        raise ValidationException(f"The function {result.function.name} can only be used in MATCH_RECOGNIZE.")
    if isinstance(result, CallExpression) and result.function is temporal.CURRENT_WATERMARK and resolver.session.is_streaming_mode:
        _check_rowtime(result.args[0])
    if isinstance(result, CallExpression) and result.function is collections.ROW and resolver.text is None:
        named = [(f"f{position}", argument.output_type) for position, argument in enumerate(result.args)]  # so the Table API names them
        return replace(result, output_type=RowType.of(named, nullable=False))
    return result


def _is_text(argument: ResolvedExpression | ResolvedNamedArgument) -> bool:
    return isinstance(argument, ResolvedExpression) and isinstance(argument.output_type, (CharType, VarCharType))


def _check_rowtime(argument: ResolvedExpression) -> None:
    """Checks that CURRENT_WATERMARK is called for an event time, or an expression over one.

    Raises:
        ValidationException: it is not.
    """
    is_cast = isinstance(argument, CallExpression) and argument.function is conversion.CAST
    if is_cast or not any(is_rowtime(part.output_type) for part in preorder(argument, ResolvedExpression)):
        raise ValidationException(
            f"CURRENT_WATERMARK takes a column with event time, but {argument} is {plain_timestamp(argument.output_type)} without event time.",
            hint="call it for the column of the WATERMARK, below an aggregate or a CAST, which take the event time from it",
        )


@_resolve.register(Alias)
def _alias(node: Alias, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    if node.extra_names:
        raise ValidationException("Only a table or a table function can have several aliases.", position=resolver.position(node.span))
    return _value(children[0])  # inside an expression, which only the Table API can write, it means nothing, as in Flink


@_resolve.register(Star)
def _star(node: Star, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    raise ValidationException("'*' cannot be used here: it stands for all columns of SELECT, or for all rows in COUNT(*).")


@_resolve.register(Over)
def _over(node: Over, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    ignore_nulls = node.call.ignore_nulls if isinstance(node.call, Call) else None
    return resolve_over(
        node,
        children,
        constant_value=lambda offset: resolver.session.planner.expressions.constant_value(offset),
        ignore_nulls=ignore_nulls,
        position=resolver.position(node.span),
    )


@_resolve.register(Subquery)
def _subquery(node: Subquery, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    outer = OuterScope(resolver.scope, resolver.outer)
    from table_api.resolution.subqueries import resolve_subquery  # few queries need it

    return resolve_subquery(node, children[0] if children else None, outer, resolver.nested_queries)


@_resolve.register(QueryArgument)
def _query_argument(node: QueryArgument, resolver: ExpressionResolver, children: Sequence[Any]) -> ResolvedExpression:
    raise ValidationException(_TABLE_MISPLACED)


def as_boolean(expression: ResolvedExpression, clause: str, position: SourcePosition | None) -> ResolvedExpression:
    """Returns a condition; a NULL literal gets type BOOLEAN.

    Raises:
        ValidationException: the expression is of another type.
    """
    from table_common.types import BooleanType, NullType

    if isinstance(expression.output_type, NullType):
        return cast_to(expression, BooleanType())
    if not isinstance(expression.output_type, BooleanType):
        raise ValidationException.wrong_type(clause, expected="a BOOLEAN condition", got=expression.output_type, position=position)
    return expression
