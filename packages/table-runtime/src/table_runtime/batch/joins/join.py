"""The base class of joins: their inputs and output columns, and the treatment of build sides that exceed the memory.

Both inputs are partitioned by the hash of their keys, and each pair of partitions is joined by a copy of the join, which partitions again if
need be. If that does not help (no keys, or one key with most of the rows), the build side is joined block by block, and each block reads the left
partition again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Self

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batch.joins.join_output import BuildSide, JoinKind, JoinOutput, PairFilter
from table_runtime.batch.spill.collected import Collected, collect
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory.account import DEEPEST, Account
from table_runtime.run.operator import Operator

if TYPE_CHECKING:
    from table_runtime.run.spill_files import SpillFile, StoredRows

KeyColumns = Callable[[pa.RecordBatch], Sequence[pa.Array]]
"""Computes the key columns of a batch; the types of both sides are equal."""

SKEWED = 0.8
"""A partition with more than this part of its parent's rows is not partitioned again."""


class Join(Operator):
    """Joins rows for which ``condition``, if there is one, is true.

    Schema: the left columns followed by the right ones (for SEMI and ANTI the left ones only, for RIGHT_SEMI and RIGHT_ANTI the right ones
    only), or those at the positions ``columns`` of the left columns followed by the right ones.
    """

    def __init__(
        self,
        left: Operator,
        right: Operator,
        kind: JoinKind,
        schema: pa.Schema,
        condition: PairFilter | None,
        columns: Sequence[int] | None = None,
    ) -> None:
        super().__init__(schema, (left, right))
        self.kind = kind
        self._condition = condition
        first = len(left.schema) if kind.is_right_only else 0
        self.columns: Sequence[int] = range(first, first + len(schema)) if columns is None else columns
        self._projections: tuple[str, ...] = ()

    @override
    def selecting(self, columns: Sequence[int], schema: pa.Schema, plan_line: str) -> Self:
        join = copy(self)
        join.schema = schema
        join.columns = [self.columns[position] for position in columns]
        join._projections = (plan_line, *self._projections)
        return join

    @override
    def plan_lines(self) -> list[str]:
        return [*self._projections, *super().plan_lines()]

    @property
    def key_columns(self) -> tuple[KeyColumns, KeyColumns, Sequence[bool]] | None:
        """The functions that compute the key columns of the left and of the right batches, and whether NULL equals NULL; None without keys."""
        return None

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        with context.account(self.name) as account:
            build = collect(self.inputs[1].batches(context), context, account)
            if build.is_whole:
                yield from self.joined_with(self.inputs[0], build.batches, context)
                return
            yield from _spilled_join(self, build, context, account)

    @abstractmethod
    def joined_with(self, left: Operator, batches: list[pa.RecordBatch], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        """Yields the join of ``left`` with a right side that is in memory; removes the batches from the list."""

    def _build_side(self, left: Operator, batches: list[pa.RecordBatch], context: ExecutionContext) -> BuildSide:
        """Returns the right side with the columns that the output or the condition uses; removes the batches from the list."""
        width = len(left.schema)
        used = {*self.columns, *(self._condition.columns if self._condition is not None else ())}
        build = BuildSide(batches, self.inputs[1].schema, context, {position - width for position in used})
        batches.clear()
        return build

    def _output(self, build: BuildSide) -> JoinOutput:
        return JoinOutput(self.kind, self.schema, build, self._condition, len(self.inputs[0].schema), self.columns)


def _spilled_join(join: Join, right: Collected, context: ExecutionContext, account: Account) -> Iterator[pa.RecordBatch]:
    """Yields the result of ``join``, whose right input is ``right``."""
    with context.spill_file(join) as file:
        keys = join.key_columns
        if keys is None or join.spill_level >= DEEPEST:
            stored = file.write(right.stream(), join.inputs[1].schema)
            account.release()
            yield from _by_blocks(join, join.inputs[0], stored, file, context)
            return
        level = join.spill_level
        left_keys, right_keys, null_equal = keys
        # Rows with a NULL in their key match nothing, so they are written only if the join keeps rows without a match.
        drop_left = None if join.kind.keeps_left or join.kind is JoinKind.ANTI else lambda columns: _comparable(columns, null_equal)
        drop_right = None if join.kind.keeps_right else lambda columns: _comparable(columns, null_equal)
        left, right_operator = join.inputs
        from table_runtime.batch.spill.partitions import partition_rows  # few joins exceed the memory

        rights = partition_rows(right.stream(), right_operator.schema, right_keys, file, level, context, drop_right)
        account.release()
        lefts = partition_rows(left.batches(context), left.schema, left_keys, file, level, context, drop_left)
        most = SKEWED * sum(rows.nbytes for rows in rights)
        from table_runtime.batch.spill.rows import SpilledRows, over_inputs  # few joins exceed the memory

        for left_rows, right_rows in zip(lefts, rights, strict=True):
            if not right_rows.stored and join.kind.needs_right:
                continue
            if not left_rows.stored and not join.kind.keeps_right:
                continue
            part = over_inputs(join, (SpilledRows(left_rows), SpilledRows(right_rows)), level + 1)
            if right_rows.nbytes > most and not account.hold(right_rows.nbytes):
                account.release()
                yield from _by_blocks(part, part.inputs[0], right_rows, file, context)
            else:
                account.release()
                yield from part.batches(context)


def _comparable(columns: Sequence[pa.Array], null_equal: Sequence[bool]) -> pa.Array | None:
    """Returns whether the key of each row can match one of the other side; None if all can."""
    mask: pa.Array | None = None
    for column, equal in zip(columns, null_equal, strict=True):
        if not equal and column.null_count:
            valid = pc.is_valid(column)
            mask = valid if mask is None else pc.and_(mask, valid)
    return mask


def _by_blocks(join: Join, left: Operator, right: StoredRows, file: SpillFile, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    """Joins all left rows with one block of right rows after the other."""
    from table_runtime.batch.spill.rows import SpilledRows  # few joins exceed the memory

    rest = left if isinstance(left, SpilledRows) else SpilledRows(file.write(left.batches(context), left.schema))
    kind = join.kind
    # What a block emits, and whether left rows without a match in it continue to the next block.
    per_block = {JoinKind.LEFT: JoinKind.INNER, JoinKind.FULL: JoinKind.RIGHT, JoinKind.ANTI: None}.get(kind, kind)
    whole = rest
    with context.account(join.name) as account:
        blocks = right.read()
        is_last = False
        while not is_last:
            block = collect(blocks, context, account)
            is_last = block.is_whole
            batches = block.batches
            if per_block is not None:
                # A left row with a match in an earlier block is not emitted again by a semi-join.
                probe = rest if kind is JoinKind.SEMI else whole
                yield from _of_kind(join, per_block).joined_with(probe, list(batches), context)
            if kind.keeps_left or kind.is_left_only:
                unmatched = _of_kind(join, JoinKind.ANTI, keeps_columns=kind is JoinKind.ANTI and is_last)
                if is_last and kind is JoinKind.ANTI:
                    yield from unmatched.joined_with(rest, batches, context)
                elif not (is_last and kind is JoinKind.SEMI):
                    rest = SpilledRows(file.write(unmatched.joined_with(rest, batches, context), whole.schema))
    if kind.keeps_left:
        yield from _of_kind(join, JoinKind.LEFT).joined_with(rest, [], context)


def _of_kind(join: Join, kind: JoinKind, *, keeps_columns: bool = True) -> Join:
    """Returns a join of another kind; without ``keeps_columns`` it yields all columns of the left input."""
    result = copy(join)
    result.kind = kind
    if not keeps_columns:
        result.schema = join.inputs[0].schema
        result.columns = range(len(result.schema))
    return result
