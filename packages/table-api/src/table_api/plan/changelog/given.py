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
    MatchRecognizeQueryOperation,
    SetOperationType,
    SetQueryOperation,
    SourceQueryOperation,
    ToChangelogQueryOperation,
    ValuesQueryOperation,
    VersionedJoinQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    ALL_KINDS,
    INSERTS,
    ChangelogNormalizeQueryOperation,
    CurrentRowsJoinQueryOperation,
    DeduplicateQueryOperation,
    IntervalJoinQueryOperation,
    ModifyKind,
    ModifyKindSet,
    OverAggregateQueryOperation,
    RankQueryOperation,
    TemporalSortQueryOperation,
    UpdatingOverQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
    modify_kinds_of,
)
from table_api.operations.operation import QueryOperation
from table_api.plan.changelog.makers import maker_of_changes
from table_api.plan.changelog.sources import mode_of
from table_common.exceptions import ValidationException
from table_common.functions import UserFunction, implements
from table_common.tree import TypeDispatch

__all__ = ["given_kinds"]


given_kinds: TypeDispatch[[Sequence[ModifyKindSet]], ModifyKindSet] = TypeDispatch("Changelog inference")
"""Returns the kinds of changes of a node, given those of its inputs."""


def _same(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return inputs[0]


for _stateless in (*STATELESS_OPERATIONS, WindowTableFunctionQueryOperation):
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
    # A group is deleted when its last row is retracted; a total without GROUP BY keeps its row.
    if isinstance(node, AggregateQueryOperation) and node.is_one_group and not node.skips_no_input:
        if isinstance(node.child, ValuesQueryOperation) and not node.child.rows:
            return INSERTS
        return frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})
    return ALL_KINDS if inputs[0] - INSERTS else frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def _check_retract(node: AggregateQueryOperation) -> None:
    """Checks that user aggregates over updates support retraction."""
    for call in node.aggregates:
        function = call.function
        if isinstance(function, UserFunction) and function.func_type == "general" and not implements(function.function, "retract"):
            raise ValidationException(
                f"The function {function.name} has no method retract, but its input updates or deletes rows: {maker_of_changes(node.child)}.",
                hint="define retract(self, accumulator, ...) with the parameters of accumulate; or aggregate an insert-only input, "
                "such as the result of TO_CHANGELOG",
            )


given_kinds.register(AggregateQueryOperation)(_aggregate)
given_kinds.register(DistinctQueryOperation)(_aggregate)


@given_kinds.register(WindowAggregateQueryOperation)
def _window_aggregate(node: WindowAggregateQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if inputs[0] - INSERTS:
        _check_retract(node)
    if node.emission is None:
        return INSERTS
    return ALL_KINDS if inputs[0] - INSERTS else frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def _of_windows(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    for child, given in zip(node.children, inputs, strict=True):
        _require_insertions(child, given, "Ranks and joins of time windows require")
    return INSERTS


@given_kinds.register(TemporalSortQueryOperation)
def _temporal_sort(node: TemporalSortQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    _require_insertions(node.child, inputs[0], "ORDER BY a time attribute requires")
    return INSERTS


@given_kinds.register(MatchRecognizeQueryOperation)
def _match_recognize(node: MatchRecognizeQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    _require_insertions(node.child, inputs[0], "MATCH_RECOGNIZE requires")
    return INSERTS


@given_kinds.register(IntervalJoinQueryOperation)
def _interval_join(node: IntervalJoinQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    for child, given in zip(node.children, inputs, strict=True):
        _require_insertions(child, given, "Interval joins require")
    return INSERTS


given_kinds.register(WindowRankQueryOperation)(_of_windows)
given_kinds.register(WindowJoinQueryOperation)(_of_windows)


@given_kinds.register(OverAggregateQueryOperation)
def _over_aggregate(node: OverAggregateQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    _require_insertions(node.child, inputs[0], "OVER windows in the order of a time attribute require")
    return INSERTS


@given_kinds.register(UpdatingOverQueryOperation)
def _updating_over(node: UpdatingOverQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return ALL_KINDS if inputs[0] - INSERTS else frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def _require_insertions(child: QueryOperation, given: ModifyKindSet, reader: str) -> None:
    if given - INSERTS:
        raise ValidationException(
            f"{reader} an insert-only input, but its input updates or deletes rows: {maker_of_changes(child)}.",
            hint="Aggregate by a TUMBLE, HOP or CUMULATE window before, which gives each row once, or read the changes of TO_CHANGELOG.",
        )


@given_kinds.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if node.join_type in (JoinType.INNER, JoinType.SEMI):
        return inputs[0] | inputs[1]
    return ALL_KINDS


@given_kinds.register(VersionedJoinQueryOperation)
def _versioned_join(node: VersionedJoinQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return inputs[0]


given_kinds.register(CurrentRowsJoinQueryOperation)(_same)


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
    if node.rowtime is not None:
        _require_insertions(node.child, inputs[0], "Deduplication by event time requires")
    return frozenset({ModifyKind.INSERT, ModifyKind.UPDATE}) if node.keep_last else INSERTS


@given_kinds.register(ToChangelogQueryOperation)
def _to_changelog(node: ToChangelogQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return INSERTS


@given_kinds.register(FromChangelogQueryOperation)
def _from_changelog(node: FromChangelogQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if inputs[0] - INSERTS:
        raise ValidationException(
            f"FROM_CHANGELOG requires an insert-only input, but its table ({maker_of_changes(node.child)}) updates or deletes rows.",
            hint="a table that updates or deletes rows needs no FROM_CHANGELOG; TO_CHANGELOG turns changes into rows",
        )
    # Differs from Flink: op_mapping limits the kinds of changes. Flink always assumes all kinds, so that insert-only sinks refuse them.
    return modify_kinds_of(kind for _, kind in node.codes)
