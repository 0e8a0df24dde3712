"""Row-group pruning: filters for columnar readers, and row groups without wanted keys."""

from __future__ import annotations

import datetime
from collections.abc import Container, Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_filter, to_arrow_type
from table_common.expressions import ResolvedExpression
from table_common.types import RowType
from table_runtime.formats.conditions import at_positions, referenced_names
from table_runtime.formats.file_format import ReadTask

_EPOCH = datetime.date(1970, 1, 1)


def row_filter(filters: Sequence[ResolvedExpression], present: Mapping[str, pa.DataType], row_type: RowType) -> Any:
    """Returns Arrow's expression for the filters that a file with the columns ``present`` can evaluate, or None.

    Filters on columns whose type in the file differs from the declared one are not used, because the values are converted after reading.
    """
    if not filters:
        return None
    exact = {field.name for field in row_type.fields if present.get(field.name) == to_arrow_type(field.type)}
    positions = {name: index for index, name in enumerate(row_type.field_names)}
    usable = [at_positions(condition, positions) for condition in filters if referenced_names(condition) <= exact]
    return to_arrow_filter(usable, row_type)[0] if usable else None


def fragment_with_keys(fragment: Any, task: ReadTask, present: Mapping[str, pa.DataType]) -> Any:
    """Returns the fragment of a Parquet file without the row groups in which a column has none of the task's ``keys``."""
    groups = fragment.row_groups
    kept = [group.id for group in groups if has_wanted_keys(group.metadata, task, present)]
    return fragment if len(kept) == len(groups) else fragment.subset(row_group_ids=kept)


def has_wanted_keys(group: Any, task: ReadTask, present: Mapping[str, pa.DataType]) -> bool:
    """Returns whether a row group may have, in each column with keys, some of the task's ``keys``; counts the groups.

    Columns whose type in the file differs from the declared one are not used.
    """
    types = {field.name: to_arrow_type(field.type) for field in task.file_type.fields}
    usable = [(name, keys) for name, keys in task.keys if name in present and present[name] == types.get(name)]
    statistics = _statistics(group, {name for name, _ in usable})
    excluding = None
    for name, keys in usable:
        keys.count_groups(1, 0)
        bounds = statistics.get(name)
        if excluding is None and bounds is not None and not keys.has_between(_number_of(bounds.min), _number_of(bounds.max)):
            keys.count_groups(0, 1)
            excluding = keys
    return excluding is None


def _statistics(group: Any, names: Container[str]) -> dict[str, Any]:
    """Returns the statistics of some columns that have bounds; those of the fragment would be converted for all columns, by ``pa.scalar``."""
    columns = (group.column(index) for index in range(group.num_columns))
    found = {column.path_in_schema: column.statistics for column in columns if column.path_in_schema in names}
    return {name: statistics for name, statistics in found.items() if statistics is not None and statistics.has_min_max}


def _number_of(bound: Any) -> Any:
    """Returns a bound as keys have it: a date as the number of days since 1970."""
    return (bound - _EPOCH).days if type(bound) is datetime.date else bound
