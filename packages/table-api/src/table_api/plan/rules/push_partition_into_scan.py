"""Tells a source which of its partitions a query can need: conditions on partition keys are evaluated here, once for each partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.delegation import Planner
from table_api.operations import FilterQueryOperation, QueryOperation, SourceQueryOperation, ValuesQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.expressions import conjunction, conjuncts, is_deterministic, map_references, references
from table_api.plan.rules.fold_constants import constant_of
from table_api.resolution.casting import cast_to
from table_common.connector.source.abilities import SupportsPartitionPushDown
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.frozen_dataclass import replace
from table_common.tree import transform_up
from table_common.types import LogicalType, VarCharType

__all__ = ["push_partition_into_scan"]

Partition = Mapping[str, str | None]


def push_partition_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Leaves out the partitions for which a condition on partition keys is not true; such conditions are not applied again.

    What the planner cannot compute while it plans stays a filter. If no partition is left, there are no rows.
    """
    planner = context.planner

    def change(node: QueryOperation) -> QueryOperation:
        if planner is None or not isinstance(node, FilterQueryOperation) or not isinstance(node.child, SourceQueryOperation):
            return node
        scan = node.child
        keys = scan.table.table.partition_keys
        if scan.source is None or scan.partitions is not None or scan.projection is not None or scan.filters or not keys:
            return node
        if not isinstance(scan.source, SupportsPartitionPushDown):
            return node
        names = scan.physical_schema.column_names
        positions = {names.index(key): key for key in keys}
        parts = conjuncts(node.condition)
        offered = [part for part in parts if is_deterministic([part]) and _is_over(part, positions)]
        listed = scan.source.list_partitions() if offered else None
        if listed is None:
            return node
        _check(scan, keys, listed)
        kept, decided = _pruned(listed, offered, positions, planner)
        remaining = [part for part in parts if part not in decided]
        if len(remaining) == len(parts):
            return node
        pushed = _reading(scan, kept) if len(kept) < len(listed) else scan
        return FilterQueryOperation(conjunction(remaining), pushed) if remaining else pushed

    return transform_up(root, QueryOperation, change)


def _is_over(part: ResolvedExpression, positions: Mapping[int, str]) -> bool:
    used = references([part])
    return bool(used) and all(index == 0 and position in positions for index, position in used)


def _check(scan: SourceQueryOperation, keys: Sequence[str], listed: Sequence[Partition]) -> None:
    for partition in listed:
        if partition.keys() != set(keys):
            raise TableInternalError(
                f"{type(scan.source).__name__}.list_partitions gave {dict(partition)}, but the keys of {scan.table.identifier} are {', '.join(keys)}."
            )


def _pruned(
    listed: Sequence[Partition], conditions: Sequence[ResolvedExpression], positions: Mapping[int, str], planner: Planner
) -> tuple[list[Partition], set[ResolvedExpression]]:
    """Returns the partitions for which all conditions that could be decided are true, and these conditions."""
    kept = list(listed)
    decided: set[ResolvedExpression] = set()
    values: dict[tuple[str, str | None], ValueLiteralExpression | None] = {}
    for condition in conditions:
        verdicts: dict[tuple[str | None, ...], bool | None] = {}
        keys = sorted({positions[position] for _, position in references([condition])})
        for partition in kept:
            case = tuple(partition[key] for key in keys)
            if case not in verdicts:
                verdicts[case] = _verdict(condition, partition, positions, planner, values)
        if None in verdicts.values():
            continue
        decided.add(condition)
        kept = [partition for partition in kept if verdicts[tuple(partition[key] for key in keys)]]
    return kept, decided


def _verdict(
    condition: ResolvedExpression,
    partition: Partition,
    positions: Mapping[int, str],
    planner: Planner,
    values: dict[tuple[str, str | None], ValueLiteralExpression | None],
) -> bool | None:
    """Returns whether the condition is true in a partition; None if it cannot be computed."""
    unknown = False

    def value(reference: FieldReferenceExpression) -> ResolvedExpression:
        nonlocal unknown
        key = positions[reference.field_index]
        case = (key, partition[key])
        if case not in values:
            values[case] = _literal(partition[key], reference.output_type, planner)
        literal = values[case]
        unknown = unknown or literal is None
        return literal or reference

    substituted = map_references(condition, value)
    result = None if unknown else constant_of(substituted, planner)
    return bool(result.value) if result is not None else None


def _literal(text: str | None, data_type: LogicalType, planner: Planner) -> ValueLiteralExpression | None:
    if text is None:
        return ValueLiteralExpression(None, data_type.with_nullability(True))
    return constant_of(cast_to(ValueLiteralExpression(text, VarCharType(nullable=False)), data_type), planner)


def _reading(scan: SourceQueryOperation, kept: Sequence[Partition]) -> QueryOperation:
    if not kept:
        return ValuesQueryOperation((), scan.resolved_schema)
    assert scan.source is not None
    source = scan.source.copy()
    assert isinstance(source, SupportsPartitionPushDown)
    source.apply_partitions(kept)
    return replace(scan, source=source, partitions=tuple(kept))
