"""Runtime filters of a scan: the join keys of the build side, collected before the scan reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.connector.source import DynamicFilteringData
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator

MOST_VALUES = 100_000
"""Maximum distinct keys of a filter. A filter with more keys is not applied: matching the partitions would cost more than it saves."""


def collect_filters(inputs: Sequence[Operator], context: ExecutionContext) -> list[DynamicFilteringData]:
    """Returns the distinct keys of each input, whose columns are the filter fields; no filter if there are too many."""
    return [_collected(operator, context) for operator in inputs]


def _collected(operator: Operator, context: ExecutionContext) -> DynamicFilteringData:
    names = tuple(operator.schema.names)
    values: set[tuple[Any, ...]] = set()
    batches = operator.batches(context)
    try:
        for batch in batches:
            context.check()
            keys = pa.table(batch.columns, names=list(names)).group_by(list(names)).aggregate([])
            try:
                values.update(row for row in zip(*(column.to_pylist() for column in keys.columns), strict=True) if None not in row)
            except (OverflowError, ValueError):  # a date outside of the range of Python's date
                return DynamicFilteringData(names, None)
            if len(values) > MOST_VALUES:
                return DynamicFilteringData(names, None)
    finally:
        close_iterator(batches)
    return DynamicFilteringData(names, frozenset(values))


def filter_text(inputs: Sequence[Operator]) -> str:
    """Returns the description of the filter fields in plans."""
    return f", dynamicFilters=[{', '.join(name for operator in inputs for name in operator.schema.names)}]" if inputs else ""
