"""Calls of user functions over Arrow columns, in this process and in Spark's Python workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.udf.invocation import Invocation
    from table_runtime.udf.invoker import make_invoker
    from table_runtime.udf.kernel import user_kernel
    from table_runtime.udf.values import pickle_unknown_classes_with


__all__ = ["Invocation", "make_invoker", "pickle_unknown_classes_with", "user_kernel"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.udf.invocation": ("Invocation",),
        "table_runtime.udf.invoker": ("make_invoker",),
        "table_runtime.udf.kernel": ("user_kernel",),
        "table_runtime.udf.values": ("pickle_unknown_classes_with",),
    },
)
