"""Window table functions in FROM: ``TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES))``, also without TABLE()."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from table_api.expressions.unresolved import (
    Call,
    NamedArgument,
    QueryArgument,
    Reference,
    Subquery,
    SubqueryKind,
    Symbol,
    UnresolvedExpression,
)
from table_api.operations import WINDOW_ASSIGNERS, QueryOperation, WindowAssigner
from table_api.resolution.scope import Scope
from table_api.sql.ast import QueryNode, Select, TableFunctionRef, TableNameRef
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.functions import FunctionKind

if TYPE_CHECKING:
    from table_api.delegation.session import FunctionLookup
    from table_api.sql.conversion.query_context import FromClause
    from table_common.functions import UserFunction

_KINDS: dict[str, type[WindowAssigner]] = {kind.FUNCTION: kind for kind in WINDOW_ASSIGNERS}
_FILE_FUNCTIONS = {f"READ_{name.upper()}": name for name in ("avro", "csv", "json", "orc", "parquet")}
"""The names of the functions that read files, with the format that they read."""
_CHANGE_FUNCTIONS = ("TO_CHANGELOG", "FROM_CHANGELOG")


def window_function(node: TableFunctionRef) -> type[WindowAssigner] | None:
    """Returns the kind of window of a window table function; None for another function."""
    return _KINDS.get(_name(node))


def change_function_name(node: TableFunctionRef) -> str | None:
    """Returns the name of a function between changes and rows; None for another function."""
    name = _name(node)
    return name if name in _CHANGE_FUNCTIONS else None


def reads_table(node: TableFunctionRef, functions: FunctionLookup) -> bool:
    """Whether a function of FROM returns the rows of a table or of files, and so does not see the rows left of it."""
    if window_function(node) is not None or change_function_name(node) is not None or file_function(node, functions) is not None:
        return True
    if is_prediction(node, functions):
        return True
    return process_function(node, functions) is not None


def is_prediction(node: TableFunctionRef, functions: FunctionLookup) -> bool:
    """Returns whether a function of FROM is ML_PREDICT, not one of the user with that name."""
    return _name(node) == "ML_PREDICT" and functions.find_function(_path_of_function(node)) is None


def process_function(node: TableFunctionRef, functions: FunctionLookup) -> UserFunction | None:
    """Returns the process table function that a function of FROM is; None for another function."""
    path = _path_of_function(node)
    found = functions.find_function(path) if path else None
    if found is None or not found.is_user_defined or found.kind is not FunctionKind.PROCESS_TABLE:
        return None
    function: UserFunction = found  # type: ignore[assignment]  # is_user_defined says so
    return function


def file_function(node: TableFunctionRef, functions: FunctionLookup) -> str | None:
    """Returns the format that a function of FROM reads from files; None for another function, also one of the user with such a name."""
    format_ = _FILE_FUNCTIONS.get(_name(node))
    if format_ is None or functions.find_function(_path_of_function(node)) is not None:
        return None
    return format_


def _name(node: TableFunctionRef) -> str:
    path = _path_of_function(node)
    return path[0].upper() if len(path) == 1 else ""


def _path_of_function(node: TableFunctionRef) -> tuple[str, ...]:
    call = node.call
    return call.function if isinstance(call, Call) and isinstance(call.function, tuple) else ()


def window_table_function(clause: FromClause, node: TableFunctionRef, kind: type[WindowAssigner]) -> tuple[QueryOperation, Scope]:
    """Returns the rows of the input table, each once per window.

    Raises:
        ValidationException: an argument is missing or of the wrong kind.
    """
    assert isinstance(node.call, Call)
    converter = clause.converter
    data, time_column, *rest = _arguments(node.call.args, kind)
    if isinstance(data, Subquery) and data.kind is SubqueryKind.SCALAR:
        data = QueryArgument(data.query, span=data.span)
    if not isinstance(data, QueryArgument) or not isinstance(data.query, QueryNode):
        raise ValidationException(
            f"The first argument of {kind.FUNCTION} must be a table: TABLE t, or a query in parentheses.",
            position=converter.position(data.span if data is not None else node.call.span),
        )
    child = converter.nested().convert(data.query)
    scope = Scope.of(child.resolved_schema, _path(data.query), names=converter.written.of(child))
    time = table_column(clause, scope, *_descriptor(clause, kind, time_column, node))
    if data.order_by:
        raise ValidationException(f"The table of {kind.FUNCTION} does not accept ORDER BY.", position=converter.position(data.span))
    if data.partition_by and kind.FUNCTION != "SESSION":
        raise ValidationException(
            f"The table of {kind.FUNCTION} does not accept PARTITION BY: its windows do not depend on other rows.",
            position=converter.position(data.span),
            hint="GROUP BY the columns in addition to window_start and window_end",
        )
    partition_by = [table_column(clause, scope, key, "PARTITION BY") for key in data.partition_by]
    window = kind(**_lengths(clause, kind, rest))
    from table_api.resolution.window_table_function import window_table  # few queries have windows of time

    try:
        operation = window_table(converter.session, child, window, time, partition_by)
    except (ValidationException, TableException) as error:
        assert time_column is not None
        raise error.at(converter.position(time_column.span)) from None
    return clause.named(node, converter.written.carry(child, operation), ())


def _arguments(args: Sequence[UnresolvedExpression], kind: type[WindowAssigner]) -> list[UnresolvedExpression | None]:
    """Returns the arguments in order, with None for optional ones that are left out."""
    names = ["DATA", "TIMECOL", *(name for name, _ in kind.parameters())]
    required = 2 + sum(is_required for _, is_required in kind.parameters())
    signature = f"{kind.FUNCTION}({', '.join(name if i < required else f'[{name}]' for i, name in enumerate(names))})"
    given: dict[str, UnresolvedExpression] = {}
    named = [arg for arg in args if isinstance(arg, NamedArgument)]
    if named and len(named) < len(args):
        raise ValidationException(f"The arguments of {kind.FUNCTION} must be either all named or all positional.", hint=signature)
    if len(args) > len(names):
        raise ValidationException(f"{kind.FUNCTION} has at most {len(names)} arguments, but got {len(args)}.", hint=signature)
    for name, arg in zip(names, args, strict=False):
        if isinstance(arg, NamedArgument):
            name, arg = arg.name.upper(), arg.value
            if name not in names:
                raise ValidationException.unknown("Argument", name, names, where=kind.FUNCTION)
            if name in given:
                raise ValidationException(f"{kind.FUNCTION} got {name} twice.")
        given[name] = arg
    values = [None if isinstance(given.get(name), Symbol) else given.get(name) for name in names]  # a symbol: DEFAULT
    missing = [name for name, value in zip(names[:required], values, strict=False) if value is None]
    if missing:
        raise ValidationException(f"{kind.FUNCTION} lacks the argument {', '.join(missing)}.", hint=signature)
    return values


def _path(query: QueryNode) -> tuple[str, ...]:
    return query.source.path if isinstance(query, Select) and isinstance(query.source, TableNameRef) else ()


def _descriptor(
    clause: FromClause, kind: type[WindowAssigner], value: UnresolvedExpression | None, node: TableFunctionRef
) -> tuple[UnresolvedExpression, str]:
    if isinstance(value, Call) and value.function == ("DESCRIPTOR",) and len(value.args) == 1:
        return value.args[0], "DESCRIPTOR"
    span = value.span if value is not None else node.span
    raise ValidationException(
        f"The second argument of {kind.FUNCTION} must name one time column.",
        position=clause.converter.position(span),
        hint="write it as DESCRIPTOR(ts)",
    )


def table_column(clause: FromClause, scope: Scope, name: UnresolvedExpression, where: str) -> FieldReferenceExpression:
    """Returns the column of a table argument that PARTITION BY or ORDER BY, which is ``where``, names.

    Raises:
        ValidationException: it is an expression, or no column of the table.
    """
    position = clause.converter.position(name.span)
    if isinstance(name, Reference):
        column, fields = scope.resolve(name.path, position)
        if isinstance(column, FieldReferenceExpression) and not fields:
            return column
    raise ValidationException(f"{where} accepts columns of the table only.", position=position, hint="compute the column in a query")


def _lengths(clause: FromClause, kind: type[WindowAssigner], values: Sequence[UnresolvedExpression | None]) -> dict[str, int]:
    resolver = clause.converter.builder.resolver(Scope(), aggregates_refused_in=kind.FUNCTION)
    lengths: dict[str, int] = {}
    from table_api.resolution.window_table_function import length_of  # few queries have windows of time

    for (name, _), value in zip(kind.parameters(), values, strict=True):
        if value is None:
            continue
        resolved = resolver.resolve(value)
        try:
            lengths[name.lower()] = length_of(resolved, kind, name)
        except ValidationException as error:
            raise error.at(clause.converter.position(value.span)) from None
    return lengths
