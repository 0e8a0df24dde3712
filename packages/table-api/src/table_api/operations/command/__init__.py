"""Statements about the session; they run on no engine (EXPLAIN asks one, a statement set runs on one)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.operations.command.analyze import AnalyzeTableOperation
    from table_api.operations.command.compiled_plan import (
        CompileAndExecutePlanOperation,
        CompilePlanOperation,
        ExecutePlanOperation,
    )
    from table_api.operations.command.describe import DescribeOperation
    from table_api.operations.command.explain import ExplainOperation
    from table_api.operations.command.module import LoadModuleOperation, UnloadModuleOperation, UseModulesOperation
    from table_api.operations.command.set_option import ResetOperation, SetOptionOperation
    from table_api.operations.command.show import ShowLike, ShowOperation
    from table_api.operations.command.statement_set import StatementSetOperation
    from table_api.operations.command.stop_job import StopJobOperation
    from table_api.operations.command.use import UseCatalogOperation, UseDatabaseOperation

__all__ = [
    "AnalyzeTableOperation",
    "CompileAndExecutePlanOperation",
    "CompilePlanOperation",
    "DescribeOperation",
    "ExecutePlanOperation",
    "ExplainOperation",
    "LoadModuleOperation",
    "ResetOperation",
    "SetOptionOperation",
    "ShowLike",
    "ShowOperation",
    "StatementSetOperation",
    "StopJobOperation",
    "UnloadModuleOperation",
    "UseCatalogOperation",
    "UseDatabaseOperation",
    "UseModulesOperation",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.operations.command.analyze": ("AnalyzeTableOperation",),
        "table_api.operations.command.compiled_plan": (
            "CompileAndExecutePlanOperation",
            "CompilePlanOperation",
            "ExecutePlanOperation",
        ),
        "table_api.operations.command.describe": ("DescribeOperation",),
        "table_api.operations.command.explain": ("ExplainOperation",),
        "table_api.operations.command.module": ("LoadModuleOperation", "UnloadModuleOperation", "UseModulesOperation"),
        "table_api.operations.command.set_option": ("ResetOperation", "SetOptionOperation"),
        "table_api.operations.command.show": ("ShowLike", "ShowOperation"),
        "table_api.operations.command.statement_set": ("StatementSetOperation",),
        "table_api.operations.command.stop_job": ("StopJobOperation",),
        "table_api.operations.command.use": ("UseCatalogOperation", "UseDatabaseOperation"),
    },
)
