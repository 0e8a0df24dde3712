"""Hash join: the right input is the build side, held in memory and indexed by key; the left input is streamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_array
from table_common.arrow import compute as pc
from table_common.exceptions import TableError
from table_runtime.batch.joins.join import Join, KeyColumns
from table_runtime.batch.joins.join_output import BuildSide, JoinKind, JoinOutput, PairFilter
from table_runtime.batch.joins.key_index import KeyIndex, are_positions
from table_runtime.batch.joins.range_index import FEWEST_ROWS_PER_KEY, RangeBounds, RangeIndex, RangeMatches
from table_runtime.batch.parts import Run, divided, dividing_keys, is_divided, runs_by_part
from table_runtime.columns.batches import BATCH_ROWS, coalesce_batches, concat_arrays, rechunk
from table_runtime.columns.keys import KeyCodec
from table_runtime.columns.sorted_search import search_sorted
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_all, map_ordered
from table_runtime.scans.key_filter import key_filter
from table_runtime.scans.runtime_filters import FilterSlot

PAIRS_AT_ONCE = 1 << 18
"""Maximum candidate pairs per block."""
FEWEST_PROBED = 1 << 13
"""Left rows of one part that are looked up at once, if there are as many."""


class HashJoin(Join):
    """Joins rows with equal keys. A key with NULL or NaN matches no row, except in key columns for which ``null_equal`` is true.

    ``filters`` are keys, by position, that scans below the left input wait for; they get them before the left input is read. ``ranges`` are
    comparisons in ``condition``: among many rows of a key they find the candidates.
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
        filters: Sequence[tuple[int, FilterSlot]] = (),
        ranges: RangeBounds | None = None,
        columns: Sequence[int] | None = None,
    ) -> None:
        super().__init__(left, right, kind, schema, condition, columns)
        self._filters = tuple(filters)
        self._left_keys = left_keys
        self._right_keys = right_keys
        self._key_types = tuple(key_types)
        self._null_equal = tuple(null_equal) if null_equal is not None else (False,) * len(self._key_types)
        self._text = text
        self._ranges = ranges

    @override
    def details(self) -> str:
        text = f"joinType=[{self.kind.value}], keys=[{self._text}]"
        if self._filters:
            text += f", runtimeFilters=[{', '.join(f'#{slot.number}: {slot.name}' for _, slot in self._filters)}]"
        return text + (f", where=[{self._condition.text}]" if self._condition is not None else "")

    @property
    @override
    def key_columns(self) -> tuple[KeyColumns, KeyColumns, Sequence[bool]]:
        return self._left_keys, self._right_keys, self._null_equal

    @override
    def joined_with(self, left: Operator, batches: list[pa.RecordBatch], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        if not batches and self.kind.needs_right:
            return
        codec = KeyCodec(self._key_types)
        filters = self._filters if self.spill_level == 0 else ()  # a partition has some of the keys
        divides = is_divided(batches)
        columns = [self._right_keys(batch) for batch in batches] if filters or divides else []
        for key, slot in filters:
            slot.put(context, key_filter([batch[key] for batch in columns], self._key_types[key]))
        divides = divides and not are_positions(columns)
        by = dividing_keys(self._encode(codec, columns[0])) if divides else []
        del columns
        if divides:

            def dividing(keys: KeyColumns) -> KeyColumns:
                return lambda batch: self._dividing(codec, keys(batch), by)

            parts = divided(batches, self.inputs[1].schema, dividing(self._right_keys), context)
            sides = map_all(lambda part: self._side(left, part, codec, context), parts, context)
            rows = [max(FEWEST_PROBED, 2 * side.build.rows) for side in sides]
            runs = runs_by_part(left.batches(context), left.schema, dividing(self._left_keys), rows, context)
        else:
            sides = [self._side(left, batches, codec, context)]
            # Arrow builds a hash table of the keys for each run, so a run must then be larger than the build side.
            most = max(BATCH_ROWS, 2 * sides[0].build.rows) if sides[0].keys.is_hashed else BATCH_ROWS
            whole = coalesce_batches(left.batches(context), most, None if context.is_ample else context.scaled)
            runs = (Run(0, run) for run in whole)

        def probe(run: Run) -> list[_Piece]:
            return self._probed(sides[run.part], rechunk(run.batches, left.schema), codec, context)

        def join(piece: _Piece) -> Iterable[pa.RecordBatch]:
            batches = piece.side.output.emit(piece.batch, self._candidates(piece))
            # The many matches of one row are produced block by block.
            return batches if piece.pairs > PAIRS_AT_ONCE else list(batches)

        joined = map_ordered(join, _flattened(map_ordered(probe, runs, context)), context)
        unmatched = map_ordered(lambda side: list(side.output.finish()), sides, context)
        for results in (joined, unmatched):
            try:
                for part in results:
                    for batch in part:
                        context.check()
                        if batch.num_rows:
                            yield batch
            finally:
                close_iterator(results)

    def _side(self, left: Operator, batches: list[pa.RecordBatch], codec: KeyCodec, context: ExecutionContext) -> _Side:
        """Returns the index and the output of rows of the right side; removes them from the list."""
        columns = [self._right_keys(batch) for batch in batches]
        ranged = self._range_columns(batches)
        build = self._build_side(left, batches, context)
        keys = [self._encode(codec, batch) for batch in columns]
        del columns
        encoded = [
            concat_arrays([chunk[i] for chunk in keys], codec.encode([arrow_array([], type_) for type_ in self._key_types])[i].type)
            for i, type_ in enumerate(self._key_types)
        ]
        context.require_memory(
            32 * build.rows + 2 * sum(column.nbytes for column in encoded)
        )  # for the index and the temporary arrays of its construction
        index = KeyIndex(encoded, self._null_equal)
        ranges = None
        if self._ranges is not None and ranged is not None and index.rows_per_key >= FEWEST_ROWS_PER_KEY:
            context.require_memory(40 * build.rows)
            ranges = RangeIndex.of_batches(self._ranges, index.groups(encoded), ranged)
        return _Side(build, index, ranges, self._output(build))

    def _probed(self, side: _Side, batch: pa.RecordBatch, codec: KeyCodec, context: ExecutionContext) -> list[_Piece]:
        """Returns left rows with their candidates."""
        index = side.keys
        groups = index.groups(self._encode(codec, self._left_keys(batch)))
        if self.kind.is_left_only and self._condition is None:
            return [_Piece(side, batch, _KeyMatches(index, groups), 0)]
        if self.kind.is_right_only and self._condition is None:  # only the keys count, each once
            groups = pc.unique(pc.drop_null(groups))
            return list(_pieces(side, batch.slice(0, len(groups)), _KeyMatches(index, groups)))
        matches = None if side.ranges is None else side.ranges.matches(groups, batch)
        if self.kind.is_left_only and (spans := (matches.rows, matches.starts, matches.counts) if matches else index.spans(groups)):
            from table_runtime.batch.joins.early_match import with_few_candidates  # joins with other conditions

            def tried(rows: pa.Array, candidates: pa.Array) -> pa.Array:
                context.check()
                return side.output.partners(batch, rows, candidates)

            matches = with_few_candidates(RangeMatches(*spans), tried, PAIRS_AT_ONCE)
        return list(_pieces(side, batch, _KeyMatches(index, groups) if matches is None else matches))

    def _dividing(self, codec: KeyCodec, columns: Sequence[pa.Array], by: Sequence[int]) -> list[pa.Array]:
        encoded = self._encode(codec, columns)
        return [codec.dividing(key, encoded[key]) for key in by]

    def _encode(self, codec: KeyCodec, columns: Sequence[pa.Array]) -> list[pa.Array]:
        """Returns the encoded keys; NaN, which equals nothing, is NULL."""
        return [
            column if null_equal or not pa.types.is_floating(column.type) else pc.if_else(pc.is_nan(column), None, column)
            for column, null_equal in zip(codec.encode(columns), self._null_equal, strict=True)
        ]

    def _range_columns(self, batches: Sequence[pa.RecordBatch]) -> list[Sequence[pa.Array]] | None:
        """Returns the values of the bounds; None without bounds, or if one fails: the row may have no partner, and then it is no error."""
        if self._ranges is None:
            return None
        try:
            return [self._ranges.right(batch) for batch in batches]
        except (TableError, pa.ArrowInvalid):
            return None

    def _candidates(self, piece: _Piece) -> Iterator[tuple[pa.Array | None, pa.Array]]:
        if self.kind.is_left_only and self._condition is None:
            assert isinstance(piece.matches, _KeyMatches)
            matched = pc.indices_nonzero(pc.is_valid(piece.matches.groups))
            yield pc.cast(matched, pa.int64()), arrow_array([], pa.int64())
        elif piece.pairs <= PAIRS_AT_ONCE:
            yield piece.matches.pairs()
        else:
            partners = piece.matches.first_rows()
            for start in range(0, len(partners), PAIRS_AT_ONCE):
                block = partners.slice(start, PAIRS_AT_ONCE)
                yield pa.repeat(pa.scalar(0, pa.int64()), len(block)), block


class _KeyMatches(NamedTuple):
    """The candidates of probe rows whose keys have the numbers ``groups``: all rows of the key."""

    keys: KeyIndex
    groups: pa.Array

    def slice(self, start: int, length: int) -> _KeyMatches:
        return _KeyMatches(self.keys, self.groups.slice(start, length))

    def pair_ends(self) -> pa.Array:
        return self.keys.pair_ends(self.groups)

    def pairs(self) -> tuple[pa.Array | None, pa.Array]:
        return self.keys.pairs(self.groups)

    def first_rows(self) -> pa.Array:
        return self.keys.rows_of(self.groups[0].as_py())


class _Side(NamedTuple):
    """The right rows, all of them or those of one part."""

    build: BuildSide
    keys: KeyIndex
    ranges: RangeIndex | None
    output: JoinOutput


class _Piece(NamedTuple):
    """Left rows, their candidates, and the number of candidate pairs: one row may have more than ``PAIRS_AT_ONCE``."""

    side: _Side
    batch: pa.RecordBatch
    matches: _KeyMatches | RangeMatches
    pairs: int


def _pieces(side: _Side, batch: pa.RecordBatch, matches: _KeyMatches | RangeMatches) -> Iterator[_Piece]:
    if side.keys.is_unique:
        for start in range(0, batch.num_rows, PAIRS_AT_ONCE):
            piece = batch.slice(start, PAIRS_AT_ONCE)
            yield _Piece(side, piece, matches.slice(start, PAIRS_AT_ONCE), piece.num_rows)
        return
    ends = matches.pair_ends()
    start = before = 0
    while start < batch.num_rows:
        limit = arrow_array([before + PAIRS_AT_ONCE], pa.int64())
        end = max(start + 1, search_sorted(ends, limit, "right")[0].as_py())
        until = ends[end - 1].as_py()
        yield _Piece(side, batch.slice(start, end - start), matches.slice(start, end - start), until - before)
        start, before = end, until


def _flattened(probed: Iterator[list[_Piece]]) -> Iterator[_Piece]:
    try:
        for pieces in probed:
            yield from pieces
    finally:
        close_iterator(probed)
