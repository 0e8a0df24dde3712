"""Converts the state of an earlier version of an operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_runtime.changelog.graph_parts import Node
from table_runtime.changelog.state.snapshots import KEYS, Snapshot
from table_runtime.checkpoints.upgrade import Claim
from table_runtime.operators.execution import ExecutionContext

__all__ = ["converted"]

_FUNCTION = "function"


def converted(snapshots: Sequence[Snapshot], claim: Claim, node: Node, context: ExecutionContext) -> list[Snapshot]:
    """Returns snapshots as the operator of a node writes them: keys and aggregates in its order, columns in its types."""
    state = node.operator.create_state(context)
    types = {name: table.snapshot(np.zeros(0, np.int64)).schema.types for name, table in state.tables().items()}
    keys = list(state.keys.types) if state.keys is not None else []

    def convert(tables: Mapping[str, pa.RecordBatch]) -> dict[str, pa.RecordBatch]:
        result = {KEYS: _keys(tables[KEYS], claim.keys, keys)}
        for name, wanted in types.items():
            old = name
            if claim.values is not None and name.startswith(_FUNCTION):
                old = f"{_FUNCTION}{claim.values[int(name.removeprefix(_FUNCTION))]}"
            result[name] = _cast(tables[old], wanted)
        return result

    return [snapshot._replace(buckets={bucket: convert(tables) for bucket, tables in snapshot.buckets.items()}) for snapshot in snapshots]


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
