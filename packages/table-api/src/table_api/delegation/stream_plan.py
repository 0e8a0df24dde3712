"""The plan of a streaming job: operations, and the changes that flow between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.operations import ModifyOperation, Operation
from table_api.operations.changelog import Changes
from table_common.frozen_dataclass import dataclass
from table_common.functions import Monotonicity


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """Optimized operations with the result of changelog inference.

    Source: the traits of Flink's physical stream nodes (``ModifyKindSetTrait``, ``UpdateKindTrait``, ``DeleteKindTrait``).

    Example:
        >>> plan = StreamPlan((), changes={}, monotonicity={}, upsert_keys={})
        >>> plan.monotonicity_of(env.sql_query("SELECT 1 AS a").query_operation, 0).name
        'NOT_MONOTONIC'
    """

    operations: tuple[ModifyOperation, ...]
    changes: Mapping[int, Changes]
    """The changes that each query node gives, by the node's ``id``."""
    monotonicity: Mapping[int, Sequence[Monotonicity]]
    """How the columns of query nodes change, by the node's ``id``; nodes of which nothing is known are left out."""

    upsert_keys: Mapping[int, tuple[int, ...]]
    """Columns by which updated rows are identified, by the node's ``id``, for nodes that have an upsert key."""

    def changes_of(self, node: Operation) -> Changes:
        """Returns the changes that a query node of the plan gives."""
        return self.changes[id(node)]

    def upsert_key_of(self, node: Operation) -> tuple[int, ...] | None:
        """Returns the columns by which updated rows of a query node are identified; None without an upsert key."""
        return self.upsert_keys.get(id(node))

    def monotonicity_of(self, node: Operation, column: int) -> Monotonicity:
        """Returns how a column of a query node changes."""
        columns = self.monotonicity.get(id(node))
        return Monotonicity.NOT_MONOTONIC if columns is None else columns[column]
