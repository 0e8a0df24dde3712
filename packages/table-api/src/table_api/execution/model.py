"""Statements about models."""

from __future__ import annotations

from dataclasses import replace

from table_api.execution.local_result import ok, rows_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import AlterModelOperation, CreateModelOperation, DropModelOperation
from table_api.table_result import TableResult
from table_common.secrets import mask_options
from table_common.types import BooleanType, VarCharType, quote_identifier, quote_string


@execute.register(CreateModelOperation)
def _create(operation: CreateModelOperation, session: TableSession) -> TableResult:
    session.models.create(operation.path, operation.model, operation.ignore_if_exists, is_temporary=operation.is_temporary)
    return ok()


@execute.register(AlterModelOperation)
def _alter(operation: AlterModelOperation, session: TableSession) -> TableResult:
    if operation.ignore_if_not_exists and session.models.find(operation.path) is None:
        return ok()
    if operation.new_name is not None:
        session.models.rename(operation.path, operation.new_name)
        return ok()
    _, model, _ = session.models.get(operation.path)
    options = {key: value for key, value in {**model.options, **operation.set}.items() if key not in operation.reset}
    session.models.alter(operation.path, replace(model, options=options))
    return ok()


@execute.register(DropModelOperation)
def _drop(operation: DropModelOperation, session: TableSession) -> TableResult:
    session.models.drop(operation.path, operation.ignore_if_not_exists, is_temporary=operation.is_temporary)
    return ok()


def described_model(path: tuple[str, ...], session: TableSession) -> TableResult:
    """Returns the result of DESCRIBE MODEL: one row per input or output column."""
    _, model, _ = session.models.get(path)
    text = VarCharType()
    rows = [
        (column.name, str(column.data_type.with_nullability(True)), column.data_type.nullable, is_input)
        for schema, is_input in ((model.input_schema, True), (model.output_schema, False))
        for column in schema.columns
    ]
    return rows_of([("name", text), ("type", text), ("null", BooleanType()), ("is input", BooleanType())], rows)


def create_model_text(path: tuple[str, ...], session: TableSession) -> str:
    """Returns ``CREATE MODEL …``; secrets among the options are masked."""
    identifier, model, is_temporary = session.models.get(path)
    lines = [f"CREATE {'TEMPORARY ' if is_temporary else ''}MODEL {identifier}"]
    for word, schema in (("INPUT", model.input_schema), ("OUTPUT", model.output_schema)):
        if schema.columns:
            columns = (f"{quote_identifier(column.name)} {column.data_type.serializable()}" for column in schema.columns)
            lines.append(f"{word} ({', '.join(columns)})")
    if model.comment:
        lines.append(f"COMMENT {quote_string(model.comment)}")
    options = (f"  {quote_string(key)} = {quote_string(value)}" for key, value in sorted(mask_options(model.options).items()))
    return "\n".join([*lines, "WITH (", ",\n".join(options), ")", ""])
