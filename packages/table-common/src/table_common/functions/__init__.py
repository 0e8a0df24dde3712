"""Functions: definitions, the classes that users derive from, hints. The built-in registry is ``table_common.functions.builtin``.

What only user functions need is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.functions.aggregate_traits import AggregateTraits, DistinctEffect, OverNothing
from table_common.functions.definition import BuiltInFunctionDefinition, FunctionDefinition, FunctionKind
from table_common.functions.monotonicity import Monotonicity
from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.functions.archives import link_archives, unpacked_archive
    from table_common.functions.context import FunctionContext
    from table_common.functions.engine_function import AnyArguments, EngineFunction
    from table_common.functions.extraction import ExtractedFunction, Parameter, Signature, extract_function
    from table_common.functions.foreign_functions import FOREIGN_FUNCTIONS
    from table_common.functions.hinting import FunctionHint, function_hint
    from table_common.functions.json_path import JsonPath, JsonPathStep, parse_json_path
    from table_common.functions.map_keys import null_map_key
    from table_common.functions.metric_totals import (
        add_metrics,
        function_metrics,
        merge_metrics,
        report_metrics,
        reset_function_metrics,
        set_metric_receiver,
    )
    from table_common.functions.metrics import MetricGroup
    from table_common.functions.running_task import RunningTask, set_task_source
    from table_common.functions.url_parts import UrlParts
    from table_common.functions.user_defined import (
        AggregateFunction,
        AsyncScalarFunction,
        AsyncTableFunction,
        ScalarFunction,
        TableAggregateFunction,
        TableFunction,
        UserDefinedFunction,
        implements,
    )
    from table_common.functions.user_function import UserFunction, as_user_function
    from table_common.functions.value_size import MAX_BATCH_SIZE, MAX_VALUE_SIZE
    from table_common.functions.views import DataView, ListView, MapView
    from table_common.types.extraction import DataTypeHint, ExtractedType, StructuredClass

__all__ = [
    "FOREIGN_FUNCTIONS",
    "MAX_BATCH_SIZE",
    "MAX_VALUE_SIZE",
    "AggregateFunction",
    "AggregateTraits",
    "AnyArguments",
    "AsyncScalarFunction",
    "AsyncTableFunction",
    "BuiltInFunctionDefinition",
    "DataTypeHint",
    "DataView",
    "DistinctEffect",
    "EngineFunction",
    "ExtractedFunction",
    "ExtractedType",
    "FunctionContext",
    "FunctionDefinition",
    "FunctionHint",
    "FunctionKind",
    "JsonPath",
    "JsonPathStep",
    "ListView",
    "MapView",
    "MetricGroup",
    "Monotonicity",
    "OverNothing",
    "Parameter",
    "RunningTask",
    "ScalarFunction",
    "Signature",
    "StructuredClass",
    "TableAggregateFunction",
    "TableFunction",
    "UrlParts",
    "UserDefinedFunction",
    "UserFunction",
    "add_metrics",
    "as_user_function",
    "extract_function",
    "function_hint",
    "function_metrics",
    "implements",
    "link_archives",
    "merge_metrics",
    "null_map_key",
    "parse_json_path",
    "report_metrics",
    "reset_function_metrics",
    "set_metric_receiver",
    "set_task_source",
    "unpacked_archive",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.functions.value_size": ("MAX_BATCH_SIZE", "MAX_VALUE_SIZE"),
        "table_common.functions.archives": ("link_archives", "unpacked_archive"),
        "table_common.functions.context": ("FunctionContext",),
        "table_common.functions.engine_function": ("AnyArguments", "EngineFunction"),
        "table_common.functions.extraction": ("ExtractedFunction", "Parameter", "Signature", "extract_function"),
        "table_common.functions.foreign_functions": ("FOREIGN_FUNCTIONS",),
        "table_common.functions.hinting": ("FunctionHint", "function_hint"),
        "table_common.functions.metric_totals": (
            "add_metrics",
            "function_metrics",
            "merge_metrics",
            "report_metrics",
            "reset_function_metrics",
            "set_metric_receiver",
        ),
        "table_common.functions.metrics": ("MetricGroup",),
        "table_common.functions.json_path": ("JsonPath", "JsonPathStep", "parse_json_path"),
        "table_common.functions.running_task": ("RunningTask", "set_task_source"),
        "table_common.functions.url_parts": ("UrlParts",),
        "table_common.functions.user_defined": (
            "AggregateFunction",
            "AsyncScalarFunction",
            "AsyncTableFunction",
            "ScalarFunction",
            "TableAggregateFunction",
            "TableFunction",
            "UserDefinedFunction",
            "implements",
        ),
        "table_common.functions.map_keys": ("null_map_key",),
        "table_common.functions.user_function": ("UserFunction", "as_user_function"),
        "table_common.functions.views": ("DataView", "ListView", "MapView"),
        "table_common.types.extraction": ("DataTypeHint", "ExtractedType", "StructuredClass"),
    },
)
