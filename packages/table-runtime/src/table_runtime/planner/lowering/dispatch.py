"""Dispatches plan nodes to their lowering functions; each module of this package registers its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_common.tree import TypeDispatch
from table_runtime.planner.context import LoweringContext
from table_runtime.run.operator import Operator


def _unsupported() -> Mapping[type, str]:
    from table_runtime.planner.lowering.unsupported import UNSUPPORTED  # only an error needs it

    return UNSUPPORTED


lower: TypeDispatch[[Sequence[Operator], LoweringContext], Operator] = TypeDispatch(
    "The embedded engine", _unsupported, package="table_runtime.planner.lowering"
)
