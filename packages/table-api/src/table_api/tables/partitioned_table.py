"""Calls of process table functions in the Table API: ``t.partition_by(…).process(f, …)``, ``t.process(f)`` and ``env.from_call(f, …)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from table_api.delegation import Session
from table_api.expressions import Expression, lit
from table_api.expressions.node_holder import to_unresolved
from table_api.expressions.unresolved import NamedArgument, Reference, ResolvedLeaf, SortKey, UnresolvedExpression
from table_api.operations import QueryOperation, SortOrder
from table_api.resolution.operation_builder import OperationBuilder
from table_api.resolution.process_table_function import (
    GivenTable,
    bind_arguments,
    describe,
    process_table_function,
    require_process_function,
)
from table_api.resolution.scope import Scope
from table_common.catalog import parse_path
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.functions import UserFunction, as_user_function

_T = TypeVar("_T")


class TableArgumentValue:
    """A table as an argument of a process table function, under the name of its parameter; the result of ``as_argument``.

    Example:
        >>> people = env.from_elements([("Ann", 31)], ["name", "age"])
        >>> people.as_argument("input")
        TableArgumentValue(input)
    """

    def __init__(self, table: GivenTable, session: Session, name: str | None = None) -> None:
        self.table = table
        self.session = session
        self.name = name

    def __repr__(self) -> str:
        return f"TableArgumentValue({self.name})"


class PartitionedTable(Generic[_T]):
    """A table whose rows a process table function processes by partition; ``process`` calls it.

    Example:
        >>> from typing import Annotated
        >>> from table_api.udf import ArgumentHint, ArgumentTrait, ProcessTableFunction
        >>> class Names(ProcessTableFunction[str]):
        ...     def eval(self, row: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)], suffix: str):
        ...         yield row.name + suffix
        >>> people = env.from_elements([("Ann", 31)], ["name", "age"])
        >>> [tuple(row) for row in people.partition_by(col("age")).process(Names, "!").execute().collect()]
        [(31, 'Ann!')]

    Source: Flink's ``org.apache.flink.table.api.PartitionedTable``.
    """

    def __init__(self, session: Session, table: GivenTable, make: Callable[[QueryOperation], _T]) -> None:
        """Internal; use ``Table.partition_by``."""
        self._session = session
        self._given = table
        self._make = make

    def order_by(self, *fields: Expression) -> PartitionedTable[_T]:
        """Returns the table with an order of the rows of a partition, which begins with a time attribute, ascending.

        Raises:
            ValidationException: something is no column.
        """
        orders = tuple(_order(self._given.operation, field) for field in fields)
        given = GivenTable(self._given.operation, self._given.partition_by, orders)
        return PartitionedTable(self._session, given, self._make)

    def as_argument(self, name: str) -> TableArgumentValue:
        """Returns the table as the argument of a name, for ``from_call`` and ``process``."""
        return TableArgumentValue(self._given, self._session, name)

    def process(self, function: object, *arguments: object) -> _T:
        """Returns the rows of a process table function for this table, which is the argument of its first table parameter.

        Args:
            function: a class or an object of ``ProcessTableFunction``, or the name of a registered one.
            arguments: the other arguments: expressions, Python values and tables; by position, or by name with ``as_argument``.

        Raises:
            ValidationException: an argument is missing, unknown or of the wrong kind.
        """
        return self._make(call_with_table(self._session, function, self._given, arguments))


def partitioned(operation: QueryOperation, fields: Sequence[Expression]) -> GivenTable:
    """Returns a table with the columns by which it is partitioned.

    Raises:
        ValidationException: there are none, or something is no column.
    """
    if not fields:
        raise ValidationException("partition_by takes at least one column.")
    return GivenTable(operation, tuple(_column(operation, to_unresolved(field), "partition_by") for field in fields))


def _column(operation: QueryOperation, tree: UnresolvedExpression, method: str) -> FieldReferenceExpression:
    if isinstance(tree, Reference):
        column, fields = Scope.of(operation.resolved_schema).resolve(tree.path, None)
        if isinstance(column, FieldReferenceExpression) and not fields:
            return column
    raise ValidationException(f"{method} accepts columns of the table only.", hint="compute the column before, with select or add_columns")


def _order(operation: QueryOperation, field: Expression) -> SortOrder:
    tree = to_unresolved(field)
    if not isinstance(tree, SortKey):
        return SortOrder(_column(operation, tree, "order_by"), True, True)
    nulls_first = tree.ascending if tree.nulls_first is None else tree.nulls_first
    return SortOrder(_column(operation, tree.expression, "order_by"), tree.ascending, nulls_first)


def call_with_table(session: Session, function: object, table: GivenTable, arguments: Sequence[object]) -> QueryOperation:
    """Returns the call of a function with a table as its first table argument.

    Raises:
        ValidationException: an argument is missing, unknown or of the wrong kind.
    """
    definition = _definition(session, function)
    assert definition.process is not None
    position = next((number for number, one in enumerate(definition.process.arguments) if one.is_table), None)
    if position is None:
        raise ValidationException(f"{definition.name} takes no table.", hint=f"from_call calls it: {describe(definition)}")
    trees = [_tree(session, argument) for argument in arguments]
    own: UnresolvedExpression = ResolvedLeaf(table)
    if any(isinstance(tree, NamedArgument) for tree in trees):
        trees.insert(0, NamedArgument(definition.process.arguments[position].name, own))
    else:
        trees.insert(min(position, len(trees)), own)
    return _call(session, definition, trees)


def call_by_arguments(session: Session, function: object, arguments: Sequence[object]) -> QueryOperation:
    """Returns the call of a function with all its arguments.

    Raises:
        ValidationException: an argument is missing, unknown or of the wrong kind.
    """
    return _call(session, _definition(session, function), [_tree(session, argument) for argument in arguments])


def _definition(session: Session, function: object) -> UserFunction:
    if not isinstance(function, str):
        definition = as_user_function(function)
        return require_process_function(definition, definition.name)
    path = tuple(parse_path(function))
    found = session.functions.find_function(path)
    if found is None:
        raise session.functions.function_not_found(path)
    return require_process_function(found, function)


def _tree(session: Session, argument: object) -> UnresolvedExpression:
    """Returns an argument as a tree; a table is a leaf."""
    if isinstance(argument, PartitionedTable):
        argument = argument.as_argument("")
    if isinstance(argument, TableArgumentValue):
        if argument.session is not session:
            raise ValidationException("All tables must belong to the same table environment.")
        leaf = ResolvedLeaf(argument.table)
        return NamedArgument(argument.name, leaf) if argument.name else leaf
    if isinstance(argument, Expression):
        return to_unresolved(argument)
    operation = getattr(argument, "query_operation", None)
    if isinstance(operation, QueryOperation):
        return _tree(session, TableArgumentValue(GivenTable(operation), argument._session))  # type: ignore[attr-defined]  # a Table
    return to_unresolved(lit(argument))


def _call(session: Session, function: UserFunction, trees: Sequence[UnresolvedExpression]) -> QueryOperation:
    def position(span: Any) -> SourcePosition | None:
        return None

    given = bind_arguments(function, trees, position)
    tables = {
        name: tree.expression for name, tree in given.items() if isinstance(tree, ResolvedLeaf) and isinstance(tree.expression, GivenTable)
    }
    others = {name: tree for name, tree in given.items() if name not in tables}
    assert function.process is not None
    for argument in function.process.tables:
        if argument.name in others:
            raise ValidationException(f"The argument '{argument.name}' of {function.name} must be a table.", hint=describe(function))
    resolver = OperationBuilder(session).resolver(Scope(), aggregates_refused_in=f"an argument of {function.name}")
    return process_table_function(session, function, tables, others, resolver.resolve, position)
