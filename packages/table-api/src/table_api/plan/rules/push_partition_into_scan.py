"""Partition pruning: evaluates conditions on partition keys while planning, and gives the source the remaining partitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from table_api.delegation import Planner
from table_api.operations import FilterQueryOperation, PushedAbility, QueryOperation, SourceQueryOperation, ValuesQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.scan_below import scan_below
from table_api.resolution.casting import cast_to
from table_common.annotation import override
from table_common.connector.source.abilities import PartitionValue, SupportsPartitionPushDown
from table_common.exceptions import TableException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    conjunction,
    conjuncts,
    is_deterministic,
    map_references,
    references,
)
from table_common.frozen_dataclass import dataclass, field
from table_common.functions import BuiltInFunctionDefinition, FunctionKind
from table_common.tree import preorder, transform_up
from table_common.types import RowField, RowType, VarBinaryType, VarCharType

Partition = Mapping[str, PartitionValue]
_TEXT = VarCharType()
_BYTES = VarBinaryType()


@dataclass(frozen=True, slots=True)
class PushedPartitions(PushedAbility):
    """The partitions that the source reads."""

    partitions: tuple[Partition, ...] = field(hash=False)
    place: ClassVar[int] = 10
    chooses_rows: ClassVar[bool] = True

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "partitions", [_partition_text(partition) for partition in self.partitions]


def push_partition_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Removes the partitions for which a condition on partition keys is not true; evaluated conditions are removed from the filter.

    Conditions that the planner cannot evaluate stay in the filter. Without remaining partitions, the scan becomes VALUES without rows.
    """
    planner = context.planner

    def change(node: FilterQueryOperation) -> QueryOperation:
        below = scan_below(node.child)
        if planner is None or below is None:
            return node
        scan = below.scan
        keys = scan.table.table.partition_keys
        if scan.source is None or scan.pushed.abilities or not keys:
            return node
        if not isinstance(scan.source, SupportsPartitionPushDown):
            return node
        names = scan.physical_schema.column_names
        positions = {names.index(key): key for key in keys}
        parts = conjuncts(node.condition)
        moved = {part: below.over_scan(part) for part in parts}
        offered = [
            part
            for part in moved.values()
            if part is not None and is_deterministic([part]) and _is_over(part, positions) and _is_built_in(part)
        ]
        listed = scan.source.list_partitions() if offered else None
        if listed is None:
            return node
        _check(scan, keys, listed)
        kept, decided = _Conditions(offered, positions, planner).pruned(listed)
        remaining = [part for part in parts if moved[part] not in decided]
        if len(remaining) == len(parts):
            return node
        pushed = below.with_scan(_reading(scan, kept) if len(kept) < len(listed) else scan)
        return FilterQueryOperation(conjunction(remaining), pushed) if remaining else pushed

    return transform_up(root, QueryOperation, change, of=FilterQueryOperation)


def _is_over(part: ResolvedExpression, positions: Mapping[int, str]) -> bool:
    used = references([part])
    return bool(used) and all(index == 0 and position in positions for index, position in used)


def _is_built_in(part: ResolvedExpression) -> bool:
    """Returns whether all functions of the expression are built-in scalar functions; only these are called while planning."""
    return all(
        isinstance(call.function, BuiltInFunctionDefinition) and call.function.kind is FunctionKind.SCALAR
        for call in preorder(part, ResolvedExpression)
        if isinstance(call, CallExpression)
    )


def _check(scan: SourceQueryOperation, keys: Sequence[str], listed: Sequence[Partition]) -> None:
    for partition in listed:
        if partition.keys() != set(keys):
            raise TableException(
                f"{type(scan.source).__name__}.list_partitions gave {dict(partition)}, but the keys of {scan.table.identifier} are {', '.join(keys)}."
            )


class _Conditions:
    """Conditions over partition keys, evaluated for many partitions at once."""

    def __init__(self, conditions: Sequence[ResolvedExpression], positions: Mapping[int, str], planner: Planner) -> None:
        self._conditions = [(part, sorted({positions[position] for _, position in references([part])})) for part in conditions]
        self._positions = positions
        self._planner = planner

    def pruned(self, listed: Sequence[Partition]) -> tuple[list[Partition], set[ResolvedExpression]]:
        """Returns the partitions for which all conditions that could be evaluated are true, and these conditions."""
        kept = list(listed)
        decided: set[ResolvedExpression] = set()
        for condition, keys in self._conditions:
            verdicts = self._verdicts(condition, keys, kept)
            if verdicts is not None:
                decided.add(condition)
                kept = [partition for partition in kept if verdicts[_values(partition, keys)]]
        return kept, decided

    def _verdicts(
        self, condition: ResolvedExpression, keys: Sequence[str], partitions: Sequence[Partition]
    ) -> Mapping[tuple[PartitionValue, ...], bool] | None:
        """Returns, for each combination of key values, whether the condition is true; None if it cannot be evaluated."""
        cases = list(dict.fromkeys(_values(partition, keys) for partition in partitions))
        if not cases:
            return {}
        types = [_BYTES if any(isinstance(case[index], bytes) for case in cases) else _TEXT for index in range(len(keys))]

        def value(reference: FieldReferenceExpression) -> ResolvedExpression:
            index = keys.index(self._positions[reference.field_index])
            column = FieldReferenceExpression(reference.name, types[index], 0, index)
            return cast_to(column, reference.output_type.with_nullability(True))

        row_type = RowType(tuple(RowField(key, type_) for key, type_ in zip(keys, types, strict=True)), nullable=False)
        matching = self._planner.expressions.matching_rows(map_references(condition, value), row_type, cases)
        return None if matching is None else dict(zip(cases, matching, strict=True))


def _values(partition: Partition, keys: Sequence[str]) -> tuple[PartitionValue, ...]:
    return tuple(partition[key] for key in keys)


def _reading(scan: SourceQueryOperation, kept: Sequence[Partition]) -> QueryOperation:
    if not kept:
        return ValuesQueryOperation((), scan.resolved_schema)
    assert scan.source is not None
    source = scan.source.copy()
    assert isinstance(source, SupportsPartitionPushDown)
    source.apply_partitions(kept)
    return scan.with_pushed(source, PushedPartitions(tuple(kept)))


def _partition_text(partition: Partition) -> str:
    return "/".join(f"{key}={_value_text(value)}" for key, value in partition.items())


def _value_text(value: PartitionValue) -> str:
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return "NULL" if value is None else value
