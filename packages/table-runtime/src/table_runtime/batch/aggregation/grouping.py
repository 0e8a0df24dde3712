"""Arrow's hash aggregation over one table in memory, without the modules that wrap it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyarrow import _compute

from table_common.arrow import arrow_array
from table_runtime.aggregates import Reduction
from table_runtime.cancellation import current_check
from table_runtime.columns.batches import concat_arrays

CHECKED_ROWS = 1 << 17
"""Aggregations of more rows check for cancellation between two slices."""
_CHECK = "$table_runtime_check"
_is_registered = False
_registering = threading.Lock()


def reduce_groups(keys: Sequence[pa.Array], reductions: Sequence[Reduction], rows: int) -> tuple[list[pa.Array], list[pa.Array], int]:
    """Returns the distinct keys, the reduced columns in the same order, and the number of groups.

    Keys may be dictionary arrays with distinct values; they are returned decoded.
    Ordered functions (``first``, ``list``) see the rows in order. The order of the groups is undefined, because Arrow numbers groups whose
    hashes collide later. Without keys there is one group, also for an input without rows; only functions that Arrow has without groups are
    allowed then.
    """
    if not keys:
        return [], [_reduce(reduction, rows) for reduction in reductions], 1
    from pyarrow._acero import AggregateNodeOptions, Declaration, ProjectNodeOptions, TableSourceNodeOptions

    names: list[str] = []
    columns: list[pa.Array] = []
    for index, key in enumerate(keys):
        names.append(f"k{index}")
        columns.append(key)
    aggregates = []
    for index, reduction in enumerate(reductions):
        target: list[str] = []
        if reduction.column is not None:
            target = [f"v{index}"]
            names.append(target[0])
            columns.append(reduction.column)
        aggregates.append((target, "hash_" + reduction.function, reduction.options, f"r{index}"))
    grouped = AggregateNodeOptions(aggregates, keys=[f"k{index}" for index in range(len(keys))])
    nodes = [Declaration("aggregate", grouped)]
    if rows > CHECKED_ROWS:
        nodes.insert(0, Declaration("project", ProjectNodeOptions(*_with_check(names))))
        names, columns = [*names, "check"], [*columns, pa.nulls(rows, pa.int8())]
    table = pa.Table.from_arrays(columns, names=names)
    plan = Declaration.from_sequence([Declaration("table_source", TableSourceNodeOptions(table)), *nodes])
    result = plan.to_table(use_threads=False)
    combined = [concat_arrays(result.column(name).chunks, result.schema.field(name).type) for name in result.column_names]
    by_name = dict(zip(result.column_names, combined, strict=True))
    return (
        [_decoded(by_name[f"k{index}"]) for index in range(len(keys))],
        [by_name[f"r{index}"] for index in range(len(reductions))],
        result.num_rows,
    )


def _decoded(keys: pa.Array) -> pa.Array:
    return keys.dictionary_decode() if pa.types.is_dictionary(keys.type) else keys


def _reduce(reduction: Reduction, rows: int) -> pa.Array:
    """Returns the result of one reduction over all rows, as an array of one value."""
    if reduction.column is None:
        return arrow_array([rows], pa.int64())
    return pa.repeat(_compute.call_function(reduction.function, [reduction.column], reduction.options), 1)


def _with_check(names: Sequence[str]) -> tuple[list[Any], list[str]]:
    """Returns expressions for the columns and one that calls ``_check`` for every few thousand rows, and their names.

    The check lets a cancelled run stop within an aggregation: Arrow aggregates millions of groups for seconds and cannot be interrupted.
    """
    global _is_registered
    with _registering:
        if not _is_registered:
            description = {"summary": "Checks whether the run was cancelled", "description": ""}
            _compute.register_scalar_function(_check, _CHECK, description, {"rows": pa.int8()}, pa.int8())
            _is_registered = True
    field = _compute.Expression._field
    return [*map(field, names), _compute.Expression._call(_CHECK, [field("check")])], [*names, "check"]


def _check(context: Any, rows: pa.Array) -> pa.Array:
    current_check()()  # Arrow calls this in the thread that runs the plan
    return rows
