"""Functions: definitions, the classes that users derive from, hints. The built-in catalogue is ``table_common.functions.builtin``.

What only user functions need is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from table_common.functions.definition import BuiltInFunctionDefinition, FunctionDefinition, FunctionKind

if TYPE_CHECKING:
    from table_common.functions.context import FunctionContext
    from table_common.functions.extraction import ExtractedFunction, Parameter, Signature, extract_function
    from table_common.functions.hinting import FunctionHint, function_hint
    from table_common.functions.metrics import MetricGroup
    from table_common.functions.user_defined import (
        AggregateFunction,
        AsyncScalarFunction,
        AsyncTableFunction,
        ScalarFunction,
        TableAggregateFunction,
        TableFunction,
        UserDefinedFunction,
    )
    from table_common.functions.user_function import UserFunction, as_user_function
    from table_common.functions.views import ListView, MapView
    from table_common.types.extraction import DataTypeHint, ExtractedType, StructuredClass

__all__ = [
    "AggregateFunction",
    "AsyncScalarFunction",
    "AsyncTableFunction",
    "BuiltInFunctionDefinition",
    "DataTypeHint",
    "ExtractedFunction",
    "ExtractedType",
    "FunctionContext",
    "FunctionDefinition",
    "FunctionHint",
    "FunctionKind",
    "ListView",
    "MapView",
    "MetricGroup",
    "Parameter",
    "ScalarFunction",
    "Signature",
    "StructuredClass",
    "TableAggregateFunction",
    "TableFunction",
    "UserDefinedFunction",
    "UserFunction",
    "as_user_function",
    "extract_function",
    "function_hint",
]

_NAMES_OF = {
    "context": ("FunctionContext",),
    "extraction": ("ExtractedFunction", "Parameter", "Signature", "extract_function"),
    "hinting": ("FunctionHint", "function_hint"),
    "metrics": ("MetricGroup",),
    "user_defined": (
        "AggregateFunction",
        "AsyncScalarFunction",
        "AsyncTableFunction",
        "ScalarFunction",
        "TableAggregateFunction",
        "TableFunction",
        "UserDefinedFunction",
    ),
    "user_function": ("UserFunction", "as_user_function"),
    "views": ("ListView", "MapView"),
    "types.extraction": ("DataTypeHint", "ExtractedType", "StructuredClass"),
}
_HOME = {name: module for module, names in _NAMES_OF.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'table_common.functions' has no attribute '{name}'")
    package = "table_common" if home.startswith("types") else "table_common.functions"
    module = import_module(f"{package}.{home}")
    value = getattr(module, name)
    globals()[name] = value
    return value
