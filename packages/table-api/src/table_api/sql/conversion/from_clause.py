"""Converts table references to operations, with the scope of their columns."""

from __future__ import annotations

from decimal import Decimal

from table_api.delegation.session import FunctionLookup
from table_api.expressions.unresolved import Call, Literal, ResolvedLeaf, UnresolvedExpression
from table_api.operations import JoinType, QueryOperation
from table_api.resolution.outer_scope import OuterScope
from table_api.resolution.scope import MergedColumn, Scope
from table_api.sql.ast import (
    FileRef,
    JoinKind,
    JoinRef,
    LateralRef,
    MatchRecognizeRef,
    ParenthesizedRef,
    PivotRef,
    QueryNode,
    SampledRef,
    TableFunctionRef,
    TableNameRef,
    TableRef,
    UnnestRef,
    UnpivotRef,
)
from table_api.sql.conversion.query_context import FromClause, Scoped, convert_reference
from table_api.sql.conversion.table_options import columns_outside_star, table_options
from table_common.exceptions import TableException, ValidationException
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import comparison, logic
from table_common.tree import require_plan_depth
from table_common.types import DoubleType, IntType

_JOIN_TYPES = {
    JoinKind.INNER: JoinType.INNER,
    JoinKind.LEFT: JoinType.LEFT_OUTER,
    JoinKind.RIGHT: JoinType.RIGHT_OUTER,
    JoinKind.FULL: JoinType.FULL_OUTER,
    JoinKind.CROSS: JoinType.INNER,
    JoinKind.SEMI: JoinType.SEMI,
    JoinKind.ANTI: JoinType.ANTI,
}


@convert_reference.register(TableNameRef)
def _table_name(node: TableNameRef, clause: FromClause) -> Scoped:
    converter = clause.converter
    if node.as_of is not None:
        from table_api.sql.conversion.temporal_join import refuse_time_travel

        refuse_time_travel(clause, node)
    cte = converter.cte(node.path[0]) if len(node.path) == 1 else None
    if cte is not None:
        return clause.named(node, cte, node.path)
    options = table_options(node.hints, converter.session.configuration, converter.position)
    operation, path = converter.builder.scan(node.path, node.path_span or node.span, options)
    if node.path_span is not None:
        converter.table_names.append((node.path_span, converter.session.tables.qualify(node.path)))
    operation, scope = clause.named(node, operation, path)
    return operation, scope.without_in_star(columns_outside_star(operation, converter.session.configuration))


@convert_reference.register(SampledRef)
def _sampled(node: SampledRef, clause: FromClause) -> Scoped:
    """Keeps each row with the given probability, for both methods: SYSTEM sampling by blocks is not possible for every table."""
    operation, scope = clause.reference(node.table)
    number = node.percentage.value if isinstance(node.percentage, Literal) else None
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal) or not 0 <= number <= 100:
        position = clause.converter.position(node.percentage.span)
        raise ValidationException("TABLESAMPLE needs a percentage, a number from 0 to 100.", position=position)
    share = Literal(float(number) / 100, DoubleType(nullable=False))
    seed = () if node.seed is None else (Literal(node.seed, IntType(nullable=False)),)
    from table_common.functions.builtin import math  # few tables are sampled

    drawn = Call(comparison.LESS_THAN, (Call(math.RAND, seed), share))
    return clause.converter.builder.filter(operation, drawn, scope), scope


@convert_reference.register(ParenthesizedRef)
def _parenthesized(node: ParenthesizedRef, clause: FromClause) -> Scoped:
    if isinstance(node.query, QueryNode):
        inner = clause.converter.nested()
        return clause.named(node, inner.convert(node.query), ())
    operation, scope = clause.reference(node.query)
    if node.alias is None:
        return operation, scope
    return clause.named(node, operation, ())


@convert_reference.register(LateralRef)
def _lateral(node: LateralRef, clause: FromClause) -> Scoped:
    from table_api.sql.conversion.lateral import lateral_query  # few queries have LATERAL

    return lateral_query(clause, node)


@convert_reference.register(TableFunctionRef)
def _table_function(node: TableFunctionRef, clause: FromClause) -> Scoped:
    from table_api.sql.conversion.window_table_function import (
        change_function_name,
        file_function,
        is_prediction,
        process_function,
        window_function,
        window_table_function,
    )

    kind = window_function(node)
    if kind is not None:
        return window_table_function(clause, node, kind)
    name = change_function_name(node)
    if name is not None:
        from table_api.sql.conversion.change_function import convert_change_function

        return convert_change_function(clause, node, name)
    functions = clause.converter.session.functions
    format_ = file_function(node, functions)
    if format_ is not None:
        from table_api.sql.conversion.file_function import convert_file_function

        return convert_file_function(clause, node, format_)
    if is_prediction(node, functions):
        from table_api.sql.conversion.model_prediction import convert_prediction

        return convert_prediction(clause, node)
    function = process_function(node, functions)
    if function is not None:
        from table_api.sql.conversion.process_table_function import convert_process_table_function

        return convert_process_table_function(clause, node, function)
    from table_api.sql.conversion.lateral import unnest_alone, unnest_of  # few queries have LATERAL

    unnest = unnest_of(node, functions)
    assert unnest is not None
    return unnest_alone(clause, unnest)


@convert_reference.register(FileRef)
def _file(node: FileRef, clause: FromClause) -> Scoped:
    from table_api.sql.conversion.file_function import scan_files

    return scan_files(clause, node, None, node.path, {})


@convert_reference.register(UnnestRef)
def _unnest(node: UnnestRef, clause: FromClause) -> Scoped:
    from table_api.sql.conversion.lateral import unnest_alone  # few queries have LATERAL

    return unnest_alone(clause, node)


@convert_reference.register(MatchRecognizeRef)
def _match_recognize(node: MatchRecognizeRef, clause: FromClause) -> Scoped:
    from table_api.sql.conversion.match_recognize import match_recognize

    return match_recognize(clause, node)


@convert_reference.register(PivotRef)
def _pivot(node: PivotRef, clause: FromClause) -> Scoped:
    from table_api.sql.conversion.pivot import pivot

    return pivot(clause, node)


@convert_reference.register(UnpivotRef)
def _unpivot(node: UnpivotRef, clause: FromClause) -> Scoped:
    from table_api.sql.conversion.pivot import unpivot

    return unpivot(clause, node)


@convert_reference.register(JoinRef)
def _join(node: JoinRef, clause: FromClause) -> Scoped:
    # Thousands of joins nest on their left side only: recursion through the dispatch would exhaust the C stack.
    chain = [node]
    while isinstance(left := chain[-1].left, JoinRef):
        chain.append(left)
    require_plan_depth(len(chain))
    joined = clause.reference(left)
    for one in reversed(chain):
        try:
            joined = _joined(one, clause, *joined)
        except (ValidationException, TableException) as error:
            raise error.at(clause.converter.position(one.span)) from error.__cause__
    return joined


def _joined(node: JoinRef, clause: FromClause, left: QueryOperation, left_scope: Scope) -> Scoped:
    join_type = _JOIN_TYPES[node.kind]
    outer: OuterScope | None = None
    temporal = node.right if isinstance(node.right, TableNameRef) and node.right.as_of is not None else None
    if temporal is not None:
        right, right_scope = clause.reference(replace(temporal, as_of=None))
    elif _has_lateral(node.right, clause.converter.session.functions):
        from table_api.sql.conversion.lateral import join_unnest, right_of  # few queries have LATERAL

        unnested = join_unnest(clause, node, left, left_scope, join_type)
        if unnested is not None:
            return unnested
        right, right_scope, outer = right_of(clause, node.right, left_scope)
    else:
        right, right_scope = clause.reference(node.right)
    _refuse_repeated_names(clause, node, left_scope, right_scope)
    condition, using, position = node.condition, node.using, clause.converter.position(node.span)
    if node.natural:
        right_names = set(right_scope.column_names())
        using = tuple(dict.fromkeys(name for name in left_scope.column_names() if name in right_names))
    if node.kind is not JoinKind.CROSS and condition is None and not using and not node.natural:
        raise ValidationException(
            f"A {node.kind.value} JOIN needs a condition.",
            position=position,
            hint="add ON or USING; CROSS JOIN pairs all rows",
        )
    pairs = [(left_scope.join_column(name, position), right_scope.join_column(name, position)) for name in using]
    if pairs:
        condition = _using_condition(pairs, left_scope, right_scope)
    if outer is not None and outer.arguments:
        from table_api.sql.conversion.lateral import correlate

        operation = correlate(clause, node, (left, left_scope), (right, right_scope, outer), join_type, condition)
    else:
        operation = clause.converter.builder.join_scoped(left, right, left_scope, right_scope, join_type, condition)
    if temporal is not None:
        from table_api.sql.conversion.temporal_join import temporal_join

        operation = temporal_join(clause, node, temporal, left_scope, operation)
    if clause.state_ttls is not None:
        operation = clause.state_ttls.on_join(operation, (node.left, node.right), (left_scope, right_scope))
    if clause.strategies:
        from table_api.sql.conversion.query_hints import with_strategies

        operation = with_strategies(operation, clause.strategies, (left_scope, right_scope))
    if join_type in (JoinType.SEMI, JoinType.ANTI):
        return operation, left_scope
    scope = left_scope.beside(right_scope).with_schema(operation.resolved_schema)
    merged = [_merged(scope, one, other.shifted(left_scope.width), join_type) for one, other in pairs]
    kept = tuple(m for m in scope.merged if m.name not in using)
    return operation, Scope(scope.relations, (*merged, *kept))


def _using_condition(pairs: list[tuple[MergedColumn, MergedColumn]], left: Scope, right: Scope) -> UnresolvedExpression:
    equals, and_ = comparison.EQUALS, logic.AND
    second = right.as_input(1)
    calls = tuple(
        Call(equals, (ResolvedLeaf(left.merged_value(a)), ResolvedLeaf(second.merged_value(replace(b, input_index=1))))) for a, b in pairs
    )
    return calls[0] if len(calls) == 1 else Call(and_, calls)


def _merged(joined: Scope, left: MergedColumn, right: MergedColumn, join_type: JoinType) -> MergedColumn:
    """Returns the column that USING merges from two: that of the side that is never NULL-extended, or the first that is not NULL."""
    sources = left.sources
    if join_type is JoinType.RIGHT_OUTER:
        sources = right.sources
    elif join_type is JoinType.FULL_OUTER:
        sources = (*left.sources, *right.sources)
    elif join_type is JoinType.INNER and joined.merged_value(right).output_type == joined.merged_value(left).output_type.not_null():
        sources = right.sources  # the values are equal, and here the type says that none is NULL
    return MergedColumn(left.name, sources, left.hidden | right.hidden)


def _refuse_repeated_names(clause: FromClause, node: JoinRef, left: Scope, right: Scope) -> None:
    names = [relation.path for relation in left.relations if relation.path]
    for relation in right.relations:
        if relation.path and relation.path in names:
            raise ValidationException(
                f"'{'.'.join(relation.path)}' is in FROM more than once.",
                position=clause.converter.position(node.right.span),
                hint="give it an alias",
            )


def _has_lateral(node: TableRef, functions: FunctionLookup) -> bool:
    """Returns whether a table reference contains LATERAL, UNNEST or a table function, which can use columns of the left side."""
    stack: list[TableRef] = [node]
    while stack:
        part = stack.pop()
        match part:
            case LateralRef() | UnnestRef():
                return True
            case TableFunctionRef():
                from table_api.sql.conversion.window_table_function import reads_table  # few queries have functions in FROM

                if not reads_table(part, functions):
                    return True
            case JoinRef():
                stack += [part.left, part.right]
            case ParenthesizedRef(query=TableRef() as inner):
                stack.append(inner)
            case _:
                pass
    return False
