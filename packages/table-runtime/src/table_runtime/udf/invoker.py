"""Selects the invoker of a call: row-wise, vectorized, asynchronous, or of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pyarrow as pa

from table_common.functions import FunctionKind
from table_runtime.udf.invocation import Invocation


class Invoker(Protocol):
    """Computes a call for the rows of a batch."""

    def __call__(self, columns: Sequence[pa.Array | pa.Scalar], rows: int) -> pa.Array:
        """Returns the results, one per row."""


def make_invoker(invocation: Invocation) -> Invoker:
    """Returns the invoker of the call: row-wise, vectorized, asynchronous, or of a model. The result of a table function is a list of rows per call."""
    definition = invocation.definition
    if getattr(definition.function, "prediction", None) is not None:
        from table_runtime.udf.predict import PredictInvoker

        return PredictInvoker(invocation)
    if definition.kind in (FunctionKind.ASYNC_SCALAR, FunctionKind.ASYNC_TABLE):
        from table_runtime.udf.asynchronous import AsyncInvoker

        return AsyncInvoker(invocation)
    if definition.func_type != "general":
        from table_runtime.udf.vectorized import VectorizedInvoker

        return VectorizedInvoker(invocation)
    from table_runtime.udf.rowwise import RowwiseInvoker

    return RowwiseInvoker(invocation)
