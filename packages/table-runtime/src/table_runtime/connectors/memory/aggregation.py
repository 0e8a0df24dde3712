"""Aggregate push-down: groups and aggregates the rows of a split."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.expressions import AggregateExpression
from table_common.types import NUMERICS, BooleanType, CharacterType, DateType, DecimalType, LogicalType, TimestampType

_FUNCTIONS = {"COUNT": "count", "SUM": "sum", "MIN": "min", "MAX": "max"}
_KEYS: tuple[type[LogicalType], ...] = (*NUMERICS, CharacterType, DateType, TimestampType, BooleanType)


def can_aggregate(keys: Sequence[LogicalType], aggregates: Sequence[AggregateExpression]) -> bool:
    """Returns whether the connector can compute these aggregates."""
    if not all(isinstance(key, _KEYS) for key in keys):
        return False
    for aggregate in aggregates:
        if aggregate.distinct or aggregate.filter is not None or aggregate.function.name not in _FUNCTIONS:
            return False
        # Engines sum decimals, because they detect overflow.
        if aggregate.function.name != "COUNT" and any(
            not isinstance(arg.output_type, NUMERICS) or isinstance(arg.output_type, DecimalType) for arg in aggregate.args
        ):
            return False
    return True


def aggregated(rows: pa.Table, grouping: Sequence[int], aggregates: Sequence[AggregateExpression], schema: pa.Schema) -> pa.Table:
    """Returns one row per group: the keys followed by the aggregates."""
    keys = [f"k{position}" for position in range(len(grouping))]
    columns = {name: rows.column(position) for name, position in zip(keys, grouping, strict=True)}
    columns["all"] = pa.array([True] * rows.num_rows)
    reductions = []
    for number, aggregate in enumerate(aggregates):
        if aggregate.args:
            columns[f"a{number}"] = rows.column(aggregate.args[0].field_index)
        reductions.append((f"a{number}" if aggregate.args else "all", _FUNCTIONS[aggregate.function.name]))
    result = pa.table(columns).group_by(keys, use_threads=False).aggregate(list(dict.fromkeys(reductions)))
    values = [result.column(key) for key in keys] + [result.column(f"{column}_{function}") for column, function in reductions]
    arrays = [value.cast(field.type) for value, field in zip(values, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
