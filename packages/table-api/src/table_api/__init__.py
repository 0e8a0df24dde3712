"""The Table API: what application authors import.

Programs written for ``pyflink.table`` run after changing that name to ``table_api`` in their imports. Each name is imported at its first
use, which keeps ``import table_api`` fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from table_api.catalog import CatalogDescriptor, GenericInMemoryCatalog, ModuleEntry
    from table_api.delegation import ExplainDetail, JobClient, JobStatus
    from table_api.environment.model_methods import ModelDescriptor
    from table_api.environment.table_environment import TableEnvironment
    from table_api.environment_settings import EnvironmentSettings
    from table_api.expressions import Expression, call, col, lit
    from table_api.pyflink_names.stream_table_environment import StreamTableEnvironment
    from table_api.python_data.user_defined_type import UserDefinedType
    from table_api.rendering import PlanGraph
    from table_api.table_config import SqlDialect, TableConfig
    from table_api.table_descriptor import FormatDescriptor, TableDescriptor
    from table_api.table_result import CloseableIterator, LiveTable, ResultKind, TableResult
    from table_api.table_schema import TableSchema
    from table_api.tables.compiled_plan import CompiledPlan, PlanReference
    from table_api.tables.group_windows import GroupWindowedTable, WindowGroupedTable
    from table_api.tables.grouped_table import GroupedTable
    from table_api.tables.over_windows import OverWindowedTable
    from table_api.tables.statement_set import StatementSet
    from table_api.tables.table import Table
    from table_api.tables.table_pipeline import TablePipeline
    from table_common.catalog import Catalog, ResolvedSchema, Schema
    from table_common.configuration import Configuration
    from table_common.connector import ChangelogMode
    from table_common.data import NanosecondDatetime, NanosecondTime, NanosecondTimedelta, Row, RowKind
    from table_common.exceptions import (
        CatalogException,
        JobCancelledException,
        JobTimeoutException,
        SqlParserException,
        TableError,
        TableException,
        TableInternalError,
        TableRuntimeException,
        ValidationException,
    )
    from table_common.functions import (
        AggregateFunction,
        AsyncScalarFunction,
        DataView,
        FunctionContext,
        ListView,
        MapView,
        ScalarFunction,
        TableAggregateFunction,
        TableFunction,
        UserDefinedFunction,
    )
    from table_common.module import Module
    from table_common.types import DataTypes

__all__ = [
    "AggregateFunction",
    "AsyncScalarFunction",
    "Catalog",
    "CatalogDescriptor",
    "CatalogException",
    "ChangelogMode",
    "CloseableIterator",
    "CompiledPlan",
    "Configuration",
    "DataTypes",
    "DataView",
    "EnvironmentSettings",
    "ExplainDetail",
    "Expression",
    "FormatDescriptor",
    "FunctionContext",
    "GenericInMemoryCatalog",
    "GroupWindowedTable",
    "GroupedTable",
    "JobCancelledException",
    "JobClient",
    "JobStatus",
    "JobTimeoutException",
    "ListView",
    "LiveTable",
    "MapView",
    "ModelDescriptor",
    "Module",
    "ModuleEntry",
    "NanosecondDatetime",
    "NanosecondTime",
    "NanosecondTimedelta",
    "OverWindowedTable",
    "PlanGraph",
    "PlanReference",
    "ResolvedSchema",
    "ResultKind",
    "Row",
    "RowKind",
    "ScalarFunction",
    "Schema",
    "SqlDialect",
    "SqlParserException",
    "StatementSet",
    "StreamTableEnvironment",
    "Table",
    "TableAggregateFunction",
    "TableConfig",
    "TableDescriptor",
    "TableEnvironment",
    "TableError",
    "TableException",
    "TableFunction",
    "TableInternalError",
    "TablePipeline",
    "TableResult",
    "TableRuntimeException",
    "TableSchema",
    "UserDefinedFunction",
    "UserDefinedType",
    "ValidationException",
    "WindowGroupedTable",
    "call",
    "col",
    "lit",
]

_NAMES_OF = {
    "table_api.catalog": ("CatalogDescriptor", "GenericInMemoryCatalog", "ModuleEntry"),
    "table_api.tables.compiled_plan": ("CompiledPlan", "PlanReference"),
    "table_api.delegation": ("ExplainDetail", "JobClient", "JobStatus"),
    "table_api.environment_settings": ("EnvironmentSettings",),
    "table_api.expressions": ("Expression", "call", "col", "lit"),
    "table_api.tables.group_windows": ("GroupWindowedTable", "WindowGroupedTable"),
    "table_api.tables.grouped_table": ("GroupedTable",),
    "table_api.environment.model_methods": ("ModelDescriptor",),
    "table_api.tables.over_windows": ("OverWindowedTable",),
    "table_api.rendering": ("PlanGraph",),
    "table_api.tables.statement_set": ("StatementSet",),
    "table_api.pyflink_names.stream_table_environment": ("StreamTableEnvironment",),
    "table_api.tables.table": ("Table",),
    "table_api.table_config": ("SqlDialect", "TableConfig"),
    "table_api.table_descriptor": ("FormatDescriptor", "TableDescriptor"),
    "table_api.environment.table_environment": ("TableEnvironment",),
    "table_api.tables.table_pipeline": ("TablePipeline",),
    "table_api.table_schema": ("TableSchema",),
    "table_api.table_result": ("CloseableIterator", "LiveTable", "ResultKind", "TableResult"),
    "table_api.python_data.user_defined_type": ("UserDefinedType",),
    "table_common.catalog": ("Catalog", "ResolvedSchema", "Schema"),
    "table_common.configuration": ("Configuration",),
    "table_common.connector": ("ChangelogMode",),
    "table_common.data": ("NanosecondDatetime", "NanosecondTime", "NanosecondTimedelta", "Row", "RowKind"),
    "table_common.exceptions": (
        "CatalogException",
        "JobCancelledException",
        "JobTimeoutException",
        "SqlParserException",
        "TableError",
        "TableException",
        "TableInternalError",
        "TableRuntimeException",
        "ValidationException",
    ),
    "table_common.functions": (
        "AggregateFunction",
        "AsyncScalarFunction",
        "DataView",
        "FunctionContext",
        "ListView",
        "MapView",
        "ScalarFunction",
        "TableAggregateFunction",
        "TableFunction",
        "UserDefinedFunction",
    ),
    "table_common.module": ("Module",),
    "table_common.types": ("DataTypes",),
}
_HOME = {name: module for module, names in _NAMES_OF.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'table_api' has no attribute '{name}'")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
