"""Converts the state of an earlier version of an operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.state_compatibility import StateMapping, table_before
from table_runtime.streaming.graph.graph import Node
from table_runtime.streaming.operators.group_aggregate import GroupAggregate
from table_runtime.streaming.operators.operator import OperatorState
from table_runtime.streaming.state.snapshots import KEYS, Snapshot


def table_types(state: OperatorState) -> dict[str, list[pa.DataType]]:
    """Returns the types of the columns of each table of a state."""
    return {name: table.snapshot(np.zeros(0, np.int64)).schema.types for name, table in state.tables().items()}


def converted(snapshots: Sequence[Snapshot], claim: StateMapping, node: Node, context: ExecutionContext) -> list[Snapshot]:
    """Returns snapshots as the operator of a node writes them: keys and aggregates in its order, columns in its types."""
    state = node.operator.create_state(context)
    types = table_types(state)
    keys = list(state.keys.types) if state.keys is not None else []
    places = node.operator.key_places if isinstance(node.operator, GroupAggregate) else None
    columns = None if claim.keys is None else _key_columns(claim.keys, places or list(range(len(claim.keys))))

    def convert(tables: Mapping[str, pa.RecordBatch]) -> dict[str, pa.RecordBatch]:
        result = {KEYS: _keys(tables[KEYS], columns, keys)}
        for name, wanted in types.items():
            result[name] = _cast(tables[table_before(name, claim.values, claim.distinct)], wanted)
        return result

    return [snapshot._replace(buckets={bucket: convert(tables) for bucket, tables in snapshot.buckets.items()}) for snapshot in snapshots]


def _key_columns(keys: Sequence[int], places: Sequence[int | None]) -> list[int]:
    """Returns where each column of the key is in the old state. ``keys`` are the old positions of the grouping columns, ``places`` those of which columns are kept.

    Old state has the columns in the order of the grouping columns, and those that are no grouping columns at the same places.
    """
    others = iter(sorted(keys[place] for place in places if place is not None))
    before = [None if place is None else next(others) for place in places]
    return [number if place is None else before.index(keys[place]) for number, place in enumerate(places)]


def _keys(batch: pa.RecordBatch, positions: Sequence[int] | None, types: Sequence[pa.DataType]) -> pa.RecordBatch:
    columns = batch.columns
    if positions is not None:
        further = range(len(positions), len(columns))
        columns = [columns[position] for position in (*positions, *further)]
    wanted = [*types, *(column.type for column in columns[len(types) :])]
    cast = [column if column.type == type_ else column.cast(type_) for column, type_ in zip(columns, wanted, strict=True)]
    return pa.RecordBatch.from_arrays(cast, [f"k{number}" for number in range(len(cast))])


def _cast(batch: pa.RecordBatch, types: Sequence[pa.DataType]) -> pa.RecordBatch:
    columns = [column if column.type == type_ else column.cast(type_) for column, type_ in zip(batch.columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)
