"""``Table``: a query that is built step by step and runs with ``execute``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from table_api.expressions import Expression, col, lit
from table_api.expressions.column_selection import expand_selections
from table_api.expressions.node_holder import to_unresolved
from table_api.expressions.sql_expression import SqlExpression
from table_api.expressions.unresolved import Alias, NamedWindow, Reference, SortKey, UnresolvedExpression
from table_api.operations import (
    JoinType,
    QueryOperation,
    SetOperationType,
    SinkModifyOperation,
)
from table_api.resolution.insertion import build_insert, insert_into_table
from table_api.resolution.operation_builder import OperationBuilder
from table_api.resolution.row_functions import (
    aggregate_rows,
    call_with_row,
    flat_map_rows,
    join_rows,
    map_rows,
    table_aggregate_rows,
)
from table_api.table_descriptor import TableDescriptor
from table_api.table_result import TableResult
from table_api.tables.group_windows import GroupWindow, GroupWindowedTable
from table_api.tables.grouped_table import AggregatedTable, FlatAggregateTable, GroupedTable
from table_api.tables.over_windows import OverWindow, OverWindowedTable
from table_api.tables.table_pipeline import TablePipeline
from table_api.tables.table_preview import TablePreview
from table_api.tables.unknown_attribute import unknown_attribute
from table_common.catalog import Schema, parse_path
from table_common.exceptions import ValidationException
from table_common.tree import transform_up


class Table(TablePreview):
    """A query of a session. Immutable: each method returns a new table, and nothing runs before ``execute``.

    A method raises a ``ValidationException`` at once if an expression names an unknown column or function or has a wrong type.

    Example:
        >>> people = env.from_elements([("Ann", 31), ("Bob", 12), ("Cid", None)], ["name", "age"])
        >>> adults = people.filter(col("age") >= 18).select(col("name"), col("age") + 1)
        >>> list(adults.execute().collect())
        [Row(name='Ann', _c1=32)]
        >>> list(people.select(col("age").sum.alias("total"), col("age").count.alias("known")).execute().collect())
        [Row(total=43, known=2)]

    Source: Flink's ``org.apache.flink.table.api.Table``, PyFlink's ``pyflink.table.Table``.
    """

    # --- columns and rows --------------------------------------------------------------------------------------------------------

    def select(self, *fields: Expression) -> Table:
        """Returns one column per expression; ``col("*")`` stands for all columns. With an aggregate, the result is one row."""
        return self._table(self._builder.project(self._operation, self._trees(fields, "select")))

    def filter(self, predicate: Expression) -> Table:
        """Returns the rows for which the predicate is true: neither false nor NULL."""
        (tree,) = self._trees((predicate,), "filter")
        return self._table(self._builder.filter(self._operation, tree))

    def where(self, predicate: Expression) -> Table:
        """Does what ``filter`` does."""
        return self.filter(predicate)

    def distinct(self) -> Table:
        """Returns the rows without duplicates; NULLs are equal to each other."""
        return self._table(self._builder.distinct(self._operation))

    def alias(self, field: str, *fields: str) -> Table:
        """Returns the table with its first columns renamed, by position; the remaining columns keep their names."""
        return self._table(self._builder.alias(self._operation, (field, *fields)))

    def add_columns(self, *fields: Expression) -> Table:
        """Returns the table with columns appended.

        Raises:
            ValidationException: a column of that name exists.
        """
        return self._table(self._builder.add_columns(self._operation, self._trees(fields, "add_columns"), replace_existing=False))

    def add_or_replace_columns(self, *fields: Expression) -> Table:
        """Returns the table with columns appended; an expression with the name of an existing column replaces it in place."""
        trees = self._trees(fields, "add_or_replace_columns")
        return self._table(self._builder.add_columns(self._operation, trees, replace_existing=True))

    def rename_columns(self, *fields: Expression) -> Table:
        """Returns the table with columns renamed: ``rename_columns(col("a").alias("b"))``."""
        return self._table(self._builder.rename_columns(self._operation, self._trees(fields, "rename_columns")))

    def drop_columns(self, *fields: Expression) -> Table:
        """Returns the table without the columns."""
        return self._table(self._builder.drop_columns(self._operation, self._trees(fields, "drop_columns")))

    def group_by(self, *fields: Expression) -> GroupedTable[Table]:
        """Returns the groups of rows with equal values of the expressions; NULLs form one group. ``select`` returns a row per group."""

        def aggregate(group_by: Sequence[UnresolvedExpression], selected: tuple[Expression, ...]) -> Table:
            return self._table(self._builder.aggregate(self._operation, group_by, self._trees(selected, "select")))

        return GroupedTable(self._trees(fields, "group_by"), aggregate, self._aggregated)

    def window(self, window: GroupWindow) -> GroupWindowedTable[Table]:
        """Returns the table with a time window, such as ``Tumble``; the ``group_by`` that follows must name its alias."""
        if not self._session.is_streaming_mode:
            window = window.over_timestamps(self.get_resolved_schema())

        def aggregate(group_by: Sequence[UnresolvedExpression], selected: tuple[Expression, ...]) -> Table:
            groups = [window.in_place_of_alias(tree) for tree in group_by]
            projection = [window.in_place_of_alias(tree) for tree in self._trees(selected, "select")]
            return self._table(self._builder.aggregate(self._operation, groups, projection))

        def with_call(group_by: Sequence[UnresolvedExpression], func: object, selected: tuple[Expression, ...]) -> Table:
            groups = [window.in_place_of_alias(tree) for tree in group_by]
            call = window.in_place_of_alias(self._function_call(func, "aggregate"))
            projection, properties = window.with_columns_of_properties(self._trees(selected, "select"))
            keys = [tree for tree in group_by if tree != Reference((window.name,))]
            aggregated = aggregate_rows(self._builder, self._operation, groups, call, columns=[*keys, *properties])
            return self._table(self._builder.project(aggregated, projection))

        return GroupWindowedTable(window, lambda fields: self._trees(fields, "group_by"), aggregate, with_call)

    def over_window(self, *over_windows: OverWindow) -> OverWindowedTable[Table]:
        """Returns the table with OVER windows; the ``select`` that follows names them: ``col("a").sum.over(col("w"))``."""

        def select(windows: Sequence[NamedWindow], selected: tuple[Expression, ...]) -> Table:
            return self._table(self._builder.select(self._operation, self._trees(selected, "select"), windows=windows))

        return OverWindowedTable(over_windows, select)

    # --- user functions over rows ------------------------------------------------------------------------------------------------

    def map(self, func: Expression | object) -> Table:
        """Returns the result of a scalar function for each row; the fields of a ROW result become columns.

        ``func`` is a call, or the function itself, which is then called with the whole row.
        """
        return self._table(map_rows(self._builder, self._operation, self._function_call(func, "map")))

    def flat_map(self, func: Expression | object) -> Table:
        """Returns the rows that a table function emits for each row; ``func`` is as in ``map``."""
        return self._table(flat_map_rows(self._builder, self._operation, self._function_call(func, "flat_map")))

    def join_lateral(self, table_function_call: Expression | object, join_predicate: Expression | None = None) -> Table:
        """Joins each row with the rows that a table function emits for it: ``t.join_lateral(split(col("a")).alias("word"))``."""
        call = self._function_call(table_function_call, "join_lateral")
        joined = self._table(join_rows(self._builder, self._operation, call, keeps_empty=False))
        return joined if join_predicate is None else joined.filter(join_predicate)

    def left_outer_join_lateral(self, table_function_call: Expression | object, join_predicate: Expression | None = None) -> Table:
        """Does what ``join_lateral`` does, and keeps rows for which the function emits none, with NULLs in its columns.

        Raises:
            ValidationException: the predicate is not TRUE; a condition on the function's columns belongs into the function, or into ``filter``.
        """
        if join_predicate is not None and to_unresolved(join_predicate) != to_unresolved(lit(True)):
            raise ValidationException(
                "left_outer_join_lateral takes no other predicate than TRUE, as in Flink.", hint="put the condition into the function"
            )
        call = self._function_call(table_function_call, "left_outer_join_lateral")
        return self._table(join_rows(self._builder, self._operation, call, keeps_empty=True))

    def aggregate(self, func: Expression | object) -> AggregatedTable[Table]:
        """Returns the result of a user aggregate over all rows; the fields of a ROW result become columns."""
        return AggregatedTable(self._aggregated((), func, False))

    def flat_aggregate(self, func: Expression | object) -> FlatAggregateTable[Table]:
        """Returns the rows that a user table aggregate emits for all rows."""
        return FlatAggregateTable(self._aggregated((), func, True))

    def order_by(self, *fields: Expression) -> Table:
        """Returns the rows sorted, ascending unless an expression ends with ``desc``; NULL is the greatest value, as in Flink's Table API.

        In SQL, NULL is the lowest value: ``order_by(col("a"))`` is ``ORDER BY a NULLS LAST``.
        """
        keys = [tree if isinstance(tree, SortKey) else SortKey(tree) for tree in self._trees(fields, "order_by")]
        keys = [SortKey(key.expression, key.ascending, nulls_first=not key.ascending) for key in keys]
        return self._table(self._builder.sort(self._operation, keys))

    def offset(self, offset: int) -> Table:
        """Returns the rows without the first ``offset``."""
        return self._table(self._builder.limit(self._operation, offset, None))

    def fetch(self, fetch: int) -> Table:
        """Returns at most the first ``fetch`` rows."""
        return self._table(self._builder.limit(self._operation, 0, fetch))

    def limit(self, fetch: int, offset: int = 0) -> Table:
        """Returns at most ``fetch`` rows, after the first ``offset``."""
        return self._table(self._builder.limit(self._operation, offset, fetch))

    # --- two tables --------------------------------------------------------------------------------------------------------------

    def join(self, right: Table, join_predicate: Expression | None = None) -> Table:
        """Returns the pairs of rows for which the predicate is true, or all pairs without a predicate.

        Raises:
            ValidationException: the tables share a column name, or belong to different environments.
        """
        return self._join(right, JoinType.INNER, join_predicate)

    def left_outer_join(self, right: Table, join_predicate: Expression | None = None) -> Table:
        """Returns the pairs of a join, and left rows without a match, with NULL in the right columns."""
        return self._join(right, JoinType.LEFT_OUTER, join_predicate)

    def right_outer_join(self, right: Table, join_predicate: Expression) -> Table:
        """Returns the pairs of a join, and right rows without a match, with NULL in the left columns."""
        return self._join(right, JoinType.RIGHT_OUTER, join_predicate)

    def full_outer_join(self, right: Table, join_predicate: Expression) -> Table:
        """Returns the pairs of a join, and rows of either side without a match, with NULL in the other columns."""
        return self._join(right, JoinType.FULL_OUTER, join_predicate)

    def union(self, right: Table) -> Table:
        """Returns the rows of both tables without duplicates; columns are matched by position."""
        return self._combine(right, SetOperationType.UNION, keep_duplicates=False)

    def union_all(self, right: Table) -> Table:
        """Returns the rows of both tables with duplicates; columns are matched by position."""
        return self._combine(right, SetOperationType.UNION, keep_duplicates=True)

    def intersect(self, right: Table) -> Table:
        """Returns the rows that are in both tables, without duplicates; NULLs are equal to each other."""
        return self._combine(right, SetOperationType.INTERSECT, keep_duplicates=False)

    def intersect_all(self, right: Table) -> Table:
        """Returns the rows that are in both tables; a row occurs as often as in the table where it is rarer."""
        return self._combine(right, SetOperationType.INTERSECT, keep_duplicates=True)

    def minus(self, right: Table) -> Table:
        """Returns the rows that are not in the right table, without duplicates; NULLs are equal to each other."""
        return self._combine(right, SetOperationType.MINUS, keep_duplicates=False)

    def minus_all(self, right: Table) -> Table:
        """Returns the rows that are not in the right table; each row there removes one equal row."""
        return self._combine(right, SetOperationType.MINUS, keep_duplicates=True)

    def to_changelog(self, *arguments: Expression) -> Table:
        """Returns each change as an inserted row, with a column ``op`` in front that says what kind of change it is.

        ``descriptor("x").as_argument("op")`` names the column, ``map_("INSERT", "I", "DELETE", "D").as_argument("op_mapping")`` chooses codes.
        """
        return self._change_function("TO_CHANGELOG", arguments)

    def from_changelog(self, *arguments: Expression) -> Table:
        """Returns each row as a change of the kind that its column ``op`` says; ``op_mapping`` maps codes to kinds: ``map_("c, r", "INSERT")``."""
        return self._change_function("FROM_CHANGELOG", arguments)

    # --- running -----------------------------------------------------------------------------------------------------------------

    def execute(self) -> TableResult:
        """Starts a job and returns its result, whose rows are read while the job runs.

        Raises:
            TableException: the engine cannot run the plan.
        """
        return self._session.run_query(self._operation)

    def insert_into(self, table_path_or_descriptor: str | TableDescriptor, overwrite: bool = False) -> TablePipeline:
        """Returns the insertion into a table, which its ``execute`` starts; ``overwrite`` replaces the rows there.

        Raises:
            CatalogException: the table does not exist.
            ValidationException: its columns have other types.
        """
        return TablePipeline(self._session, self._insertion(table_path_or_descriptor, overwrite))

    def execute_insert(self, table_path_or_descriptor: str | TableDescriptor, overwrite: bool = False) -> TableResult:
        """Starts a job that writes the rows into a table; ``result.wait()`` waits for its end.

        Raises:
            CatalogException: the table does not exist.
            ValidationException: its columns have other types.
        """
        return self.insert_into(table_path_or_descriptor, overwrite).execute()

    def to_arrow(self) -> Any:
        """Runs the query and returns all rows as a ``pyarrow.Table``."""
        return self.execute().to_arrow()

    def to_pandas(self) -> Any:
        """Runs the query and returns all rows as a ``pandas.DataFrame``; pandas must be installed."""
        return self.execute().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Runs the query and exports its rows as a stream of the Arrow C interface."""
        return self.execute().__arrow_c_stream__(requested_schema)

    def __getattr__(self, name: str) -> Expression:
        names = () if name.startswith("_") else self._operation.resolved_schema.column_names
        if name not in names:
            raise unknown_attribute(name, names, (method for method in dir(type(self)) if not method.startswith("_")))
        return col(name)

    # --- parts -------------------------------------------------------------------------------------------------------------------

    @property
    def _builder(self) -> OperationBuilder:
        return OperationBuilder(self._session)

    def _table(self, operation: QueryOperation) -> Table:
        return Table(self._session, operation)

    def _trees(self, fields: Sequence[Expression], method: str, *others: Table) -> list[UnresolvedExpression]:
        if not fields:
            raise ValidationException(f"{method} takes at least one expression.")
        values: Sequence[object] = fields
        for value in values:
            if isinstance(value, str):
                raise ValidationException(f"{method} takes expressions, but got the text {value!r}.", hint=f"col({value!r}) is a column")
        trees = [transform_up(to_unresolved(field), UnresolvedExpression, _parse_sql_expression) for field in fields]
        names = [name for table in (self, *others) for name in table.get_resolved_schema().column_names]
        return expand_selections(trees, names)

    def _function_call(self, func: object, method: str) -> UnresolvedExpression:
        """Returns a call as it is, and for a function its call with the whole row as the argument."""
        if not isinstance(func, Expression):
            from table_common.functions import as_user_function

            call = call_with_row(as_user_function(func), self._operation)
            names = getattr(func, "alias_names", ())
            return Alias(call, names[0], tuple(names[1:])) if names else call
        (tree,) = self._trees((func,), method)
        return tree

    def _aggregated(
        self, group_by: Sequence[UnresolvedExpression], func: object, is_table_aggregate: bool
    ) -> Callable[[tuple[Expression, ...]], Table]:
        call = self._function_call(func, "aggregate")
        build = table_aggregate_rows if is_table_aggregate else aggregate_rows
        return self._table(build(self._builder, self._operation, group_by, call))._select_all_of

    def _select_all_of(self, fields: tuple[Expression, ...]) -> Table:
        return self.select(*fields)

    def _join(self, right: Table, join_type: JoinType, predicate: Expression | None) -> Table:
        self._check_session(right)
        condition = None if predicate is None else self._trees((predicate,), "join", right)[0]
        return self._table(self._builder.join(self._operation, right._operation, join_type, condition))

    def _combine(self, right: Table, kind: SetOperationType, *, keep_duplicates: bool) -> Table:
        self._check_session(right)
        return self._table(self._builder.set_operation(kind, keep_duplicates, self._operation, right._operation))

    def _change_function(self, name: str, arguments: Sequence[Expression]) -> Table:
        from table_api.resolution.change_functions import change_function_of_table

        return self._table(
            change_function_of_table(name, self._session, self._operation, self._trees(arguments, name) if arguments else ())
        )

    def _check_session(self, right: Table) -> None:
        if right._session is not self._session:
            raise ValidationException("Both tables must belong to the same table environment.")

    def _insertion(self, target: str | TableDescriptor, overwrite: bool) -> SinkModifyOperation:
        if isinstance(target, str):
            return build_insert(self._session, parse_path(target), self._operation, overwrite=overwrite)
        schema = Schema.new_builder().from_resolved_schema(self._operation.resolved_schema).build()
        from table_api.execution.anonymous_table import anonymous_table

        table = anonymous_table(self._session, target, schema)
        return insert_into_table(table, self._operation, static_partition={}, overwrite=overwrite, options={})


def _parse_sql_expression(node: UnresolvedExpression) -> UnresolvedExpression:
    if not isinstance(node, SqlExpression):
        return node
    from table_api.sql.parser import parse_expression

    return parse_expression(node.text)
