"""ML_PREDICT: its arguments, and the operation that it is; the same for SQL and the Table API.

It is the UNNEST of a call of a table function that runs the model: the columns of the table, then those of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from table_api.delegation import Session
from table_api.expressions.unresolved import Call, Literal, NamedArgument, Reference, Span, Symbol, UnresolvedExpression
from table_api.operations import QueryOperation, UnnestQueryOperation
from table_api.resolution.casting import cast_to, same_type
from table_api.resolution.user_calls import for_session
from table_common.catalog import CatalogModel, ObjectIdentifier, ResolvedSchema
from table_common.configuration import ConfigOptions, ExecutionConfigOptions, ReadableConfig, resolved_options
from table_common.connector import (
    AsyncPredictRuntimeProvider,
    AsyncPredictTableFunction,
    ModelProvider,
    PredictCall,
    PredictRuntimeProvider,
    PredictTableFunction,
)
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.factories import ModelProviderFactory, validate_options
from table_common.frozen_dataclass import replace
from table_common.functions import UserFunction
from table_common.functions.builtin import collections, conversion
from table_common.types import ArrayType, RowType, supports_implicit_cast

NAME = "ML_PREDICT"
_ARGUMENTS = ("input", "model", "args", "config")
_SIGNATURE = "ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(column, …)[, MAP['async', 'true', …]])"
_ASYNC = (
    ConfigOptions.key("async")
    .boolean_type()
    .no_default_value()
    .with_description("Whether many requests run at once; by default if the provider of the model can.")
)
_OPERATIONS = (
    ConfigOptions.key("max-concurrent-operations")
    .int_type()
    .no_default_value()
    .with_description("The maximal number of requests that run at once.")
)
_TIMEOUT = (
    ConfigOptions.key("timeout").duration_type().no_default_value().with_description("The time limit of a request with all its attempts.")
)
_OUTPUT_MODE = (
    ConfigOptions.key("output-mode")
    .enum_type("ORDERED", "ALLOW_UNORDERED")
    .no_default_value()
    .with_description("Whether rows have to stay in their order. They always do.")
)

Positions = Callable[[Span | None], SourcePosition | None]


def predict_arguments(args: Sequence[UnresolvedExpression], position: Positions) -> dict[str, UnresolvedExpression]:
    """Returns the arguments of a call by name, without those that are DEFAULT or NULL.

    Raises:
        ValidationException: an argument is unknown, missing, given twice, or by position among ones by name.
    """
    given: dict[str, UnresolvedExpression] = {}
    is_named = any(isinstance(arg, NamedArgument) for arg in args)
    for number, arg in enumerate(args):
        value = arg
        if isinstance(arg, NamedArgument):
            name, value = arg.name.lower(), arg.value
            if name not in _ARGUMENTS:
                raise ValidationException.unknown("Argument", arg.name, _ARGUMENTS, where=NAME).at(position(arg.span))
        elif is_named:
            raise ValidationException(
                f"The arguments of {NAME} must be either all named or all positional.", position=position(arg.span), hint=_SIGNATURE
            )
        elif number < len(_ARGUMENTS):
            name = _ARGUMENTS[number]
        else:
            raise ValidationException(
                f"{NAME} has at most {len(_ARGUMENTS)} arguments, but got {len(args)}.", position=position(arg.span), hint=_SIGNATURE
            )
        if name in given:
            raise ValidationException(f"{NAME} got the argument '{name}' twice.", position=position(arg.span))
        given[name] = value
    given = {
        name: value
        for name, value in given.items()
        if not isinstance(value, Symbol) and not (isinstance(value, Literal) and value.value is None)
    }
    missing = [name for name in _ARGUMENTS[:3] if name not in given]
    if missing:
        raise ValidationException(f"{NAME} lacks the argument '{missing[0]}'.", hint=_SIGNATURE)
    return given


def model_path(value: UnresolvedExpression, position: Positions) -> tuple[str, ...]:
    """Returns the parts of the name of ``MODEL a.b.c``.

    Raises:
        ValidationException: the argument is something else.
    """
    if isinstance(value, Call) and value.function == ("MODEL",):
        return tuple(str(part.value) for part in value.args if isinstance(part, Literal))
    raise ValidationException(f"The argument 'model' of {NAME} must be a model: MODEL m.", position=position(value.span), hint=_SIGNATURE)


def descriptor_columns(value: UnresolvedExpression, position: Positions) -> list[tuple[str, Span | None]]:
    """Returns the names in ``DESCRIPTOR(a, b)``.

    Raises:
        ValidationException: the argument is something else.
    """
    if isinstance(value, Call) and value.function == ("DESCRIPTOR",):
        return [(column.path[-1], column.span) for column in value.args if isinstance(column, Reference)]
    raise ValidationException(
        f"The argument 'args' of {NAME} must name the columns that the model takes.",
        position=position(value.span),
        hint="write it as DESCRIPTOR(a, b)",
    )


def config_of(value: UnresolvedExpression | None, position: Positions) -> dict[str, str]:
    """Returns the options of ``MAP['key', 'value', …]``.

    Raises:
        ValidationException: the argument is no map of constant texts.
    """
    if value is None:
        return {}
    if isinstance(value, Call) and value.function in (collections.MAP, ("MAP",)):
        values = [one.args[0] if isinstance(one, Call) and one.function is conversion.CAST else one for one in value.args]
        texts = [one.value for one in values if isinstance(one, Literal) and isinstance(one.value, str)]
        if len(texts) == len(value.args) and len(texts) % 2 == 0:
            return dict(zip(texts[::2], texts[1::2], strict=True))
    raise ValidationException(
        f"The argument 'config' of {NAME} must be a map of constant texts.",
        position=position(value.span),
        hint="write it as MAP['async', 'true', 'timeout', '30 s']",
    )


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
    options = validate_options(config, (), (_ASYNC, _OPERATIONS, _TIMEOUT, _OUTPUT_MODE), where)
    provider = _provider(session, identifier, model)
    call = PredictCall(identifier.parts, inputs, outputs, tuple(config.items()))
    function = _function(session, call, provider, options, model, where)
    definition = for_session(UserFunction(function, f"{NAME}(MODEL {name})", deterministic=False), session)
    expression = CallExpression(definition, tuple(arguments), ArrayType(outputs))
    return UnnestQueryOperation(child, expression, _unique_names(child.resolved_schema.column_names, outputs.field_names))


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


def _function(
    session: Session, call: PredictCall, provider: ModelProvider, options: ReadableConfig, model: CatalogModel, where: str
) -> PredictTableFunction | AsyncPredictTableFunction:
    wants = options.get_optional(_ASYNC)
    kind = model.options.get(ModelProviderFactory.PROVIDER.key)
    if isinstance(provider, AsyncPredictRuntimeProvider) and wants is not False:
        configuration = session.configuration
        operations = options.get_optional(_OPERATIONS)
        if operations is None:
            operations = configuration.get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_ML_PREDICT_MAX_CONCURRENT_OPERATIONS)
        timeout = options.get_optional(_TIMEOUT)
        if timeout is None:
            timeout = configuration.get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_ML_PREDICT_TIMEOUT)
        assert operations is not None
        assert timeout is not None
        if operations < 1:
            raise ValidationException(f"{where}: 'max-concurrent-operations' is {operations}, but must be at least 1.")
        if timeout.total_seconds() <= 0:
            raise ValidationException(f"{where}: 'timeout' must be longer than 0.")
        return AsyncPredictTableFunction(call, provider, operations, timeout)
    if wants:
        raise ValidationException(
            f"{where} asks for asynchronous requests, but the provider '{kind}' cannot make them for this model.",
            hint="leave 'async' out, or set it to 'false'",
        )
    useless = [key for key in (_OPERATIONS.key, _TIMEOUT.key, _OUTPUT_MODE.key) if dict(call.config).get(key) is not None]
    if useless:
        raise ValidationException(
            f"{where}: '{useless[0]}' is for asynchronous requests, but these are synchronous.", hint="leave the option out"
        )
    if isinstance(provider, PredictRuntimeProvider):
        return PredictTableFunction(call, provider)
    raise ValidationException(
        f"{where} asks for synchronous requests, but the provider '{kind}' makes only asynchronous ones for this model.",
        hint="leave 'async' out, or set it to 'true'",
    )


def _unique_names(taken: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Returns the names of the model's columns; those that the table has get a number, as in Flink."""
    used, unique = set(taken), []
    for name in names:
        free, number = name, 0
        while free in used:
            free, number = f"{name}{number}", number + 1
        used.add(free)
        unique.append(free)
    return tuple(unique)
