"""Derives the demands on the inputs of each node from the demands of its consumers: the top-down passes of changelog inference.

A rule yields decisions in order of preference. A decision holds the demand on each input, and the node with the chosen strategy. It is possible if every
input can meet its demand. A node for which no decision is possible cannot meet the demand of its consumers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    FromChangelogQueryOperation,
    JoinQueryOperation,
    JoinType,
    LookupJoinQueryOperation,
    MatchRecognizeQueryOperation,
    ProjectQueryOperation,
    SetOperationType,
    SetQueryOperation,
    SourceQueryOperation,
    ToChangelogQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    VersionedJoinQueryOperation,
    WatermarkQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    ChangelogNormalizeQueryOperation,
    CurrentRowsJoinQueryOperation,
    DeduplicateQueryOperation,
    DeleteKind,
    IntervalJoinQueryOperation,
    ModifyKind,
    ModifyKindSet,
    OverAggregateQueryOperation,
    RankQueryOperation,
    RankStrategy,
    TemporalSortQueryOperation,
    UpdateKind,
    UpdatingOverQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
)
from table_api.operations.operation import QueryOperation
from table_api.plan.changelog.keys import Keys, equal_columns
from table_api.plan.changelog.sources import mode_of
from table_common.connector import RowKind
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions import Monotonicity
from table_common.functions.builtin import windows
from table_common.tree import TypeDispatch

__all__ = ["FULL", "UPSERT", "Decision", "Demand", "InputFacts", "decisions", "smallest_key"]


@dataclass(frozen=True, slots=True)
class Demand:
    """What a consumer requires: the rows that describe updates, and the columns of deletions."""

    updates: UpdateKind = UpdateKind.BEFORE_AND_AFTER
    deletes: DeleteKind = DeleteKind.FULL_DELETE

    def __or__(self, other: Demand) -> Demand:
        """Returns the weakest demand that satisfies both."""
        return Demand(
            max(self.updates, other.updates, key=lambda kind: kind.value), max(self.deletes, other.deletes, key=lambda kind: kind.value)
        )

    @property
    def is_only_after(self) -> bool:
        """Whether UPDATE_BEFORE rows are not required."""
        return self.updates is not UpdateKind.BEFORE_AND_AFTER


FULL = Demand()
UPSERT = Demand(UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.FULL_DELETE)


@dataclass(frozen=True, slots=True)
class InputFacts:
    """Properties of an input: its kinds of changes, its upsert keys, and the monotonicity of its columns."""

    kinds: ModifyKindSet
    upsert_keys: Keys
    monotonicity: Sequence[Monotonicity]

    @property
    def has_updates(self) -> bool:
        """Whether rows may be updated."""
        return ModifyKind.UPDATE in self.kinds

    @property
    def has_deletes(self) -> bool:
        """Whether rows may be deleted."""
        return ModifyKind.DELETE in self.kinds


@dataclass(frozen=True, slots=True)
class Decision:
    """One way to execute a node: its demand on each input, and the node with the chosen strategy, or the information that it can be removed."""

    demands: tuple[Demand, ...]
    node: QueryOperation
    is_removed: bool = False


decisions: TypeDispatch[[Demand, Sequence[InputFacts]], Iterator[Decision]] = TypeDispatch("Changelog inference")
"""Yields the ways in which a node can meet a demand; none if it cannot."""


def _leaf(node: QueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    yield Decision((), node)


decisions.register(ValuesQueryOperation)(_leaf)


@decisions.register(SourceQueryOperation)
def _source(node: SourceQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    # A source emits what it emits; ``normalize_changes`` has put a ChangelogNormalize node above it if its changes are incomplete.
    yield Decision((), node)


@decisions.register(ChangelogNormalizeQueryOperation)
def _changelog_normalize(node: ChangelogNormalizeQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    if demand.is_only_after and not node.may_repeat and _gives_enough(node.child, demand.deletes):
        yield Decision((demand,), node, is_removed=True)
    yield Decision((Demand(UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.DELETE_BY_KEY),), node)


def _gives_enough(node: QueryOperation, deletes: DeleteKind) -> bool:
    """Whether the deletions of a source have the columns that are demanded."""
    while not isinstance(node, SourceQueryOperation):
        (node,) = node.children
    mode = mode_of(node)
    return deletes is DeleteKind.DELETE_BY_KEY or not (mode.contains(RowKind.DELETE) and mode.key_only_deletes)


@decisions.register(WatermarkQueryOperation)
def _watermark(node: WatermarkQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    yield Decision((demand,), node)


@decisions.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    # Expressions cannot be evaluated on rows that hold only the key.
    if not all(isinstance(expression, FieldReferenceExpression) for expression in node.projection):
        demand = replace(demand, deletes=DeleteKind.FULL_DELETE)
    yield Decision((demand,), node)


def _needs_before(node: QueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    # UPDATE_AFTER may be filtered out or produce fewer rows: only UPDATE_BEFORE retracts the rows that were emitted earlier.
    if not (inputs[0].has_updates and demand.is_only_after):
        yield Decision((FULL,), node)


decisions.register(FilterQueryOperation)(_needs_before)
decisions.register(UnnestQueryOperation)(_needs_before)
decisions.register(LookupJoinQueryOperation)(_needs_before)
decisions.register(WindowTableFunctionQueryOperation)(_needs_before)


def _needs_all(node: QueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    yield Decision((FULL,), node)


decisions.register(AggregateQueryOperation)(_needs_all)
decisions.register(DistinctQueryOperation)(_needs_all)
decisions.register(DeduplicateQueryOperation)(_needs_all)
decisions.register(ToChangelogQueryOperation)(_needs_all)
decisions.register(WindowAggregateQueryOperation)(_needs_all)
decisions.register(WindowRankQueryOperation)(_needs_all)
decisions.register(OverAggregateQueryOperation)(_needs_all)
decisions.register(UpdatingOverQueryOperation)(_needs_all)
decisions.register(MatchRecognizeQueryOperation)(_needs_all)
decisions.register(TemporalSortQueryOperation)(_needs_all)


def _needs_all_of_both(node: QueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    yield Decision((FULL, FULL), node)


decisions.register(WindowJoinQueryOperation)(_needs_all_of_both)
decisions.register(IntervalJoinQueryOperation)(_needs_all_of_both)


@decisions.register(FromChangelogQueryOperation)
def _from_changelog(node: FromChangelogQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    # The rows have no known key, so UPDATE_AFTER cannot replace an earlier row.
    if not (demand.is_only_after and RowKind.UPDATE_AFTER in dict(node.codes).values()):
        yield Decision((FULL,), node)


@decisions.register(SetQueryOperation)
def _set(node: SetQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    is_union_all = node.kind is SetOperationType.UNION and node.all
    yield Decision((demand if is_union_all else FULL,) * len(node.inputs), node)


@decisions.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    if not demand.is_only_after or node.join_type is not JoinType.INNER:
        # Joins other than INNER emit no UPDATE_BEFORE rows: they retract with deletions.
        yield Decision((FULL, FULL), node)
        return
    columns, has_more = equal_columns(node.condition)
    # UPDATE_AFTER replaces the row with its upsert key only if both are stored under the same join key: the upsert key contains the join key.
    passes = [
        not side.has_updates or (not has_more and any(key >= side_columns for key in side.upsert_keys))
        for side, side_columns in zip(inputs, columns, strict=True)
    ]
    if all(passes):
        yield Decision((UPSERT, UPSERT), node)


@decisions.register(VersionedJoinQueryOperation)
def _versioned_join(node: VersionedJoinQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    # A row before an update has the time of an earlier version, which must stay.
    if not (inputs[0].has_updates and demand.is_only_after):
        yield Decision((FULL, UPSERT), node)


@decisions.register(CurrentRowsJoinQueryOperation)
def _current_rows_join(node: CurrentRowsJoinQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    if not (inputs[0].has_updates and demand.is_only_after):
        yield Decision((FULL, FULL), node)


@decisions.register(RankQueryOperation)
def _rank(node: RankQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    (child,) = inputs
    if not (child.has_updates or child.has_deletes):
        yield Decision((FULL,), replace(node, strategy=RankStrategy.APPEND_FAST))
        return
    key = _key_of_updates(node, child)
    if key is not None:
        yield Decision((UPSERT,), replace(node, strategy=RankStrategy.UPDATE_FAST, upsert_key=key))
    yield Decision((FULL,), replace(node, strategy=RankStrategy.RETRACT))


def smallest_key(keys: Iterable[frozenset[int]]) -> tuple[int, ...] | None:
    """Returns the columns of the smallest key; None if there is no key."""
    key = min(keys, key=lambda key: (len(key), sorted(key)), default=None)
    return None if key is None else tuple(sorted(key))


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
