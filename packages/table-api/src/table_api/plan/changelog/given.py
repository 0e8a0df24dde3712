"""Derives the kinds of changes that each node emits: the first pass of changelog inference, bottom-up."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    STATELESS_OPERATIONS,
    AggregateQueryOperation,
    DistinctQueryOperation,
    FromChangelogQueryOperation,
    JoinQueryOperation,
    JoinType,
    SetOperationType,
    SetQueryOperation,
    SourceQueryOperation,
    ToChangelogQueryOperation,
    ValuesQueryOperation,
)
from table_api.operations.changelog import (
    ALL_KINDS,
    INSERTS,
    ChangelogNormalizeQueryOperation,
    DeduplicateQueryOperation,
    ModifyKind,
    ModifyKindSet,
    RankQueryOperation,
    modify_kinds_of,
)
from table_api.operations.operation import QueryOperation
from table_api.plan.changelog.makers import maker_of_changes
from table_api.plan.changelog.sources import mode_of
from table_common.exceptions import ValidationException
from table_common.functions import UserFunction
from table_common.tree import TypeDispatch

__all__ = ["given_kinds"]


given_kinds: TypeDispatch[[Sequence[ModifyKindSet]], ModifyKindSet] = TypeDispatch("Changelog inference")
"""Returns the kinds of changes of a node, given those of its inputs."""


def _same(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return inputs[0]


for _stateless in STATELESS_OPERATIONS:
    given_kinds.register(_stateless)(_same)


@given_kinds.register(SourceQueryOperation)
def _source(node: SourceQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return modify_kinds_of(mode_of(node).kinds)


@given_kinds.register(ChangelogNormalizeQueryOperation)
def _changelog_normalize(node: ChangelogNormalizeQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return ALL_KINDS


@given_kinds.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return INSERTS


def _aggregate(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if isinstance(node, AggregateQueryOperation) and inputs[0] - INSERTS:
        _check_retract(node)
    # A group ends when its last row is retracted, unless it is a total that has a row over no rows.
    if isinstance(node, AggregateQueryOperation) and node.is_one_group and not node.skips_no_input:
        return frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})
    return ALL_KINDS if inputs[0] - INSERTS else frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def _check_retract(node: AggregateQueryOperation) -> None:
    """Checks that user aggregates over updates support retraction."""
    for call in node.aggregates:
        function = call.function
        if isinstance(function, UserFunction) and function.func_type == "general" and not hasattr(type(function.function), "retract"):
            raise ValidationException(
                f"The function {function.name} has no method retract, but its input updates or deletes rows: {maker_of_changes(node.child)}.",
                hint="define retract(self, accumulator, ...) with the parameters of accumulate; or aggregate rows that are only inserted, "
                "such as those of TO_CHANGELOG",
            )


given_kinds.register(AggregateQueryOperation)(_aggregate)
given_kinds.register(DistinctQueryOperation)(_aggregate)


@given_kinds.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if node.join_type in (JoinType.INNER, JoinType.SEMI):
        return inputs[0] | inputs[1]
    return ALL_KINDS


@given_kinds.register(SetQueryOperation)
def _set(node: SetQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    given = frozenset().union(*inputs)
    if node.kind is SetOperationType.MINUS or given != INSERTS:
        return given if node.kind is SetOperationType.UNION and node.all else ALL_KINDS
    return INSERTS


@given_kinds.register(RankQueryOperation)
def _rank(node: RankQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if not node.order_by and node.rank_name is None and inputs[0] == INSERTS:
        return INSERTS  # LIMIT: rows come in the order of their ranks
    return ALL_KINDS


@given_kinds.register(DeduplicateQueryOperation)
def _deduplicate(node: DeduplicateQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return frozenset({ModifyKind.INSERT, ModifyKind.UPDATE}) if node.keep_last else INSERTS


@given_kinds.register(ToChangelogQueryOperation)
def _to_changelog(node: ToChangelogQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return INSERTS


@given_kinds.register(FromChangelogQueryOperation)
def _from_changelog(node: FromChangelogQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if inputs[0] - INSERTS:
        raise ValidationException(
            f"FROM_CHANGELOG reads rows that are only inserted, but its table ({maker_of_changes(node.child)}) updates or deletes rows.",
            hint="a table of changes needs no FROM_CHANGELOG; TO_CHANGELOG gives changes as rows",
        )
    # Differs from Flink: op_mapping says which kinds there can be. In Flink they are always all, so that a sink of insertions refuses them.
    return modify_kinds_of(kind for _, kind in node.codes)
