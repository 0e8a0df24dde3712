"""The kernel type, and functions that create kernels from functions of pyarrow.compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.expressions import CallExpression
from table_common.frozen_dataclass import dataclass
from table_runtime.evaluation_context import EvaluationContext

Value = pa.Array | pa.Scalar
"""A column of the batch, or one value for all rows."""

KernelFunction = Callable[[Sequence[Any], CallExpression, EvaluationContext, int], Any]
"""(argument values, the call for its types, context, number of rows) → an array of that many rows, or a scalar."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """The implementation of a function over Arrow arrays.

    ``infallible`` says that the kernel cannot fail, so the evaluator may also run it for rows whose result is not used (the other branch of
    a CASE); for functions such as ``+`` it depends on the types of the call. ``prepare`` creates the kernel of one call in a program. That
    kernel may keep state between batches; ``has_state`` then says that batches must be evaluated one by one, in order.
    """

    function: KernelFunction
    infallible: Callable[[CallExpression], bool] | bool = False
    prepare: Callable[[CallExpression], Kernel] | None = None
    has_state: bool = False

    def prepared(self, call: CallExpression) -> Kernel:
        """Returns the kernel for one call in a program."""
        return self if self.prepare is None else self.prepare(call)

    def is_infallible(self, call: CallExpression) -> bool:
        """Returns whether no argument values can make this call fail."""
        return self.infallible if isinstance(self.infallible, bool) else self.infallible(call)

    def __call__(self, args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        return self.function(args, call, context, num_rows)


def compute(function: Callable[..., Any], *, fails: bool = False, **options: Any) -> Kernel:
    """Returns a kernel that calls a function of pyarrow.compute with the arguments and fixed options."""

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        return function(*args, **options)

    return Kernel(run, not fails)


def infallible(function: KernelFunction) -> Kernel:
    """Returns a kernel that cannot fail for any argument values."""
    return Kernel(function, True)


def is_scalar(value: Any) -> bool:
    """Returns whether the value is one value for all rows."""
    return isinstance(value, pa.Scalar)


def to_array(value: Any, num_rows: int) -> Any:
    """Returns the value as an array of ``num_rows``."""
    if isinstance(value, pa.Scalar):
        if not value.is_valid:
            return pa.nulls(num_rows, value.type)
        if isinstance(value, pa.ExtensionScalar):
            return pa.ExtensionArray.from_storage(value.type, to_array(value.value, num_rows))
        return pa.repeat(value, num_rows) if num_rows else pa.nulls(0, value.type)  # Arrow cannot repeat a list zero times
    if isinstance(value, pa.ChunkedArray):
        return value.combine_chunks() if value.num_chunks != 1 else value.chunk(0)
    return value
