"""CREATE, ALTER and DROP FUNCTION."""

from __future__ import annotations

from table_api.catalog.function_loading import check_class_name
from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import AlterFunctionOperation, CreateFunctionOperation, DropFunctionOperation
from table_api.table_result import TableResult


@execute.register(CreateFunctionOperation)
def _create(operation: CreateFunctionOperation, session: TableSession) -> TableResult:
    functions, path = session.function_catalog, operation.path
    check_class_name(operation.function.class_name)
    if not operation.is_temporary:
        functions.add_artifacts(operation.function)
        functions.create_function(path, operation.function, operation.ignore_if_exists)
        return ok()
    definition = functions.load(operation.function, path[-1])
    if operation.is_system:
        functions.create_temporary_system_function(path[0], definition, operation.ignore_if_exists)
    else:
        functions.create_temporary_function(path, definition, operation.ignore_if_exists)
    return ok()


@execute.register(AlterFunctionOperation)
def _alter(operation: AlterFunctionOperation, session: TableSession) -> TableResult:
    functions, path = session.function_catalog, operation.path
    check_class_name(operation.function.class_name)
    if not operation.is_temporary:
        functions.alter_function(path, operation.function, operation.ignore_if_not_exists)
        return ok()
    definition = functions.load(operation.function, path[-1])
    if operation.is_system:
        if functions.drop_temporary_system_function(path[0], operation.ignore_if_not_exists):
            functions.create_temporary_system_function(path[0], definition)
    elif functions.drop_temporary_function(path, operation.ignore_if_not_exists):
        functions.create_temporary_function(path, definition)
    return ok()


@execute.register(DropFunctionOperation)
def _drop(operation: DropFunctionOperation, session: TableSession) -> TableResult:
    functions, path, ignore = session.function_catalog, operation.path, operation.ignore_if_not_exists
    if operation.is_system:
        functions.drop_temporary_system_function(path[0], ignore)
    elif operation.is_temporary:
        functions.drop_temporary_function(path, ignore)
    else:
        functions.drop_function(path, ignore)
    return ok()
