"""Statements about the session; they run on no engine (EXPLAIN asks one, a statement set runs on one)."""

from table_api.operations.command.describe import DescribeOperation
from table_api.operations.command.explain import ExplainOperation
from table_api.operations.command.module import LoadModuleOperation, UnloadModuleOperation, UseModulesOperation
from table_api.operations.command.set import ResetOperation, SetOperation
from table_api.operations.command.show import ShowLike, ShowOperation
from table_api.operations.command.statement_set import StatementSetOperation
from table_api.operations.command.use import UseCatalogOperation, UseDatabaseOperation

__all__ = [
    "DescribeOperation",
    "ExplainOperation",
    "LoadModuleOperation",
    "ResetOperation",
    "SetOperation",
    "ShowLike",
    "ShowOperation",
    "StatementSetOperation",
    "UnloadModuleOperation",
    "UseCatalogOperation",
    "UseDatabaseOperation",
    "UseModulesOperation",
]
