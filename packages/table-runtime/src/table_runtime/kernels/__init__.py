"""How each built-in function is computed on Arrow arrays: one file per file of ``table_common.functions.builtin``."""

from table_common.functions import FunctionDefinition
from table_runtime.kernels import arithmetic, comparison, conditional, conversion, hash, logic, math, strings, temporal  # noqa: A004
from table_runtime.kernels.kernel import Kernel, KernelFunction, Value, compute, is_scalar, to_array, total

__all__ = ["KERNELS", "UNSUPPORTED", "Kernel", "KernelFunction", "Value", "compute", "is_scalar", "to_array", "total"]

_FAMILIES = (comparison, logic, arithmetic, conditional, conversion, math, strings, hash, temporal)

KERNELS: dict[FunctionDefinition, Kernel] = {function: kernel for family in _FAMILIES for function, kernel in family.TABLE.items()}
"""Every built-in scalar function that this engine can run."""
UNSUPPORTED: dict[FunctionDefinition, str] = {}
"""Every other built-in scalar function, with the reason shown to the user."""
