"""DESCRIBE, and the result rows shared with SHOW COLUMNS."""

from __future__ import annotations

from table_api.catalog import CatalogManager
from table_api.execution.local_result import rows_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.execution.show_create import ExpressionTexts, metadata_text
from table_api.operations.command import DescribeOperation
from table_api.table_result import TableResult
from table_common.catalog import Column, MetadataColumn, ResolvedSchema, Schema
from table_common.exceptions import TableException
from table_common.functions import FunctionDefinition
from table_common.secrets import mask_options
from table_common.types import BooleanType, LogicalType, VarCharType

_TEXT = VarCharType()
_COLUMNS: tuple[tuple[str, LogicalType], ...] = (
    ("name", _TEXT),
    ("type", _TEXT),
    ("null", BooleanType()),
    ("key", _TEXT),
    ("extras", _TEXT),
    ("watermark", _TEXT),
)


@execute.register(DescribeOperation)
def _describe(operation: DescribeOperation, session: TableSession) -> TableResult:
    match operation.kind:
        case "TABLE":
            return columns_result(*schemas_of(operation.path, session.catalog_manager))
        case "FILE":
            return columns_result(session.file_table(None, operation.path[0], {}).table.resolved_schema, None)
        case "CATALOG":
            return _catalog(operation, session)
        case "FUNCTION":
            return _function(operation, session)
        case "MODEL":
            from table_api.execution.model import described_model

            return described_model(operation.path, session)
        case "JOB":
            from table_api.execution.job_statements import described_job

            return described_job(operation.path[0], session)
        case kind:
            raise TableException(f"DESCRIBE {kind} is not supported in this version.")


def schemas_of(path: tuple[str, ...], catalogs: CatalogManager) -> tuple[ResolvedSchema, Schema | None]:
    """Returns the columns of a table or view and, of a table, its schema as declared.

    Raises:
        ValidationException: there is no table or view of that name.
    """
    from table_api.delegation import FoundTable

    found = catalogs.find_table(path)
    if found is None:
        raise catalogs.table_not_found(path)
    if isinstance(found, FoundTable):
        return found.table.resolved_schema, found.table.origin.schema
    assert found.schema is not None
    return found.schema, None


def columns_result(schema: ResolvedSchema, declared: Schema | None, only: frozenset[str] | None = None) -> TableResult:
    """Returns one row per column, or per column of ``only``; comments have a column if the table has any."""
    key = schema.primary_key
    texts = ExpressionTexts(schema, declared)
    chosen = [column for column in schema.columns if only is None or column.name in only]
    has_comments = any(column.comment is not None for column in schema.columns)
    rows: list[list[object]] = []
    for column in chosen:
        row: list[object] = [
            column.name,
            str(column.data_type.with_nullability(True)),
            column.data_type.nullable,
            f"PRI({', '.join(key.columns)})" if key is not None and column.name in key.columns else None,
            _extras(column, texts),
            texts.watermarks.get(column.name),
        ]
        rows.append([*row, column.comment] if has_comments else row)
    return rows_of([*_COLUMNS, ("comment", _TEXT)] if has_comments else _COLUMNS, rows)


def _extras(column: Column, texts: ExpressionTexts) -> str | None:
    if column.name in texts.computed:
        return f"AS {texts.computed[column.name]}"
    return metadata_text(column) if isinstance(column, MetadataColumn) else None


def _catalog(operation: DescribeOperation, session: TableSession) -> TableResult:
    name = operation.path[0]
    descriptor = session.catalog_manager.get_descriptor(name)
    if descriptor is None:
        raise TableException(f"Catalog '{name}' was not created from options, so there is nothing to describe.")
    rows = [("name", name), ("type", descriptor.options.get("type")), ("comment", descriptor.comment)]
    if operation.extended:
        rows += [(f"option:{key}", value) for key, value in sorted(mask_options(descriptor.options).items()) if key != "type"]
    return rows_of([("info name", _TEXT), ("info value", _TEXT)], rows)


def _function(operation: DescribeOperation, session: TableSession) -> TableResult:
    functions = session.function_catalog
    definition = functions.find_function(operation.path)
    if definition is None:
        raise functions.function_not_found(operation.path)
    temporary = functions.is_temporary(operation.path)
    stored = functions.stored_function(operation.path)
    is_built_in = stored is None or session.module_manager.has_function(operation.path[0])
    system = len(operation.path) == 1 and not temporary and is_built_in
    rows = [("is system function", str(system).lower()), ("is temporary", str(temporary).lower())]

    if stored is not None and not system:
        rows += [
            ("class name", stored.class_name),
            ("function language", stored.language),
            ("resource uris", f"[{', '.join(stored.artifacts)}]"),
        ]
    if operation.extended:
        rows += [
            ("kind", definition.kind.name),
            ("requirements", "[OVER_WINDOW_ONLY]" if definition.aggregate_traits.is_over_only else "[]"),
            ("is deterministic", str(definition.is_deterministic).lower()),
            ("supports constant folding", str(definition.supports_constant_folding).lower()),
            ("signature", "\n".join(f"{definition.name}({arguments})" for arguments in _signatures(definition))),
        ]
    return rows_of([("info name", _TEXT), ("info value", _TEXT)], rows)


def _signatures(definition: FunctionDefinition) -> list[str]:
    """Returns the signatures of a function as text, with argument names if it has any."""
    inference = definition.get_type_inference()
    names = inference.argument_names
    signatures = inference.input.signatures()
    if names is None:
        return signatures
    parts = [signature.split(", ") for signature in signatures]
    return [
        ", ".join(map(" ".join, zip(names, types, strict=True))) if len(types) == len(names) else signature
        for types, signature in zip(parts, signatures, strict=True)
    ]
