"""Calls of user functions over Arrow columns, in this process and in Spark's Python workers."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .invocation: Invocation
    .invoker: make_invoker
    .kernel: user_kernel
    .values: pickle_unknown_classes_with
    """,
)
