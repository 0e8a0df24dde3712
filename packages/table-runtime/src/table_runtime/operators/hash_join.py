"""Joins by equal keys: the right input is held in memory and found by key, the left one streams past."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batches import BATCH_ROWS, concat_arrays, rechunk, runs
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.join_output import BuildSide, JoinKind, JoinOutput, PairFilter
from table_runtime.operators.key_index import KeyIndex
from table_runtime.operators.keys import KeyCodec
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import closing, map_ordered

__all__ = ["HashJoin"]

KeyColumns = Callable[[pa.RecordBatch], Sequence[pa.Array]]
"""Computes the key columns of a batch; both sides give equal types."""
PAIRS_AT_ONCE = 1 << 20
"""About how many candidate pairs are made at once."""


class HashJoin(Operator):
    """Pairs rows with equal keys for which ``condition``, if there is one, is true. A key that is NULL or NaN has no partner unless ``null_equal`` says so.

    Schema: the left columns followed by the right ones, for SEMI and ANTI the left ones.
    """

    def __init__(
        self,
        left: Operator,
        right: Operator,
        kind: JoinKind,
        schema: pa.Schema,
        left_keys: KeyColumns,
        right_keys: KeyColumns,
        key_types: Sequence[pa.DataType],
        *,
        null_equal: Sequence[bool] | None = None,
        condition: PairFilter | None = None,
        text: str = "",
    ) -> None:
        super().__init__(schema, (left, right))
        self._kind = kind
        self._left_keys = left_keys
        self._right_keys = right_keys
        self._key_types = tuple(key_types)
        self._null_equal = tuple(null_equal) if null_equal is not None else (False,) * len(self._key_types)
        self._condition = condition
        self._text = text

    @override
    def details(self) -> str:
        text = f"joinType=[{self._kind.value}], keys=[{self._text}]"
        return text + (f", where=[{self._condition.text}]" if self._condition is not None else "")

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        left, right = self.inputs
        build = BuildSide(right, context)
        if build.rows == 0 and self._kind in (JoinKind.INNER, JoinKind.SEMI, JoinKind.RIGHT):
            return
        codec = KeyCodec(self._key_types)
        keys = [self._encode(codec, self._right_keys(batch)) for batch in build.batches]
        build.batches.clear()
        encoded = [
            concat_arrays([chunk[i] for chunk in keys], codec.encode([pa.array([], type=type_) for type_ in self._key_types])[i].type)
            for i, type_ in enumerate(self._key_types)
        ]
        index = KeyIndex(encoded, self._null_equal)
        output = JoinOutput(self._kind, self.schema, build, self._condition, len(left.schema))

        def probe(run: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
            batch = rechunk(run, left.schema)
            context.check()
            return list(output.emit(batch, self._candidates(index, codec, batch)))

        # A hash of the keys is made for each run: it must be small beside the run.
        rows = BATCH_ROWS if index.rows_per_key > 4 else max(BATCH_ROWS, 2 * build.rows)
        parts = map_ordered(probe, runs(left.batches(context), rows), context)
        try:
            for part in parts:
                yield from (batch for batch in part if batch.num_rows)
        finally:
            closing(parts)
        yield from output.finish()

    def _encode(self, codec: KeyCodec, columns: Sequence[pa.Array]) -> list[pa.Array]:
        """Returns the encoded keys; NaN, which equals nothing, is NULL."""
        return [
            column if null_equal or not pa.types.is_floating(column.type) else pc.if_else(pc.is_nan(column), None, column)
            for column, null_equal in zip(codec.encode(columns), self._null_equal, strict=True)
        ]

    def _candidates(self, index: KeyIndex, codec: KeyCodec, batch: pa.RecordBatch) -> Iterator[tuple[pa.Array | None, pa.Array]]:
        columns = self._encode(codec, self._left_keys(batch))
        if self._kind.is_left_only and self._condition is None:
            found = pc.indices_nonzero(pc.is_valid(index.groups(columns)))
            yield pc.cast(found, pa.int64()), pa.array([], type=pa.int64())
            return
        step = max(1024, int(PAIRS_AT_ONCE / max(1.0, index.rows_per_key)))
        if batch.num_rows <= 2 * step:
            yield index.pairs(columns)
            return
        for start in range(0, batch.num_rows, step):
            left_rows, right_rows = index.pairs([column.slice(start, step) for column in columns])
            if left_rows is None:
                left_rows = pa.arange(0, len(right_rows))
            yield pc.add(left_rows, pa.scalar(start, pa.int64())), right_rows
