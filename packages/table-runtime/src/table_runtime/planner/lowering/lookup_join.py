"""Lowers JOIN … FOR SYSTEM_TIME AS OF to a lookup join on the connector's lookup provider."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinType, LookupJoinQueryOperation
from table_common.expressions import conjuncts
from table_runtime.batch.lookup_join import LookupJoin, lookup_settings, lookup_spec
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator


@lower.register(LookupJoinQueryOperation)
def lower_lookup_join(node: LookupJoinQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    side, hint = node.side, node.hint
    spec = lookup_spec(
        side.source,
        f"table {side.table}",
        side.source_schema.to_row_type(),
        [(key.column, key.value) for key in node.keys],
        node.child.resolved_schema.to_row_type(),
        node.resolved_schema.to_row_type(),
        keeps_left=node.join_type is JoinType.LEFT_OUTER,
        filters=side.filters,
        projection=side.projection,
        condition=conjuncts(node.condition) if node.condition is not None else (),
        settings=lookup_settings(
            context.configuration,
            capacity=hint.capacity,
            timeout=hint.timeout,
            max_attempts=hint.max_attempts,
            fixed_delay=hint.fixed_delay,
        ),
        evaluation=context.evaluation,
    )
    return LookupJoin(child, spec, ", ".join(f"{name}={_text(value)}" for name, value in node.summary_details()))


def _text(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else f"[{value}]"
