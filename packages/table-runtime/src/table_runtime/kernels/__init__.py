"""Kernels of the built-in functions on Arrow arrays: one file per file of ``table_common.functions.builtin``, loaded when first used."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .kernel: Kernel KernelFunction Value compute infallible is_scalar to_array
    .registry: KERNELS
    .unsupported: UNSUPPORTED
    """,
)
