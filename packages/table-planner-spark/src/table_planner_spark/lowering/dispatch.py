"""Selects the lowering function for a plan node by its class; the other files of this package register theirs."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    ExternalQueryOperation,
    FromChangelogQueryOperation,
    QueryOperation,
    ToChangelogQueryOperation,
    VersionedJoinQueryOperation,
)
from table_common.exceptions import TableException
from table_common.tree import TypeDispatch, fold
from table_planner_spark.context import LoweringContext
from table_planner_spark.relation import SparkRelation

_NEEDS_CHANGES = "processes changelogs, which Spark does in streaming mode, and not on Spark Connect"
UNSUPPORTED: dict[type, str] = {
    ToChangelogQueryOperation: f"TO_CHANGELOG {_NEEDS_CHANGES}",
    FromChangelogQueryOperation: f"FROM_CHANGELOG {_NEEDS_CHANGES}",
    VersionedJoinQueryOperation: f"A join FOR SYSTEM_TIME AS OF an event time {_NEEDS_CHANGES}",
}
"""Query nodes that this engine does not run, each with the reason."""

lower: TypeDispatch[[Sequence[SparkRelation], LoweringContext], SparkRelation] = TypeDispatch("The planner 'spark'", UNSUPPORTED)


def lower_query(operation: QueryOperation, context: LoweringContext) -> SparkRelation:
    """Returns the query lowered to Spark SQL; a node with several readers is lowered once.

    Raises:
        TableException: the plan holds a node or a function that Spark cannot run.
    """

    def combine(node: QueryOperation, inputs: Sequence[SparkRelation]) -> SparkRelation:
        if isinstance(node, ExternalQueryOperation) and lower.missing([type(node)]):
            raise TableException(f"The planner 'spark' cannot run {node.summary_name}: {node.refusal}.")
        return lower(node, inputs, context)

    context.analyze_sharing(operation)
    context.analyze_sizes(operation)
    return fold(operation, QueryOperation, combine)
