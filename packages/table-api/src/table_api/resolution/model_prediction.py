"""ML_PREDICT: its arguments, and the operation that it is; the same for SQL and the Table API.

It is the UNNEST of a call of a table function that runs the model: the columns of the table, then those of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.delegation import Session
from table_api.expressions.unresolved import Call, Literal, Span, UnresolvedExpression
from table_api.operations import QueryOperation, UnnestQueryOperation
from table_api.resolution.batch_calls import REQUEST_OPTIONS, BatchCaller
from table_api.resolution.call_arguments import Positions, constant_options, descriptor_columns, named_arguments
from table_api.resolution.casting import cast_to, same_type
from table_api.resolution.user_calls import for_session
from table_common.catalog import CatalogModel, ObjectIdentifier, ResolvedSchema
from table_common.configuration import ExecutionConfigOptions, ReadableConfig, resolved_options
from table_common.connector import (
    AsyncPredictRuntimeProvider,
    ModelProvider,
    PredictCall,
    PredictRuntimeProvider,
)
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.factories import ModelProviderFactory, validate_options
from table_common.frozen_dataclass import replace
from table_common.functions import UserFunction
from table_common.types import ArrayType, RowType, supports_implicit_cast

NAME = "ML_PREDICT"
_ARGUMENTS = ("input", "model", "args", "config")
_SIGNATURE = "ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(column, …)[, MAP['async', 'true', …]])"


def predict_arguments(args: Sequence[UnresolvedExpression], position: Positions) -> dict[str, UnresolvedExpression]:
    """Returns the arguments of a call by name, without those that are DEFAULT or NULL.

    Raises:
        ValidationException: an argument is unknown, missing, given twice, or by position among ones by name.
    """
    return named_arguments(NAME, _ARGUMENTS, 3, args, position, _SIGNATURE)


def model_path(value: UnresolvedExpression, position: Positions) -> tuple[str, ...]:
    """Returns the parts of the name of ``MODEL a.b.c``.

    Raises:
        ValidationException: the argument is something else.
    """
    if isinstance(value, Call) and value.function == ("MODEL",):
        return tuple(str(part.value) for part in value.args if isinstance(part, Literal))
    raise ValidationException(f"The argument 'model' of {NAME} must be a model: MODEL m.", position=position(value.span), hint=_SIGNATURE)


def columns_of(value: UnresolvedExpression, position: Positions) -> list[tuple[str, Span | None]]:
    """Returns the names in ``DESCRIPTOR(a, b)``.

    Raises:
        ValidationException: the argument is something else.
    """
    columns = descriptor_columns(value)
    if columns is None:
        raise ValidationException(
            f"The argument 'args' of {NAME} must name the columns that the model takes.",
            position=position(value.span),
            hint="write it as DESCRIPTOR(a, b)",
        )
    return columns


def config_of(value: UnresolvedExpression | None, position: Positions) -> dict[str, str]:
    """Returns the options of ``MAP['key', 'value', …]``.

    Raises:
        ValidationException: the argument is no map of constant texts.
    """
    return constant_options(NAME, value, position)


def predict(
    session: Session,
    child: QueryOperation,
    found: tuple[ObjectIdentifier, CatalogModel],
    columns: Sequence[tuple[str, Span | None]],
    config: Mapping[str, str],
    position: Positions,
) -> UnnestQueryOperation:
    """Returns the rows of ``child`` with the model's columns for them.

    Raises:
        ValidationException: the provider is not installed, an option of the model or of the call is wrong, or the columns are not those of INPUT.
    """
    identifier, model = found
    inputs, outputs = (_row_type(schema) for schema in (model.input_schema, model.output_schema))
    arguments = _arguments(identifier, inputs, child, columns, position)
    name = identifier.as_summary_string()
    where = f"{NAME} over model {name}"
    options = validate_options(config, (), REQUEST_OPTIONS, where)
    provider = _provider(session, identifier, model)
    call = PredictCall(identifier.parts, inputs, outputs, tuple(config.items()))
    caller = BatchCaller(
        where,
        f"the provider '{model.options.get(ModelProviderFactory.PROVIDER.key)}'",
        "model",
        session.configuration,
        ExecutionConfigOptions.TABLE_EXEC_ASYNC_ML_PREDICT_MAX_CONCURRENT_OPERATIONS,
        ExecutionConfigOptions.TABLE_EXEC_ASYNC_ML_PREDICT_TIMEOUT,
    )
    function = caller.function(
        call,
        options,
        provider if isinstance(provider, PredictRuntimeProvider) else None,
        provider if isinstance(provider, AsyncPredictRuntimeProvider) else None,
    )
    definition = for_session(UserFunction(function, f"{NAME}(MODEL {name})", deterministic=False), session)
    expression = CallExpression(definition, tuple(arguments), ArrayType(outputs))
    return UnnestQueryOperation(child, expression, unique_output_names(child.resolved_schema.column_names, outputs.field_names))


def _row_type(schema: ResolvedSchema) -> RowType:
    return RowType.of([(column.name, column.data_type) for column in schema.columns]).with_nullability(False)


def _arguments(
    identifier: ObjectIdentifier,
    inputs: RowType,
    child: QueryOperation,
    columns: Sequence[tuple[str, Span | None]],
    position: Positions,
) -> list[ResolvedExpression]:
    name = identifier.as_summary_string()
    accepted = ", ".join(f"{field.name} {field.type.summary()}" for field in inputs.fields)
    if len(columns) != len(inputs.fields):
        raise ValidationException(
            f"{NAME} got {len(columns)} columns, but model {name} takes {len(inputs.fields)}: {accepted}.",
            position=position(columns[0][1] if columns else None),
            hint="DESCRIPTOR names them in the order of INPUT",
        )
    schema = child.resolved_schema.columns
    arguments: list[ResolvedExpression] = []
    for (column_name, span), field in zip(columns, inputs.fields, strict=True):
        index = next((index for index, column in enumerate(schema) if column.name == column_name), None)
        if index is None:
            raise ValidationException.unknown("Column", column_name, [column.name for column in schema], where=f"the table of {NAME}").at(
                position(span)
            )
        type_ = schema[index].data_type
        reference = FieldReferenceExpression(column_name, type_, 0, index)
        if not supports_implicit_cast(type_, field.type):
            raise ValidationException(
                f"The column '{column_name}' of {NAME} is {type_.summary()}, but model {name} takes {accepted}.",
                position=position(span),
                hint=f"CAST({column_name} AS {field.type.summary()}) in a subquery",
            )
        arguments.append(reference if same_type(type_, field.type) else cast_to(reference, field.type.with_nullability(type_.nullable)))
    return arguments


def _provider(session: Session, identifier: ObjectIdentifier, model: CatalogModel) -> ModelProvider:
    kind = ReadableConfig(model.options).get_optional(ModelProviderFactory.PROVIDER)
    if kind is None:
        installed = ", ".join(ModelProviderFactory.identifiers()) or "none"
        raise ValidationException(
            f"Model {identifier.as_summary_string()} needs the option 'provider'. Installed model providers: {installed}."
        )
    factory: ModelProviderFactory = ModelProviderFactory.discover(kind)
    with resolved_options(model.options, f"model {identifier.as_summary_string()}") as options:
        context = ModelProviderFactory.Context(identifier, replace(model, options=options), session.configuration)
        return factory.create_model_provider(context)


def unique_output_names(taken: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Returns the names of the model's columns; those that the table has get a number, as in Flink."""
    used, unique = set(taken), []
    for name in names:
        free, number = name, 0
        while free in used:
            free, number = f"{name}{number}", number + 1
        used.add(free)
        unique.append(free)
    return tuple(unique)
