"""Runtime filters of a scan: the join keys of the build side, collected before the scan reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.connector.source import DynamicFilteringData
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator

__all__ = ["MOST_VALUES", "collect_filters", "filter_text"]

MOST_VALUES = 100_000
"""With more distinct keys the filter is not applied: matching the partitions would cost more than it saves."""


def collect_filters(inputs: Sequence[Operator], context: ExecutionContext) -> list[DynamicFilteringData]:
    """Runs the inputs, whose columns are the filter fields, to their end or until there are too many keys."""
    return [_collected(operator, context) for operator in inputs]


def _collected(operator: Operator, context: ExecutionContext) -> DynamicFilteringData:
    names = tuple(operator.schema.names)
    found: set[tuple[Any, ...]] = set()
    batches = operator.batches(context)
    try:
        for batch in batches:
            context.check()
            keys = pa.table(batch.columns, names=list(names)).group_by(list(names)).aggregate([])
            try:
                found.update(row for row in zip(*(column.to_pylist() for column in keys.columns), strict=True) if None not in row)
            except (OverflowError, ValueError):  # a date that Python does not have
                return DynamicFilteringData(names, None)
            if len(found) > MOST_VALUES:
                return DynamicFilteringData(names, None)
    finally:
        close_iterator(batches)
    return DynamicFilteringData(names, frozenset(found))


def filter_text(inputs: Sequence[Operator]) -> str:
    """Returns the description of the filter fields in plans."""
    return f", dynamicFilters=[{', '.join(name for operator in inputs for name in operator.schema.names)}]" if inputs else ""
