"""How each built-in function is computed on Arrow arrays: one file per file of ``table_common.functions.builtin``."""

from table_common.functions import FunctionDefinition
from table_runtime.kernels import (
    arithmetic,
    bitmap,
    collections,
    comparison,
    conditional,
    conversion,
    hash,  # a family of functions, not the builtin
    json,
    logic,
    math,
    strings,
    temporal,
    variant,
)
from table_runtime.kernels.kernel import Kernel, KernelFunction, Value, compute, is_scalar, to_array, total
from table_runtime.kernels.unsupported import UNSUPPORTED

__all__ = ["KERNELS", "UNSUPPORTED", "Kernel", "KernelFunction", "Value", "compute", "is_scalar", "to_array", "total"]

_FAMILIES = (comparison, logic, arithmetic, conditional, conversion, math, strings, hash, json, variant, temporal, collections, bitmap)

KERNELS: dict[FunctionDefinition, Kernel] = {function: kernel for family in _FAMILIES for function, kernel in family.TABLE.items()}
"""Every built-in scalar function that this engine can run."""
