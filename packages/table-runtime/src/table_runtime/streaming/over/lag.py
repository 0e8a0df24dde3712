"""LAG in the order of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.columns.batches import cast_array, concat_arrays, make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.over.calls import CallState, OverCalls, OverRows
from table_runtime.streaming.over.history import following, kept_tail
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows


class LagState(CallState):
    """The last values of each partition."""

    def __init__(self, type_: pa.DataType) -> None:
        self.values = TimedRows(pa.schema([("value", type_)]))

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"values": self.values}


class OverLag(OverCalls[LagState]):
    """The value of the row ``distance`` rows before; ``default`` where there is none: a column of the input, or a constant."""

    def __init__(
        self, column: int, argument: int, distance: int, default: int | pa.Scalar, value_type: pa.DataType, output_type: pa.DataType
    ) -> None:
        self.columns = (column,)
        self._argument = argument
        self._distance = distance
        self._default = default
        self._value_type = value_type
        self._type = output_type

    @override
    def create_state(self, context: ExecutionContext, keys: KeySlots) -> LagState:
        return LagState(self._value_type)

    @override
    def results(self, rows: OverRows, state: LagState) -> Sequence[pa.Array]:
        values = rows.rows.column(self._argument)
        together = following(state.values, rows)
        every = concat_arrays([*state.values.take(together.kept), values], self._value_type)
        # Positions in the order of evaluation: a row, and the one some rows before it, if that is of the same partition.
        at = together.places_of_new
        source = at - self._distance
        is_there = source >= together.first_of_new
        found = together.order[np.where(is_there, source, 0)] if len(at) else at
        result = every.take(pa.array(found, mask=~is_there))
        kept_tail(state.values, together, make_batch([every], state.values.schema, len(every)), self._distance)
        default = rows.rows.column(self._default) if isinstance(self._default, int) else self._default
        if not isinstance(default, pa.Scalar) or default.is_valid:
            result = pc.if_else(pa.array(is_there), cast_array(result, self._type), default.cast(self._type))
        return [cast_array(result, self._type)]
