"""Turns candidate pairs of rows into result rows, for every kind of join."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from enum import Enum
from typing import Protocol

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.columns.batches import (
    BATCH_ROWS,
    append_columns,
    cast_array,
    concat_arrays,
    join_columns,
    make_batch,
    repeated_rows_at_once,
    rows_at_once,
    take_arrays,
    take_batch,
)
from table_runtime.run.execution import ExecutionContext
from table_runtime.steps.filter import filter_batch


class JoinKind(Enum):
    """The kinds of join; SEMI keeps the left rows with a match, ANTI those without; RIGHT_SEMI and RIGHT_ANTI keep right rows."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"
    RIGHT_SEMI = "right semi"
    RIGHT_ANTI = "right anti"

    @property
    def keeps_left(self) -> bool:
        """Whether left rows without a match are emitted."""
        return self in (JoinKind.LEFT, JoinKind.FULL)

    @property
    def keeps_right(self) -> bool:
        """Whether right rows without a match are emitted."""
        return self in (JoinKind.RIGHT, JoinKind.FULL, JoinKind.RIGHT_ANTI)

    @property
    def is_left_only(self) -> bool:
        """Whether the output has the left columns only."""
        return self in (JoinKind.SEMI, JoinKind.ANTI)

    @property
    def is_right_only(self) -> bool:
        """Whether the output has the right columns only."""
        return self in (JoinKind.RIGHT_SEMI, JoinKind.RIGHT_ANTI)

    @property
    def needs_right(self) -> bool:
        """Whether there is no output without right rows."""
        return self in (JoinKind.INNER, JoinKind.SEMI, JoinKind.RIGHT, JoinKind.RIGHT_SEMI, JoinKind.RIGHT_ANTI)


@dataclass(frozen=True, eq=False)
class PairFilter:
    """A condition on pairs.

    The batch for ``predicate`` has the left columns followed by the right ones; only the positions in ``columns`` hold values.
    """

    predicate: Callable[[pa.RecordBatch], pa.Array]
    columns: frozenset[int]
    text: str = ""


class RightRows(Protocol):
    """The rows on the right of a join, held in memory."""

    @property
    def rows(self) -> int:
        """Number of rows."""

    @property
    def columns(self) -> Sequence[pa.ChunkedArray | pa.Array]:
        """The columns of the rows."""


class BuildSide:
    """The batches of the right input, held in memory; columns that are not in ``needed`` are NULL."""

    def __init__(self, batches: list[pa.RecordBatch], schema: pa.Schema, context: ExecutionContext, needed: Container[int]) -> None:
        self.rows = sum(batch.num_rows for batch in batches)
        context.require_memory(sum(batch.nbytes for batch in batches))  # for one array of each column
        self.columns: list[pa.ChunkedArray | pa.Array] = []
        for index, field in enumerate(schema):
            if index not in needed:
                self.columns.append(pa.nulls(self.rows))
                continue
            chunks = [batch.column(index) for batch in batches]
            try:
                self.columns.append(concat_arrays(chunks, field.type))
            except pa.ArrowInvalid:  # text of more than 2 GiB stays in chunks
                self.columns.append(pa.chunked_array(chunks, type=field.type))


class JoinOutput:
    """Builds result batches; ``emit`` may run on several threads at once.

    ``columns`` are the positions of the output columns in the joined row (the left columns, then the right ones), in the order of
    ``schema``.
    """

    def __init__(
        self,
        kind: JoinKind,
        schema: pa.Schema,
        build: RightRows,
        condition: PairFilter | None,
        left_width: int,
        columns: Sequence[int] | None = None,
    ) -> None:
        self._kind = kind
        self._schema = schema
        self._build = build
        self._condition = condition
        self._left_width = left_width
        if columns is None:
            columns = range(len(schema))
        self._left_columns = [position for position in columns if position < left_width]
        self._is_left_whole = self._left_columns == list(range(left_width))
        right = [position - left_width for position in columns if position >= left_width]
        self._right_columns = [build.columns[position] for position in right]
        right_fields = [schema.field(i) for i, position in enumerate(columns) if position >= left_width]
        self._right_types = [field.type for field in right_fields]
        self._left_types = [schema.field(i).type for i, position in enumerate(columns) if position < left_width]
        by_side = sorted(range(len(columns)), key=lambda i: columns[i] >= left_width)
        self._places = sorted(range(len(columns)), key=by_side.__getitem__) if by_side != list(range(len(columns))) else None
        self._matched_right: list[pa.Array] = []
        self._matched_count = 0
        self._right = self._as_batch(right_fields)
        self._right_size = rows_at_once(self._right_columns) if self._right is None else BATCH_ROWS
        self._lock = threading.Lock()

    def emit(self, left: pa.RecordBatch, pairs: Iterable[tuple[pa.Array | None, pa.Array]]) -> Iterator[pa.RecordBatch]:
        """Yields the results for some left rows.

        ``pairs`` are blocks with all their candidate pairs; left positions of None mean 0, 1, 2, …
        """
        matched_left: list[pa.Array] = []
        for left_rows, right_rows in pairs:
            if self._condition is not None:
                left_rows, right_rows = self._passing(left, left_rows, right_rows)
            if self._kind.is_left_only or self._kind.keeps_left:
                matched_left.append(_distinct_positions(left_rows, left.num_rows))
            if (self._kind.keeps_right or self._kind.is_right_only) and len(right_rows):
                self._remember(pc.unique(right_rows))
            if not self._kind.is_left_only and not self._kind.is_right_only:
                yield from self._pairs(left, left_rows, right_rows)
        if self._kind.is_left_only:
            has_match = _contains(left.num_rows, matched_left)
            selected = filter_batch(self._left(left), has_match if self._kind is JoinKind.SEMI else pc.invert(has_match))
            yield self._batch(selected, ())
        elif self._kind.keeps_left:
            is_unmatched = pc.invert(_contains(left.num_rows, matched_left))
            if is_unmatched.true_count:
                unmatched = filter_batch(self._left(left), is_unmatched)
                yield self._batch(unmatched, [pa.nulls(unmatched.num_rows, type_) for type_ in self._right_types])

    def partners(self, left: pa.RecordBatch, left_rows: pa.Array, right_rows: pa.Array) -> pa.Array:
        """Returns the positions of left rows of which a candidate pair passes the condition, each once."""
        passing, _ = self._passing(left, left_rows, right_rows)
        return pc.unique(passing)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """Yields the right rows that only all left rows decide: those without a match, or with one, if the kind of join keeps them."""
        if not (self._kind.keeps_right or self._kind.is_right_only) or self._build.rows == 0:
            return
        has_match = _contains(self._build.rows, self._matched_right)
        remaining = pc.indices_nonzero(has_match if self._kind is JoinKind.RIGHT_SEMI else pc.invert(has_match))
        for start in range(0, len(remaining), BATCH_ROWS):
            indices = remaining.slice(start, BATCH_ROWS)
            missing = [pa.nulls(len(indices), type_) for type_ in self._left_types]
            arrays = [*missing, *take_arrays(self._right_columns, indices)]
            yield make_batch(arrays if self._places is None else [arrays[place] for place in self._places], self._schema, len(indices))

    def _remember(self, right_rows: pa.Array) -> None:
        with self._lock:
            self._matched_right.append(right_rows)
            self._matched_count += len(right_rows)
            if self._matched_count > 2 * max(
                self._build.rows, BATCH_ROWS
            ):  # duplicates are removed before the list outgrows the build side
                matched = pc.cast(pc.indices_nonzero(_contains(self._build.rows, self._matched_right)), pa.int64())
                self._matched_right, self._matched_count = [matched], len(matched)

    def _passing(self, left: pa.RecordBatch, left_rows: pa.Array | None, right_rows: pa.Array) -> tuple[pa.Array | None, pa.Array]:
        assert self._condition is not None
        rows = len(right_rows)
        if rows == 0:
            return left_rows, right_rows
        columns = []
        unused = pa.nulls(rows)
        for index in range(self._left_width + len(self._build.columns)):
            if index not in self._condition.columns:
                columns.append(unused)
            elif index < self._left_width:
                columns += [left.column(index)] if left_rows is None else take_arrays([left.column(index)], left_rows)
            else:
                columns += take_arrays([self._build.columns[index - self._left_width]], right_rows)
        batch = pa.RecordBatch.from_arrays(columns, names=[f"c{index}" for index in range(len(columns))])
        mask = self._condition.predicate(batch)
        if mask.true_count == rows:
            return left_rows, right_rows
        if left_rows is None:
            left_rows = pa.arange(0, rows)
        return pc.filter(left_rows, mask), pc.filter(right_rows, mask)

    def _pairs(self, left: pa.RecordBatch, left_rows: pa.Array | None, right_rows: pa.Array) -> Iterator[pa.RecordBatch]:
        left = self._left(left)
        size = self._right_size if self._right is None else repeated_rows_at_once(self._right, len(right_rows))
        if size < BATCH_ROWS or left_rows is not None:
            size = min(size, repeated_rows_at_once(left, len(right_rows)))
        for start in range(0, len(right_rows), size):
            chosen = right_rows.slice(start, size)
            if left_rows is None:
                chosen_left = left.slice(start, size)
            else:
                chosen_left = take_batch(left, left_rows.slice(start, size))
            if self._right is not None and self._places is None:
                yield join_columns(chosen_left, take_batch(self._right, chosen), self._schema)
            else:
                yield self._batch(chosen_left, take_arrays(self._right_columns, chosen))

    def _as_batch(self, fields: Sequence[pa.Field]) -> pa.RecordBatch | None:
        """Returns the right columns as a batch, which ``take_batch`` gathers in one call; None without columns or with a chunked one."""
        arrays = [column for column in self._right_columns if isinstance(column, pa.Array)]
        if not arrays or len(arrays) < len(fields):
            return None
        arrays = [cast_array(array, field.type) for array, field in zip(arrays, fields, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    def _left(self, left: pa.RecordBatch) -> pa.RecordBatch:
        """Returns the left columns that the output has."""
        return left if self._is_left_whole else left.select(self._left_columns)

    def _batch(self, left: pa.RecordBatch, right: Sequence[pa.Array]) -> pa.RecordBatch:
        """Returns an output batch with the columns of both sides in the order of the schema."""
        if self._places is None:
            return append_columns(left, right, self._schema)
        arrays = [*left.columns, *right]
        return make_batch([arrays[place] for place in self._places], self._schema, left.num_rows)


def _distinct_positions(positions: pa.Array | None, rows: int) -> pa.Array:
    """Returns the positions, without duplicates if there are more than ``rows``; None means all positions."""
    if positions is None:
        return pa.arange(0, rows)
    return positions if len(positions) <= rows else pc.unique(positions)


def _contains(rows: int, matched: Sequence[pa.Array]) -> pa.Array:
    """Returns a mask of ``rows`` positions: true where one of the arrays contains the position."""
    if rows == 0:
        return pa.array([], type=pa.bool_())
    positions = concat_arrays([pc.cast(chunk, pa.int64()) for chunk in matched], pa.int64())
    # Scatters the positions by address; looking them up by hash takes fifty times longer.
    return pc.is_valid(pc.inverse_permutation(positions, max_index=rows - 1, output_type=pa.int64()))
