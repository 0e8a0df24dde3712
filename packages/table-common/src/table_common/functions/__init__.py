"""Function definitions; the built-in catalogue is ``table_common.functions.builtin``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.functions.definition import BuiltInFunctionDefinition, FunctionDefinition, FunctionKind

__all__ = ["BuiltInFunctionDefinition", "FunctionDefinition", "FunctionKind"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.functions.definition": ("BuiltInFunctionDefinition", "FunctionDefinition", "FunctionKind"),
    },
)
