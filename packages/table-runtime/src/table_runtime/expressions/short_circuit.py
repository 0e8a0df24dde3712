"""Short-circuit evaluation of CASE, IF, COALESCE, IFNULL, AND and OR: an argument is evaluated only for the rows that reach it.

Used if an argument could fail, so that ``b <> 0 AND a / b > 1`` does not divide by zero. Each form is a generator that yields requests for
steps and receives their values from the evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conditional, logic
from table_runtime.expressions.program import Instruction
from table_runtime.expressions.scope import Request, Scope
from table_runtime.kernels import to_array

_Evaluation = Generator[Request, Any, Any]
ShortCircuitForm = Callable[[Scope, Instruction, Sequence[Instruction]], _Evaluation]


class _Rows:
    """The rows without a result so far, and the results of the other rows."""

    def __init__(self, scope: Scope, arrow_type: Any) -> None:
        self.scope = scope
        self._num_rows = scope.num_rows
        self._arrow_type = arrow_type
        self._positions: Any = pa.arange(0, scope.num_rows)
        self._settled: list[tuple[Any, Any]] = []

    def settle(self, positions: Any, value: Any) -> None:
        """Sets the result of the rows at ``positions`` of the input."""
        array = to_array(value, len(positions))
        self._settled.append((positions, array if array.type.equals(self._arrow_type) else pc.cast(array, self._arrow_type)))

    def settle_all(self, value: Any) -> None:
        """Sets the result of all undecided rows."""
        self.settle(self._positions, value)

    def split(self, mask: Any) -> tuple[Scope, Any]:
        """Removes the rows of the mask from the undecided rows; returns their scope and positions."""
        selected, positions = self.scope.narrow(mask), pc.filter(self._positions, mask)
        not_selected = pc.invert(mask)
        self.scope, self._positions = self.scope.narrow(not_selected), pc.filter(self._positions, not_selected)
        return selected, positions

    def result(self) -> Any:
        """Returns the values in the order of the rows."""
        if not self._settled:
            return pa.nulls(0, self._arrow_type)
        values = pa.concat_arrays([values for _, values in self._settled])
        order = pc.sort_indices(pa.concat_arrays([positions for positions, _ in self._settled]))
        return pc.take(values, order)


def _case(scope: Scope, step: Instruction, steps: Sequence[Instruction]) -> _Evaluation:
    rows = _Rows(scope, step.arrow_type)
    for condition, value in zip(step.args[:-1:2], step.args[1::2], strict=True):
        if not rows.scope.num_rows:
            return rows.result()
        is_true = yield Request(rows.scope, condition)
        selected, positions = rows.split(to_array(pc.fill_null(is_true, False), rows.scope.num_rows))
        if selected.num_rows:
            rows.settle(positions, (yield Request(selected, value)))
    if rows.scope.num_rows:
        rows.settle_all((yield Request(rows.scope, step.args[-1])))
    return rows.result()


def _coalesce(scope: Scope, step: Instruction, steps: Sequence[Instruction]) -> _Evaluation:
    rows = _Rows(scope, step.arrow_type)
    for arg in step.args[:-1]:
        value = to_array((yield Request(rows.scope, arg)), rows.scope.num_rows)
        is_valid_mask = pc.is_valid(value)
        _, positions = rows.split(is_valid_mask)
        rows.settle(positions, pc.filter(value, is_valid_mask))
        if not rows.scope.num_rows:
            return rows.result()
    rows.settle_all((yield Request(rows.scope, step.args[-1])))
    return rows.result()


def _connective(settling: bool) -> ShortCircuitForm:
    """Returns the form of AND (decided by FALSE) or OR (decided by TRUE); undecided rows continue with the next argument."""
    combine = pc.or_kleene if settling else pc.and_kleene

    def run(scope: Scope, step: Instruction, steps: Sequence[Instruction]) -> _Evaluation:
        rows = _Rows(scope, step.arrow_type)
        so_far: Any = pa.scalar(not settling, pa.bool_())
        for arg in step.args:
            if not steps[arg].is_infallible and not isinstance(so_far, pa.Scalar):
                settled = pc.fill_null(so_far if settling else pc.invert(so_far), False)
                _, positions = rows.split(settled)
                rows.settle(positions, pa.scalar(settling))
                so_far = pc.filter(so_far, pc.invert(settled))
                if not rows.scope.num_rows:
                    return rows.result()
            elif isinstance(so_far, pa.Scalar) and so_far.as_py() is settling:
                return so_far
            so_far = combine((yield Request(rows.scope, arg)), so_far)
        rows.settle_all(so_far)
        return rows.result()

    return run


SHORT_CIRCUIT: dict[FunctionDefinition, ShortCircuitForm] = {
    conditional.CASE: _case,
    conditional.IF: _case,
    conditional.COALESCE: _coalesce,
    conditional.IFNULL: _coalesce,
    logic.AND: _connective(settling=False),
    logic.OR: _connective(settling=True),
}
"""Short-circuit forms by function, used if an argument after the first could fail."""
