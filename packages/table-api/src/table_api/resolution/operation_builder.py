"""Builds query operations from resolved inputs and unresolved expressions, for SQL and the Table API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from table_api.delegation import FoundTable, Session
from table_api.expressions.unresolved import Alias, Literal, NamedWindow, Reference, SortKey, Span, UnresolvedExpression
from table_api.operations import (
    ContextResolvedTable,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SortOrder,
    SortQueryOperation,
    SourceQueryOperation,
    ValuesQueryOperation,
)
from table_api.resolution.aggregate_expression import contains_aggregate
from table_api.resolution.casting import cast_all
from table_api.resolution.computed_columns import rows_of_table
from table_api.resolution.group_window import WindowedGroups, refuse_window_functions, with_group_window
from table_api.resolution.grouping import Grouping
from table_api.resolution.grouping_sets import has_no_keys
from table_api.resolution.outer_scope import OuterScope
from table_api.resolution.over.extract import extract_windows
from table_api.resolution.over.resolve import named_windows
from table_api.resolution.resolver import ExpressionResolver, as_boolean
from table_api.resolution.scope import Scope
from table_api.resolution.select_items import (
    SelectItem,
    expand_select_items,
    is_group_by_all,
    names_of_table_api,
    over_aliases,
    over_aliases_of_keys,
    resolve_group_by,
)
from table_api.resolution.set_operations import cast_columns, set_operation, type_of_values
from table_api.resolution.shared_columns import check_shared_columns
from table_api.resolution.sorted_projection import distinct_rows, has_only_references, positional, project_and_sort, references_to
from table_api.resolution.unique_names import repeated_names, unique_names
from table_api.resolution.written_names import WrittenNames, output_named
from table_common.catalog import ResolvedSchema
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.types import LogicalType

if TYPE_CHECKING:
    from table_api.resolution.subqueries import NestedQueries


class OperationBuilder:
    """Builds operations for one query; ``text`` is the statement's SQL, for positions in errors, or None for the Table API.

    ``outer`` is the scope of the enclosing query; ``nested_queries`` converts subqueries; ``written`` has the names of the columns of the
    statement's queries.
    """

    def __init__(
        self,
        session: Session,
        text: str | None = None,
        outer: OuterScope | None = None,
        nested_queries: NestedQueries | None = None,
        written: WrittenNames | None = None,
    ) -> None:
        self.session = session
        self.text = text
        self.outer = outer
        self.nested_queries = nested_queries
        self.written = written if written is not None else WrittenNames()

    # --- leaves -------------------------------------------------------------------------------------------------------------------

    def from_path(self, path: tuple[str, ...]) -> QueryOperation:
        """Returns the operation that reads a table or view."""
        return self.scan(path)[0]

    def scan(
        self, path: tuple[str, ...], span: Span | None = None, options: dict[str, str] | None = None
    ) -> tuple[QueryOperation, tuple[str, ...]]:
        """Returns the operation that reads a table or view, and its full name."""
        found = self.session.tables.find_table(path)
        if found is None:
            raise self.session.tables.table_not_found(path, self._position(span))
        if isinstance(found, FoundTable):
            table = ContextResolvedTable(found.identifier, found.table, found.is_temporary)
            self._require_columns(table, span)
            return self._rows(SourceQueryOperation(table, options or {})), found.identifier.parts
        if options:
            raise ValidationException(f"OPTIONS are not supported for the view {found.identifier}.", position=self._position(span))
        operation = found.operation if found.operation is not None else self.session.expand_view(found)
        if found.schema is not None and operation.resolved_schema.column_names != found.schema.column_names:
            operation = self.alias(operation, found.schema.column_names)
        return operation, found.identifier.parts

    def _require_columns(self, table: ContextResolvedTable, span: Span | None) -> None:
        if table.table.resolved_schema.columns:
            return
        options = table.table.options
        path = options.get("path") if options.get("connector") == "filesystem" else None
        where = f" at '{path}'" if path else ""
        raise ValidationException(
            f"Table {table.identifier.as_summary_string()} has no columns: none were declared, and none could be inferred{where} when it was created.",
            hint="Declare columns, or create the table again when its data exists." if path else "Declare columns.",
            position=self._position(span),
        )

    def scan_table(self, table: ContextResolvedTable) -> QueryOperation:
        """Returns the operation that reads a resolved table, such as an anonymous one."""
        return self._rows(SourceQueryOperation(table))

    def _rows(self, source: SourceQueryOperation) -> QueryOperation:
        # As in Flink, only streaming mode has event time.
        return rows_of_table(source, has_event_time=self.session.is_streaming_mode)

    def values(self, rows: Sequence[Sequence[UnresolvedExpression]], schema: ResolvedSchema | None = None) -> QueryOperation:
        """Returns VALUES; without a schema each column gets the common type of its values."""
        resolver = self.resolver(Scope(), aggregates_refused_in="VALUES")
        resolved = [[resolver.resolve(cell) for cell in row] for row in rows]
        width = len(resolved[0])
        for row, source in zip(resolved, rows, strict=True):
            if len(row) != width:
                raise ValidationException(
                    f"All rows of VALUES must have the same number of columns, but the first has {width} and another {len(row)}.",
                    position=self._position(source[0].span if source else None),
                )
        if schema is None:
            types = [type_of_values([row[i].output_type for row in resolved], f"column {i + 1} of VALUES") for i in range(width)]
            schema = ResolvedSchema.physical((f"EXPR${i}", t) for i, t in enumerate(types))
        elif len(schema.columns) != width:
            raise ValidationException(f"The schema has {len(schema.columns)} columns, but the rows have {width}.")
        columns = [cast_all([row[i] for row in resolved], column.data_type) for i, column in enumerate(schema.columns)]
        return ValuesQueryOperation(tuple(zip(*columns, strict=True)) if columns else ((),) * len(resolved), schema)

    # --- one input ----------------------------------------------------------------------------------------------------------------

    def project(self, child: QueryOperation, expressions: Sequence[UnresolvedExpression], scope: Scope | None = None) -> QueryOperation:
        """Returns the projection to the columns; with aggregates among them, all rows form one group."""
        return self.select(child, expressions, scope=scope)

    def filter(self, child: QueryOperation, predicate: UnresolvedExpression, scope: Scope | None = None) -> QueryOperation:
        """Returns the rows for which the predicate is true."""
        resolver = self._resolver(child, scope, aggregates_refused_in="WHERE")
        condition = as_boolean(resolver.resolve(predicate), "WHERE", self._position(predicate.span))
        refuse_window_functions([condition], resolver.position_of)
        return FilterQueryOperation(condition, child)

    def aggregate(
        self, child: QueryOperation, group_by: Sequence[UnresolvedExpression], projection: Sequence[UnresolvedExpression]
    ) -> QueryOperation:
        """Returns one row per group with the columns computed from grouping expressions, or their aliases, and aggregates."""
        return self.select(child, over_aliases_of_keys(projection, group_by, child.resolved_schema.column_names), group_by=group_by)

    def select(
        self,
        child: QueryOperation,
        projection: Sequence[UnresolvedExpression],
        *,
        scope: Scope | None = None,
        group_by: Sequence[UnresolvedExpression] | None = None,
        having: UnresolvedExpression | None = None,
        distinct: bool = False,
        order_by: Sequence[SortKey] = (),
        windows: Sequence[NamedWindow] = (),
        qualify: UnresolvedExpression | None = None,
    ) -> QueryOperation:
        """Returns ``SELECT [DISTINCT] projection … GROUP BY … HAVING … WINDOW … QUALIFY … ORDER BY`` over the child."""
        resolver = self._resolver(child, scope)
        resolver.is_global_aggregate = has_no_keys(group_by or ())
        resolver.windows = named_windows(windows)
        numbers = self.text is not None
        items = expand_select_items(resolver, projection, self._position, numbers_columns=numbers)
        if is_group_by_all(group_by) and all(contains_aggregate([item]) for item, _ in items):
            resolver.is_global_aggregate = True  # which changes the types of the aggregates
            items = expand_select_items(resolver, projection, self._position, numbers_columns=numbers)
        written = self._written(items)
        names = unique_names(written)
        outputs = [expression for expression, _ in items]
        orders = [self._order(resolver, key, written, outputs, projection) for key in order_by]
        expressions = [*outputs, *(order.expression for order in orders if isinstance(order, SortOrder))]
        from table_api.resolution.group_filters import resolve_having, resolve_qualify  # few queries need it

        if qualify is not None:
            expressions.append(resolve_qualify(resolver, qualify, projection))
        condition = resolve_having(resolver, having, projection) if having is not None else None
        if group_by is not None or condition is not None or contains_aggregate(expressions):
            group_resolver = self._resolver(child, scope, aggregates_refused_in="GROUP BY")
            groups = resolve_group_by(group_by or (), group_resolver, items)
            given = WindowedGroups(child, groups.keys, groups.sets, [*expressions, *([condition] if condition is not None else [])])
            windowed = with_group_window(self.session, given, lambda e: resolver.position_of(e) or group_resolver.position_of(e))
            condition = windowed.expressions.pop() if condition is not None else None
            grouping = Grouping(
                windowed.child,
                windowed.group_by,
                resolver.position_of,
                windowed.grouping_sets,
                groups.copies,
                group_by is not None or having is not None,
            )
            refuse_window_functions(windowed.expressions, resolver.position_of)
            child, expressions = grouping.group(windowed.expressions, condition)
        else:
            refuse_window_functions(expressions, resolver.position_of)
        child, expressions = extract_windows(child, expressions)
        if qualify is not None:
            child = FilterQueryOperation(expressions.pop(), child)
        outputs, keys = expressions[: len(outputs)], iter(expressions[len(outputs) :])
        orders = [replace(order, expression=next(keys)) if isinstance(order, SortOrder) else order for order in orders]
        return self.written.note(project_and_sort(child, outputs, names, orders, distinct), written)

    def sort(self, child: QueryOperation, keys: Sequence[SortKey]) -> QueryOperation:
        """Returns the rows in order; keys that are more than columns are computed, used and dropped."""
        resolver = self._resolver(child, None, aggregates_refused_in="ORDER BY")
        names = list(child.resolved_schema.column_names)
        outputs: list[ResolvedExpression] = list(references_to(child.resolved_schema))
        orders = [self._order(resolver, key, self.written.of(child), outputs) for key in keys]
        if all(not isinstance(order, SortOrder) or order.expression in outputs for order in orders):
            operation: QueryOperation = SortQueryOperation(positional(orders, outputs, names), child)
        else:
            operation = project_and_sort(child, outputs, names, orders, distinct=False)
        return self.written.carry(child, operation)

    def limit(self, child: QueryOperation, offset: int, fetch: int | None) -> QueryOperation:
        """Returns ``fetch`` rows (None: all) after skipping ``offset``; merged into an ORDER BY directly below."""
        return self.written.carry(child, self._limit(child, offset, fetch))

    def _limit(self, child: QueryOperation, offset: int, fetch: int | None) -> QueryOperation:
        if isinstance(child, ProjectQueryOperation) and isinstance(child.child, SortQueryOperation) and has_only_references(child):
            return replace(child, child=self._limit(child.child, offset, fetch))
        if isinstance(child, SortQueryOperation) and child.fetch is None and child.offset == 0:
            return replace(child, offset=offset, fetch=fetch)
        return SortQueryOperation((), child, offset, fetch)

    def distinct(self, child: QueryOperation) -> QueryOperation:
        """Returns the rows without duplicates."""
        return distinct_rows(child)

    def alias(self, child: QueryOperation, names: Sequence[str]) -> QueryOperation:
        """Returns the same columns under new names; missing names at the end keep theirs."""
        schema = child.resolved_schema
        if len(names) > len(schema.columns):
            raise ValidationException(
                f"{len(names)} names were specified, but there are {len(schema.columns)} columns: {', '.join(schema.column_names)}."
            )
        full = [*names, *schema.column_names[len(names) :]]
        self._refuse_duplicates(full)
        if isinstance(child, ValuesQueryOperation):
            return replace(child, schema=ResolvedSchema.physical(zip(full, schema.column_types, strict=True)))
        return ProjectQueryOperation(references_to(schema), tuple(full), child)

    def add_columns(
        self, child: QueryOperation, expressions: Sequence[UnresolvedExpression], replace_existing: bool = False
    ) -> QueryOperation:
        """Returns the child's columns and new ones; a new column with an existing name replaces that column or is an error."""
        resolver = self._resolver(child, None)
        schema = child.resolved_schema
        columns: list[tuple[ResolvedExpression, str]] = list(zip(references_to(schema), schema.column_names, strict=True))
        items = expand_select_items(resolver, expressions, self._position)
        for expression, name in items:
            final = name if name is not None else f"_c{len(columns)}"
            existing = next((i for i, (_, n) in enumerate(columns) if n == final), None)
            if existing is not None and replace_existing:
                columns[existing] = (expression, final)
            else:
                columns.append((expression, final))
        self._refuse_duplicates([name for _, name in columns])
        return ProjectQueryOperation(tuple(e for e, _ in columns), tuple(n for _, n in columns), child)

    def rename_columns(self, child: QueryOperation, expressions: Sequence[UnresolvedExpression]) -> QueryOperation:
        """Returns the child's columns with those of ``col(a).alias(b)`` renamed."""
        schema = child.resolved_schema
        names = list(schema.column_names)
        for expression in expressions:
            if not isinstance(expression, Alias) or not isinstance(expression.expression, Reference):
                raise ValidationException("rename_columns takes columns with an alias, such as col('a').alias('b').")
            names[schema.index_of(expression.expression.path[0])] = expression.name
        self._refuse_duplicates(names)
        return ProjectQueryOperation(references_to(schema), tuple(names), child)

    def drop_columns(self, child: QueryOperation, expressions: Sequence[UnresolvedExpression]) -> QueryOperation:
        """Returns the child's columns without those named."""
        schema = child.resolved_schema
        dropped = set()
        for expression in expressions:
            if not isinstance(expression, Reference):
                raise ValidationException("drop_columns takes columns, such as col('a').")
            dropped.add(schema.index_of(expression.path[0]))
        kept = [r for r in references_to(schema) if r.field_index not in dropped]
        if not kept:
            raise ValidationException("drop_columns cannot drop all columns.")
        return ProjectQueryOperation(tuple(kept), tuple(r.name for r in kept), child)

    # --- two inputs ---------------------------------------------------------------------------------------------------------------

    def join(
        self, left: QueryOperation, right: QueryOperation, join_type: JoinType, condition: UnresolvedExpression | None
    ) -> QueryOperation:
        """Returns the join of two tables of the Table API, whose column names must differ."""
        check_shared_columns(left.resolved_schema.column_names, right.resolved_schema.column_names)
        scopes = Scope.of(left.resolved_schema), Scope.of(right.resolved_schema)
        return self.join_scoped(left, right, scopes[0], scopes[1], join_type, condition)

    def join_scoped(
        self,
        left: QueryOperation,
        right: QueryOperation,
        left_scope: Scope,
        right_scope: Scope,
        join_type: JoinType,
        condition: UnresolvedExpression | None,
    ) -> QueryOperation:
        """Returns the join with a condition over the scopes of both sides."""
        if condition is None:
            return JoinQueryOperation(left, right, join_type, None)
        both = left_scope.with_right_input(right_scope)
        resolver = self.resolver(both, aggregates_refused_in="the condition of a join")
        resolved = as_boolean(resolver.resolve(condition), "ON", self._position(condition.span))
        return JoinQueryOperation(left, right, join_type, resolved)

    def set_operation(
        self, kind: SetOperationType, all_: bool, left: QueryOperation, right: QueryOperation, span: Span | None = None
    ) -> QueryOperation:
        """Returns UNION, INTERSECT or EXCEPT; both sides are cast to common types."""
        return set_operation(kind, all_, [left, right], [self._position(span)])

    def set_operations(
        self, kind: SetOperationType, all_: bool, inputs: Sequence[QueryOperation], spans: Sequence[Span | None]
    ) -> QueryOperation:
        """Returns a chain of one set operation; the spans are those of the first two inputs, the first three, and so on."""
        return self.written.carry(inputs[0], set_operation(kind, all_, inputs, list(map(self._position, spans))))

    def cast_columns(self, child: QueryOperation, types: Sequence[LogicalType], names: Sequence[str] | None = None) -> QueryOperation:
        """Returns the child with its columns cast, and perhaps renamed; the child itself if nothing changes."""
        return cast_columns(child, types, names)

    # --- parts --------------------------------------------------------------------------------------------------------------------

    def _resolver(self, child: QueryOperation, scope: Scope | None, aggregates_refused_in: str | None = None) -> ExpressionResolver:
        if scope is None:
            scope = Scope.of(child.resolved_schema, names=self.written.of(child))
        return self.resolver(scope, aggregates_refused_in)

    def resolver(self, scope: Scope, aggregates_refused_in: str | None = None) -> ExpressionResolver:
        """Returns a resolver of this query's expressions over the scope."""
        return ExpressionResolver(
            self.session, scope, self.text, aggregates_refused_in, outer=self.outer, nested_queries=self.nested_queries
        )

    def _position(self, span: Span | None) -> SourcePosition | None:
        return SourcePosition.of_offset(self.text, span.start, span.end) if self.text is not None and span is not None else None

    def _written(self, items: Sequence[SelectItem]) -> list[str]:
        """Names what has no name, as Flink does: EXPR$<position> in a statement; else as the Table API does, whose names must differ."""
        if self.text is not None:
            return [name if name is not None else f"EXPR${i}" for i, (_, name) in enumerate(items)]
        full = names_of_table_api(items)
        self._refuse_duplicates(full)
        return full

    def _refuse_duplicates(self, names: Sequence[str]) -> None:
        repeated = repeated_names(names)
        if repeated:
            raise ValidationException(
                f"Column names must differ, but {', '.join(repeated)} would occur more than once.", hint="rename with alias"
            )

    def _order(
        self,
        resolver: ExpressionResolver,
        key: SortKey,
        names: Sequence[str],
        outputs: Sequence[ResolvedExpression],
        projection: Sequence[UnresolvedExpression] = (),
    ) -> SortOrder | tuple[int, SortKey]:
        """Returns an order over the input, or (position of an output column, key) for an alias or ordinal."""
        expression = key.expression
        if self.text is not None and isinstance(expression, Literal) and type(expression.value) is int:
            if not 1 <= expression.value <= len(names):
                raise ValidationException(
                    f"ORDER BY {expression.value}: there are {len(names)} columns.", position=self._position(key.span)
                )
            return expression.value - 1, key
        if isinstance(expression, Reference) and len(expression.path) == 1:
            place = output_named(expression.path[0], names, outputs, self._position(key.span))
            if place is not None:
                return place, key
        with_aliases = replace(key, expression=over_aliases(expression, projection, self._position))
        if with_aliases.expression is not expression:
            try:
                return resolver.resolve_order(with_aliases)
            except ValidationException:
                pass  # the names are columns of FROM: SELECT SUM(a) AS a … ORDER BY SUM(a)
        return resolver.resolve_order(key)
