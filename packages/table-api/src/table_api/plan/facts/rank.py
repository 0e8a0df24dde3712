"""Facts of ``RankQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations.changelog import ALL_KINDS, INSERTS, ModifyKindSet, RankQueryOperation, RankStrategy
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.key_columns import smallest_key
from table_api.plan.facts.record import FULL, UPSERT, Columns, Decision, Demand, InputFacts, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.shared import rebuilt_rows, same
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import replace
from table_common.functions import Monotonicity
from table_common.functions.builtin import windows


def _changes(node: RankQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if not node.order_by and node.rank_name is None and inputs[0] == INSERTS:
        return INSERTS  # LIMIT: rows come in the order of their ranks
    return ALL_KINDS


def _demands(node: RankQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    (child,) = inputs
    if not (child.has_updates or child.has_deletes):
        yield Decision((FULL,), replace(node, strategy=RankStrategy.APPEND_FAST))
        return
    key = _key_of_updates(node, child)
    if key is not None:
        yield Decision((UPSERT,), replace(node, strategy=RankStrategy.UPDATE_FAST, upsert_key=key))
    yield Decision((FULL,), replace(node, strategy=RankStrategy.RETRACT))


def _key_of_updates(node: RankQueryOperation, child: InputFacts) -> tuple[int, ...] | None:
    """Returns the upsert key that identifies updated rows, if updates can only improve the rank of a row; None otherwise.

    With RANK and DENSE_RANK an update that creates a tie changes the ranks of other rows, also of those beyond the limit, so they need all rows.
    """
    if child.has_deletes or not node.order_by or node.function is not windows.ROW_NUMBER:
        return None
    partition = {reference.field_index for reference in node.partition_by}
    key = smallest_key(key for key in child.upsert_keys if key >= partition)
    if key is None:
        return None
    for order in node.order_by:
        if not isinstance(order.expression, FieldReferenceExpression):
            return None
        wanted = Monotonicity.DECREASING if order.ascending else Monotonicity.INCREASING
        if child.monotonicity[order.expression.field_index] not in (wanted, Monotonicity.CONSTANT):
            return None
    return key


def keys_of_rank(node: RankQueryOperation, inputs: Sequence[Keys]) -> Keys:
    """Returns the keys of the first rows of each partition."""
    partition = frozenset(reference.field_index for reference in node.partition_by)
    result = set(inputs[0])
    if node.function is windows.ROW_NUMBER:
        if node.end is not None and node.end == node.start:
            result.add(partition)
        if node.rank_name is not None:
            result.add(partition | {len(node.child.resolved_schema.columns)})
    return frozenset(result)


def _needs(node: RankQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.child.resolved_schema.columns)
    return [frozenset(i for i in needed if i < width) | used_columns(node.expressions)]


def _rebuilt(node: RankQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    width = len(node.child.resolved_schema.columns)
    is_ranked = node.rank_name is not None and width in needed
    new, moved = rebuilt_rows(node if is_ranked else replace(node, rank_name=None), needed, children)
    return new, moved if not is_ranked else moved | {width: len(children[0][0].resolved_schema.columns)}


def _growing_state(node: RankQueryOperation, state_expires: bool) -> str | None:
    if state_expires:
        return None
    if node.strategy is RankStrategy.RETRACT:
        return "all rows of each partition as long as the job runs, because its input has retractions."
    return "its rows for each partition as long as the job runs." if node.partition_by else None


register(
    RankQueryOperation,
    NodeFacts(
        changes=_changes, demands=_demands, keys=keys_of_rank, needs=_needs, rebuilt=_rebuilt, windows=same, growing_state=_growing_state
    ),
)
