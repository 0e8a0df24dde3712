"""SHOW."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from table_api.delegation import FoundTable, FoundView
from table_api.execution.describe import columns_result, schemas_of
from table_api.execution.local_result import rows_of, text_of, texts_of
from table_api.execution.partition import permanent_table
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.execution.show_create import create_catalog_text, create_table_text, create_view_text
from table_api.operations.command import ShowLike, ShowOperation
from table_api.table_result import TableResult
from table_common.catalog import CatalogMaterializedTable, CatalogView
from table_common.exceptions import CatalogException, TableException, ValidationException
from table_common.frozen_dataclass import replace
from table_common.types import BooleanType, VarCharType

_NONE_EXIST = {"JARS": "jars"}
"""Kinds of objects that this version does not have, with the name of their result column."""


@execute.register(ShowOperation)
def _show(operation: ShowOperation, session: TableSession) -> TableResult:
    if operation.kind in _NONE_EXIST:
        return texts_of(_NONE_EXIST[operation.kind], ())
    handler = _HANDLERS.get(operation.kind)
    if handler is None:
        raise TableException(f"SHOW {operation.kind} is not supported in this version.")
    return handler(operation, session)


def like_filter(names: Iterable[str], like: ShowLike | None) -> list[str]:
    """Returns the names that match the pattern, or all of them without one."""
    if like is None:
        return list(names)
    parts = []
    for token in re.findall(r"\\.|.", like.pattern, re.DOTALL):
        parts.append(".*" if token == "%" else "." if token == "_" else re.escape(token[-1]))
    pattern = re.compile("".join(parts), re.DOTALL | (re.IGNORECASE if like.ignore_case else 0))
    return [name for name in names if (pattern.fullmatch(name) is None) == like.negated]


def _catalogs(operation: ShowOperation, session: TableSession) -> TableResult:
    return texts_of("catalog name", like_filter(session.catalog_manager.list_catalogs(), operation.like))


def _databases(operation: ShowOperation, session: TableSession) -> TableResult:
    if len(operation.path) > 1:
        raise ValidationException(f"SHOW DATABASES takes the name of a catalog, but got {'.'.join(operation.path)}.")
    names = session.catalog_manager.list_databases(operation.path[0] if operation.path else None)
    return texts_of("database name", like_filter(names, operation.like))


def _tables(operation: ShowOperation, session: TableSession) -> TableResult:
    return texts_of("table name", like_filter(session.catalog_manager.list_tables(*_database(operation, session)), operation.like))


def _views(operation: ShowOperation, session: TableSession) -> TableResult:
    return texts_of("view name", like_filter(session.catalog_manager.list_views(*_database(operation, session)), operation.like))


def _database(operation: ShowOperation, session: TableSession) -> tuple[str, str]:
    manager = session.catalog_manager
    if len(operation.path) > 2:
        raise ValidationException(f"SHOW {operation.kind} takes [catalog.]database, but got {'.'.join(operation.path)}.")
    if not operation.path:
        return manager.current_catalog, manager.current_database
    return (manager.current_catalog if len(operation.path) == 1 else operation.path[0]), operation.path[-1]


def _columns(operation: ShowOperation, session: TableSession) -> TableResult:
    schema, declared = schemas_of(operation.path, session.catalog_manager)
    return columns_result(schema, declared, frozenset(like_filter(schema.column_names, operation.like)))


def _partitions(operation: ShowOperation, session: TableSession) -> TableResult:
    found = permanent_table(session.catalog_manager.qualify(operation.path), session)
    assert found is not None
    catalog, path, table = found
    default_name = table.options.get("partition.default-name", "__HIVE_DEFAULT_PARTITION__")
    return texts_of("partition name", (spec.to_text(default_name) for spec in catalog.list_partitions(path, operation.partition)))


def _functions(operation: ShowOperation, session: TableSession) -> TableResult:
    return _function_names(session.function_catalog.list_functions(database=_database(operation, session)), operation.like)


def _user_functions(operation: ShowOperation, session: TableSession) -> TableResult:
    return _function_names(session.function_catalog.list_user_defined_functions(database=_database(operation, session)), operation.like)


def _function_names(names: Iterable[str], like: ShowLike | None) -> TableResult:
    # Differs from Flink: SHOW FUNCTIONS LIKE compares without case, as function names are; Flink has names in both cases and compares with it.
    return texts_of("function name", like_filter(names, replace(like, ignore_case=True) if like is not None else None))


def _procedures(operation: ShowOperation, session: TableSession) -> TableResult:
    catalog, database = _database(operation, session)
    return texts_of("procedure name", like_filter(session.catalog_manager.get_catalog(catalog).list_procedures(database), operation.like))


def _modules(operation: ShowOperation, session: TableSession) -> TableResult:
    return texts_of("module name", like_filter(session.module_manager.list_modules(), operation.like))


def _full_modules(operation: ShowOperation, session: TableSession) -> TableResult:
    rows = [(entry.name(), entry.used()) for entry in session.module_manager.list_full_modules()]
    return rows_of([("module name", VarCharType()), ("used", BooleanType())], rows)


def _jobs(operation: ShowOperation, session: TableSession) -> TableResult:
    from table_api.execution.job_statements import jobs_result

    return jobs_result(session)


def _models(operation: ShowOperation, session: TableSession) -> TableResult:
    return texts_of("model name", like_filter(session.models.list_models(*_database(operation, session)), operation.like))


def _materialized_tables(operation: ShowOperation, session: TableSession) -> TableResult:
    from table_api.execution.materialized_table import shown_materialized_tables

    catalog, database = _database(operation, session)
    names = session.catalog_manager.get_catalog(catalog).list_materialized_tables(database)
    return shown_materialized_tables(catalog, database, like_filter(names, operation.like), session)


def _create_materialized_table(operation: ShowOperation, session: TableSession) -> TableResult:
    found = _found(operation, session)
    if not isinstance(found, FoundTable) or not isinstance(found.table.origin, CatalogMaterializedTable):
        kind = "table" if isinstance(found, FoundTable) else "view"
        raise CatalogException(f"{found.identifier} is a {kind}, not a materialized table.", hint=f"SHOW CREATE {kind.upper()}")
    return text_of(create_table_text(found.identifier, found.table, found.is_temporary))


def _create_model(operation: ShowOperation, session: TableSession) -> TableResult:
    from table_api.execution.model import create_model_text

    return text_of(create_model_text(operation.path, session))


def _current_catalog(operation: ShowOperation, session: TableSession) -> TableResult:
    return texts_of("current catalog name", [session.catalog_manager.current_catalog])


def _current_database(operation: ShowOperation, session: TableSession) -> TableResult:
    return texts_of("current database name", [session.catalog_manager.current_database])


def _create_table(operation: ShowOperation, session: TableSession) -> TableResult:
    found = _found(operation, session)
    if not isinstance(found, FoundTable):
        raise CatalogException(f"{found.identifier} is a view, not a table.", hint="SHOW CREATE VIEW")
    if isinstance(found.table.origin, CatalogMaterializedTable):
        raise CatalogException(f"{found.identifier} is a materialized table, not a table.", hint="SHOW CREATE MATERIALIZED TABLE")
    return text_of(create_table_text(found.identifier, found.table, found.is_temporary))


def _create_view(operation: ShowOperation, session: TableSession) -> TableResult:
    found = _found(operation, session)
    if not isinstance(found, FoundView):
        raise CatalogException(f"{found.identifier} is a table, not a view.", hint="SHOW CREATE TABLE")
    stored = session.catalog_manager.get_object(found.identifier)
    assert stored is not None
    assert isinstance(stored[0], CatalogView)
    assert found.schema is not None
    view = stored[0]
    if found.operation is not None:
        query = session.query_text(found.operation)
        view = CatalogView(view.schema, view.comment, view.options, query, query)
    return text_of(create_view_text(found.identifier, view, found.schema, found.is_temporary))


def _found(operation: ShowOperation, session: TableSession) -> FoundTable | FoundView:
    found = session.catalog_manager.find_table(operation.path)
    if found is None:
        raise session.catalog_manager.table_not_found(operation.path)
    return found


def _create_catalog(operation: ShowOperation, session: TableSession) -> TableResult:
    name = operation.path[0]
    descriptor = session.catalog_manager.get_descriptor(name)
    if descriptor is None:
        raise TableException(f"Catalog '{name}' was not created from options, so there is no statement that creates it.")
    return text_of(create_catalog_text(name, descriptor))


_HANDLERS: dict[str, Callable[[ShowOperation, TableSession], TableResult]] = {
    "CATALOGS": _catalogs,
    "DATABASES": _databases,
    "TABLES": _tables,
    "VIEWS": _views,
    "COLUMNS": _columns,
    "PARTITIONS": _partitions,
    "FUNCTIONS": _functions,
    "USER FUNCTIONS": _user_functions,
    "PROCEDURES": _procedures,
    "MODULES": _modules,
    "FULL MODULES": _full_modules,
    "MODELS": _models,
    "JOBS": _jobs,
    "MATERIALIZED TABLES": _materialized_tables,
    "CREATE MATERIALIZED TABLE": _create_materialized_table,
    "CURRENT CATALOG": _current_catalog,
    "CURRENT DATABASE": _current_database,
    "CREATE TABLE": _create_table,
    "CREATE VIEW": _create_view,
    "CREATE CATALOG": _create_catalog,
    "CREATE MODEL": _create_model,
}
