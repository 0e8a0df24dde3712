"""The node that drops UPDATE_BEFORE rows."""

from __future__ import annotations

from table_api.operations.operation import QueryOperation
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DropUpdateBeforeQueryOperation(QueryOperation):
    """Drops UPDATE_BEFORE rows, for a consumer that identifies rows by an upsert key. Schema: the child's.

    Source: Flink's ``org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalDropUpdateBefore``.
    """

    child: QueryOperation
