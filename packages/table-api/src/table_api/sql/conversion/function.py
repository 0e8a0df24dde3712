"""CREATE, ALTER and DROP FUNCTION."""

from __future__ import annotations

from dataclasses import replace

from table_api.operations import Operation
from table_api.operations.ddl import AlterFunctionOperation, CreateFunctionOperation, DropFunctionOperation
from table_api.sql.ast import AlterStatement, ChangeFunction, CreateFunction, DropStatement
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_common.catalog import CatalogFunction
from table_common.exceptions import TableException


@convert.register(CreateFunction)
def _create_function(node: CreateFunction, context: StatementContext) -> Operation:
    if node.options:
        raise TableException("CREATE FUNCTION takes no WITH: a Python class is found by its module.")
    if any(resource.kind == "JAR" for resource in node.resources):
        raise TableException(
            "CREATE FUNCTION takes no JAR: there is no Java virtual machine in the process.",
            hint="LANGUAGE PYTHON USING ARTIFACT 'functions.whl'",
        )
    from table_api.python_files import local_path  # few functions have artifacts

    function = replace(_function(node.class_name, node.language), artifacts=tuple(local_path(each.path) for each in node.resources))
    return CreateFunctionOperation(node.path, function, node.if_not_exists, node.temporary, node.system)


def _function(class_name: str, language: str | None) -> CatalogFunction:
    if language not in (None, "PYTHON"):
        raise TableException(f"Functions of the language {language} cannot be run.", hint="AS 'module.Class' LANGUAGE PYTHON")
    return CatalogFunction(class_name)


def alter_function(node: AlterStatement, action: ChangeFunction, context: StatementContext) -> Operation:
    """Returns the operation of ALTER FUNCTION."""
    # Differs from Flink: ALTER TEMPORARY [SYSTEM] FUNCTION changes temporary functions, too. Flink parses the statement and refuses it.
    function = _function(action.class_name, action.language)
    return AlterFunctionOperation(node.path, function, node.if_exists, node.temporary, node.system)


def drop_function(node: DropStatement, context: StatementContext) -> Operation:
    """Returns the operation of DROP FUNCTION."""
    return DropFunctionOperation(node.path, node.if_exists, node.temporary, node.system)
