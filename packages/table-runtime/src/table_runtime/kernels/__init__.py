"""Kernels of the built-in functions on Arrow arrays: one file per file of ``table_common.functions.builtin``, loaded when first used."""

from table_runtime.kernels.kernel import Kernel, KernelFunction, Value, compute, infallible, is_scalar, to_array
from table_runtime.kernels.registry import KERNELS
from table_runtime.kernels.unsupported import UNSUPPORTED

__all__ = ["KERNELS", "UNSUPPORTED", "Kernel", "KernelFunction", "Value", "compute", "infallible", "is_scalar", "to_array"]
