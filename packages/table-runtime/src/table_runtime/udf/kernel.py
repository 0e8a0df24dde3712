"""The kernel of a call of a user function, for the evaluator of expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_common.expressions import CallExpression
from table_common.functions import UserFunction
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.kernel import Kernel
from table_runtime.udf.invocation import Invocation
from table_runtime.udf.invoker import make_invoker


def user_kernel(call: CallExpression) -> Kernel:
    """Returns the kernel that computes this call; it has its own opened copy of the function."""
    function = call.function
    assert isinstance(function, UserFunction)
    invoker = make_invoker(Invocation(function, [argument.output_type for argument in call.args], call.output_type))

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        return invoker(args, num_rows)

    return Kernel(run, False)
