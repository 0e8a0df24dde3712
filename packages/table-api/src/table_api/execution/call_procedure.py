"""CALL: a procedure of a catalog, which runs in the client.

The method ``call`` is read as a scalar function without its context, whose result is an array. So its arguments are typed, cast, named and completed as
those of any function; constants are used as they are, and the engine evaluates other expressions. The result is converted to its type.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NoReturn

from table_api.execution.local_result import ok, rows_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.expressions.unresolved import Call, ResolvedLeaf
from table_api.operations.command import CallProcedureOperation
from table_api.resolution.operation_builder import OperationBuilder
from table_api.resolution.scope import Scope
from table_api.table_result import TableResult
from table_common.catalog import ObjectIdentifier, Procedure, ProcedureContext
from table_common.configuration import time_zone_of
from table_common.data import DataStructureConverter, Row, RuntimeConverter
from table_common.exceptions import CatalogException, SourcePosition, TableError, TableRuntimeException, ValidationException
from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import ScalarFunction, UserFunction
from table_common.types import NUMERICS, ArrayType, DataType, LogicalType, RowType, StructuredType

_AS_IT_IS = (type(None), bool, str, Decimal)
"""Classes of constants that a procedure gets as they are. Others stand for dates, times and intervals, too."""


@execute.register(CallProcedureOperation)
def _call(operation: CallProcedureOperation, session: TableSession) -> TableResult:
    identifier, span = operation.identifier, operation.path_span
    position = SourcePosition.of_offset(operation.text, span.start, span.end) if span is not None else None
    catalog = session.catalog_manager.get_catalog(identifier.catalog_name)
    try:
        procedure = catalog.get_procedure(identifier.to_object_path())
    except CatalogException as error:
        raise CatalogException(error.message, position=position, hint=error.hint or "SHOW PROCEDURES lists those of a database") from error
    function = _function_of(procedure, identifier.object_name)
    builder = OperationBuilder(session, operation.text)
    resolver = builder.resolver(Scope(), aggregates_refused_in=f"an argument of {function.name}")
    call = resolver.resolve(Call(function, operation.args, span=span))
    assert isinstance(call, CallExpression)
    values = _values(call.args, builder, session)
    _refuse_nulls(function, values, position)
    context = ProcedureContext(session.configuration, identifier)
    run: Any = procedure
    try:
        returned = run.call(context, *values)
    except TableError:
        raise
    except Exception as error:
        raise TableRuntimeException(f"The procedure {function.name} failed: {type(error).__name__}: {error}") from error
    if _annotations(procedure, function.name).get("return") is types.NoneType:
        return ok()
    assert isinstance(call.output_type, ArrayType)
    return _result(returned, call.output_type, identifier, session)


def _function_of(procedure: Procedure, name: str) -> UserFunction:
    """Returns a function with the parameters of a procedure.

    Raises:
        ValidationException: the procedure has no ``call`` with a context, a type is missing or is none of SQL, or its result is no list.
    """
    call = getattr(procedure, "call", None)
    parameters = list(inspect.signature(call).parameters.values()) if call is not None else []
    if not parameters or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise ValidationException(f"The procedure {name} has no method call with a context.", hint="def call(self, context, …) -> list[…]")
    context, *arguments = parameters
    annotations = _annotations(procedure, name)
    annotations.pop(context.name, None)
    if annotations.get("return") is types.NoneType:
        annotations["return"] = list[str]

    def eval(*args: Any) -> NoReturn:
        raise AssertionError(args)

    eval.__dict__.update({key: value for key, value in getattr(call, "__dict__", {}).items() if key != "__wrapped__"})
    eval.__annotations__ = annotations
    eval.__signature__ = inspect.Signature(arguments)  # type: ignore[attr-defined]  # inspect reads it
    function: Any = ScalarFunction()
    function.eval = eval
    try:
        definition = UserFunction(function, name, deterministic=False)
    except ValidationException as error:
        raise ValidationException(error.message.replace(f"{name}.eval", f"{name}.call"), hint=error.hint) from error
    for signature in definition.signatures:
        if not isinstance(signature.output.type, ArrayType):
            raise ValidationException(
                f"The procedure {name} must return a list of rows or values, but its type is {signature.output.type}.",
                hint="def call(self, context, …) -> list[int]",
            )
    return definition


def _annotations(procedure: Procedure, name: str) -> dict[str, Any]:
    method: Any = procedure
    try:
        return typing.get_type_hints(inspect.unwrap(method.call), include_extras=True)
    except (NameError, TypeError) as error:
        raise ValidationException(f"The annotations of the procedure {name} cannot be resolved: {error}.") from error


def _values(args: Sequence[ResolvedExpression], builder: OperationBuilder, session: TableSession) -> list[Any]:
    """Returns the arguments as values of Python; the engine evaluates what is no plain constant."""
    folded = [session.planner.expressions.constant_value(arg) or arg for arg in args]
    if all(_is_plain(arg) for arg in folded):
        return [arg.value for arg in folded if isinstance(arg, ValueLiteralExpression)]
    query = builder.values([[ResolvedLeaf(arg) for arg in folded]])
    with session.run_query(query).collect() as rows:
        return list(next(iter(rows)))


def _is_plain(expression: ResolvedExpression) -> bool:
    if not isinstance(expression, ValueLiteralExpression):
        return False
    value, type_ = expression.value, expression.output_type
    return isinstance(value, _AS_IT_IS) or (isinstance(value, (int, float)) and isinstance(type_, NUMERICS))


def _refuse_nulls(function: UserFunction, values: Sequence[Any], position: SourcePosition | None) -> None:
    signature = function.signatures[0]
    for number, value in enumerate(values):
        if value is None and signature.skips(number):
            raise ValidationException(
                f"The argument '{signature.parameter(number).name}' of {function.name} is NULL.",
                position=position,
                hint="the procedure does not take NULL: its annotation does not allow None",
            )


def _result(returned: Any, type_: ArrayType, identifier: ObjectIdentifier, session: TableSession) -> TableResult:
    """Returns the rows of a procedure, whose values are checked and converted as those of a row from elsewhere are."""
    element: LogicalType = type_.element_type
    zone = time_zone_of(session.config.get_local_timezone())
    converter = DataStructureConverter(DataType(type_), time_zone=zone)
    converter.open(RuntimeConverter.Context.empty())
    try:
        found = converter.to_external(converter.to_internal(returned))
    except ValidationException as error:
        raise TableRuntimeException(
            f"The procedure {identifier.object_name} returned a wrong value: {error.message}", hint=error.hint
        ) from error
    found = [] if found is None else found
    if isinstance(element, (RowType, StructuredType)):
        names = element.field_names
        return rows_of(((field.name, field.type) for field in element.fields), [_row(value, names) for value in found])
    return rows_of([("result", element)], [(value,) for value in found])


def _row(value: Any, names: Sequence[str]) -> Sequence[object]:
    if value is None:
        return (None,) * len(names)
    return tuple(value) if isinstance(value, Row) else tuple(getattr(value, name) for name in names)
