"""Function definitions; the built-in catalogue is ``table_common.functions.builtin``."""

from table_common.functions.definition import BuiltInFunctionDefinition, FunctionDefinition, FunctionKind

__all__ = ["BuiltInFunctionDefinition", "FunctionDefinition", "FunctionKind"]
