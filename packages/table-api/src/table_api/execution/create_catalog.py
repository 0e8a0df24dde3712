"""CREATE DATABASE and CREATE CATALOG."""

from __future__ import annotations

from table_api.catalog import CatalogDescriptor
from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import CreateCatalogOperation, CreateDatabaseOperation
from table_api.table_result import TableResult


@execute.register(CreateDatabaseOperation)
def _create_database(operation: CreateDatabaseOperation, session: TableSession) -> TableResult:
    session.catalog_manager.create_database(operation.catalog_name, operation.database_name, operation.database, operation.ignore_if_exists)
    return ok()


@execute.register(CreateCatalogOperation)
def _create_catalog(operation: CreateCatalogOperation, session: TableSession) -> TableResult:
    descriptor = CatalogDescriptor(dict(operation.options), operation.comment)
    session.catalog_manager.create_catalog(operation.name, descriptor, operation.ignore_if_exists)
    return ok()
