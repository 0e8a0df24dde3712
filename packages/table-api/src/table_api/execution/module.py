"""Modules: LOAD, UNLOAD and USE."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.command import LoadModuleOperation, UnloadModuleOperation, UseModulesOperation
from table_api.table_result import TableResult


@execute.register(LoadModuleOperation)
def _load_module(operation: LoadModuleOperation, session: TableSession) -> TableResult:
    session.module_manager.load_module(operation.name, options=operation.options)
    return ok()


@execute.register(UnloadModuleOperation)
def _unload_module(operation: UnloadModuleOperation, session: TableSession) -> TableResult:
    session.module_manager.unload_module(operation.name)
    return ok()


@execute.register(UseModulesOperation)
def _use_modules(operation: UseModulesOperation, session: TableSession) -> TableResult:
    session.module_manager.use_modules(*operation.names)
    return ok()
