"""Dispatches nodes of streaming plans to the lowering functions that the modules of this package register."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import StreamPlan
from table_api.operations import QueryOperation
from table_api.operations.changelog import Changes
from table_common.frozen_dataclass import dataclass
from table_common.tree import TypeDispatch, children_of
from table_runtime.planner.context import LoweringContext
from table_runtime.streaming.operators.operator import AnyOperator


@dataclass(frozen=True, slots=True)
class StreamContext:
    """The state of one translation of a streaming plan."""

    plan: StreamPlan
    lowering: LoweringContext
    nets_batches: bool = False
    """Whether operators emit net changes per batch (``table.exec.mini-batch.enabled``), as in Flink."""
    retention: int = 0
    """The time in milliseconds after which untouched state expires (``table.exec.state.ttl``); 0: never."""

    def changes_of(self, node: QueryOperation) -> Changes:
        """Returns the kinds of changes that a node emits."""
        return self.plan.changes_of(node)

    def changes_of_inputs(self, node: QueryOperation) -> Sequence[Changes]:
        """Returns the kinds of changes that each input of a node emits."""
        return [self.plan.changes_of(child) for child in children_of(node, QueryOperation)]

    def key_of(self, node: QueryOperation) -> tuple[int, ...] | None:
        """Returns the columns by which the rows of an input can be retracted; None if it has no upsert key, or at most one row."""
        return self.plan.upsert_key_of(node) or None


lower_node: TypeDispatch[[StreamContext], AnyOperator] = TypeDispatch(
    "The embedded engine in streaming mode", package="table_runtime.planner.streaming.lowering"
)
