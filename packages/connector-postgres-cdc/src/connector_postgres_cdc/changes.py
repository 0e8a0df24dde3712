"""The rows of the changes of one table: old and new ones, in the order of the log, column by column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from connector_postgres_cdc.messages import (
    DELETE,
    INSERT,
    NEW,
    OLD,
    UNCHANGED_LENGTH,
    Bools,
    Bytes,
    Ints,
    MessageBuffer,
    Transactions,
    Tuples,
    read_tuples,
)
from connector_postgres_cdc.offsets import Copied
from connector_postgres_cdc.relations import Relation
from connector_postgres_cdc.rows import KINDS, CapturedTable, RowShape
from connector_postgres_cdc.text_values import column_of
from table_common.arrow import compute as pc
from table_common.connector import RowKind
from table_common.connector.sql import quote_text
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass, replace

_INSERT, _BEFORE, _AFTER, _DELETE = (kind.value for kind in (RowKind.INSERT, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER, RowKind.DELETE))


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows with their row kinds, and the positions of their messages, by which rows of several tables are put in order."""

    batch: pa.RecordBatch
    order: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Images:
    """Old or new images of rows."""

    messages: Ints
    """The index of each row's message."""
    tuples: Tuples
    kinds: Ints

    def chosen(self, is_chosen: Bools) -> _Images:
        tuples = self.tuples
        return _Images(
            self.messages[is_chosen],
            Tuples(
                tuple(starts[is_chosen] for starts in tuples.starts),
                tuple(lengths[is_chosen] for lengths in tuples.lengths),
                tuples.ends[is_chosen],
            ),
            self.kinds[is_chosen],
        )


class TableChanges:
    """Decodes the changes of one table, whose columns the log describes by ``relation``."""

    def __init__(self, table: CapturedTable, relation: Relation, shape: RowShape, copied: Sequence[Copied]) -> None:
        """``copied`` are the parts of the table that were copied: what their snapshots show is no change."""
        self._table = table
        self._relation = relation
        self._shape = shape
        self._copied = copied
        self._positions = {column.name: index for index, column in enumerate(relation.columns)}

    def rows(self, buffer: MessageBuffer, messages: Ints, transactions: Transactions, transaction_of: Ints) -> Rows | None:
        """Returns the rows of messages, None if there are none.

        Raises:
            TableRuntimeException: the log lacks an image of a row, or a value is outside the range of its type.
        """
        old, new = self._images(buffer, messages)
        old, new = self._without_copied(buffer, old, new, transactions, transaction_of)
        if not self._shape.is_upsert:
            old, new = _with_kinds_of_pairs(old, new)
        order = np.concatenate([2 * old.messages, 2 * new.messages + 1])
        if not len(order):
            return None
        sorting = np.argsort(order, kind="stable")
        kinds = np.concatenate([old.kinds, new.kinds])[sorting]
        of_rows = transaction_of[np.concatenate([old.messages, new.messages])[sorting]]
        columns = [self._column(buffer, field.name, old, new, sorting) for field in self._shape.fields]
        types = self._shape.schema.types[len(columns) :]
        columns += [
            self._metadata(key, type_, kinds, transactions, of_rows) for key, type_ in zip(self._shape.metadata, types, strict=False)
        ]
        columns.append(pa.array(kinds, pa.int8()))
        return Rows(pa.RecordBatch.from_arrays(columns, schema=self._shape.schema), order[sorting])

    def _images(self, buffer: MessageBuffer, messages: Ints) -> tuple[_Images, _Images]:
        """Returns the images that the log has; the old one of an update by key only if the key changed."""
        kinds, tuples = buffer.kinds[messages], buffer.starts[messages] + 6
        tags = buffer.bytes[tuples - 1]
        is_insert, is_delete = kinds == INSERT, kinds == DELETE
        has_old = tags != NEW
        self._require_images(kinds, tags)
        count = len(self._relation.columns)
        old_tuples = read_tuples(buffer, tuples[has_old], count)
        starts = tuples.copy()
        starts[has_old] = old_tuples.ends + 1
        is_new = ~is_delete
        new_tuples = read_tuples(buffer, starts[is_new], count)
        new_kinds = np.where(is_insert[is_new], _INSERT, _AFTER).astype(np.int64)
        old_kinds = np.where(is_delete[has_old], _DELETE, _BEFORE).astype(np.int64)
        old = _Images(messages[has_old], old_tuples, old_kinds)
        new = _Images(messages[is_new], _completed(new_tuples, old_tuples, has_old[is_new], ~is_delete[has_old]), new_kinds)
        has_other_key = self._has_other_key(buffer, old, new)
        # An update of the key is a deletion and an insertion: the two rows of an update have one key.
        old = replace(old, kinds=np.where(has_other_key, _DELETE, old.kinds))
        new = replace(new, kinds=np.where(np.isin(new.messages, old.messages[has_other_key]), _INSERT, new.kinds))
        if self._shape.is_upsert:
            old = old.chosen(old.kinds == _DELETE)
        return old, new

    def _require_images(self, kinds: Bytes, tags: Bytes) -> None:
        if self._shape.is_upsert:
            self._require_keys(kinds)
            return
        if ((kinds != INSERT) & (tags != OLD)).any():
            raise TableRuntimeException(
                f"The log has an update or a deletion of {self._table.where} without the old row, which 'changelog-mode' = 'all' needs.",
                hint=f"run ALTER TABLE {self._table.sql} REPLICA IDENTITY FULL in PostgreSQL{self._of_partitions}; earlier changes can be read by a definition with a primary key and "
                "'changelog-mode' = 'upsert'",
            )

    @property
    def _of_partitions(self) -> str:
        return (
            f", and for each table of SELECT relid::regclass FROM pg_partition_tree({quote_text(self._table.sql)})"
            if self._table.is_partitioned
            else ""
        )

    def _require_keys(self, kinds: Bytes) -> None:
        if self._relation.identity == "f" or not (kinds != INSERT).any():
            return
        in_log = {column.name for column in self._relation.columns if column.is_key}
        for field in self._shape.key:
            if field.name in self._positions and field.name not in in_log:
                raise TableRuntimeException(
                    f"The log has an update or a deletion of {self._table.where} without the old value of its key column '{field.name}': its replica identity was changed.",
                    hint=f"run ALTER TABLE {self._table.sql} REPLICA IDENTITY FULL in PostgreSQL and start the job without its checkpoint, so that it copies the table anew",
                )

    def _has_other_key(self, buffer: MessageBuffer, old: _Images, new: _Images) -> Bools:
        """Returns which old images of updates have another key than the new ones."""
        result = np.zeros(len(old.messages), np.bool_)
        _, in_old, in_new = np.intersect1d(old.messages, new.messages, assume_unique=True, return_indices=True)
        for field in self._shape.key:
            position = self._positions.get(field.name)
            if position is None or not len(in_old):
                continue
            before = buffer.gathered(old.tuples.starts[position][in_old], old.tuples.lengths[position][in_old])
            after = buffer.gathered(new.tuples.starts[position][in_new], new.tuples.lengths[position][in_new])
            result[in_old] |= np.asarray(pc.fill_null(pc.not_equal(before, after), True))
        return result

    def _without_copied(
        self, buffer: MessageBuffer, old: _Images, new: _Images, transactions: Transactions, transaction_of: Ints
    ) -> tuple[_Images, _Images]:
        """Leaves out the images that the snapshot of their part of the table shows already."""
        if not self._copied:
            return old, new
        visible = [part.snapshot.of(transactions.xids) for part in self._copied]
        found = []
        for images in (old, new):
            of_rows = transaction_of[images.messages]
            if len(visible) == 1:
                found.append(images.chosen(~visible[0][of_rows]))
                continue
            keys = self._keys(buffer, images)
            bounds = np.array([part.below for part in self._copied[:-1]], np.int64)
            parts = np.searchsorted(bounds, keys, side="right")
            found.append(images.chosen(~np.array(visible)[parts, of_rows]))
        return found[0], found[1]

    def _keys(self, buffer: MessageBuffer, images: _Images) -> Ints:
        assert self._table.key is not None
        position = self._positions[self._table.key]
        texts = buffer.gathered(images.tuples.starts[position], images.tuples.lengths[position])
        return np.asarray(pc.cast(texts, pa.int64()))

    def _column(self, buffer: MessageBuffer, name: str, old: _Images, new: _Images, sorting: Ints) -> pa.Array:
        field = next(field for field in self._shape.fields if field.name == name)
        if self._shape.is_upsert:
            field = replace(field, type=field.type.with_nullability(True))
        position = self._positions.get(name)
        if position is None:  # a change from before the column was added
            texts = pa.nulls(len(sorting), pa.string())
        else:
            starts = np.concatenate([old.tuples.starts[position], new.tuples.starts[position]])[sorting]
            lengths = np.concatenate([old.tuples.lengths[position], new.tuples.lengths[position]])[sorting]
            if (lengths == UNCHANGED_LENGTH).any():
                raise TableRuntimeException(
                    f"The log has an update of {self._table.where} that does not repeat the large value of column '{name}', which did not change.",
                    hint=f"run ALTER TABLE {self._table.sql} REPLICA IDENTITY FULL in PostgreSQL before such updates, or leave the column out of the query",
                )
            texts = buffer.gathered(starts, lengths)
        return column_of(texts, self._table.columns[name], field, self._table.where)

    def _metadata(self, key: str, type_: pa.DataType, kinds: Ints, transactions: Transactions, of_rows: Ints) -> pa.Array:
        if key == "op_ts":
            return pa.array(transactions.times[of_rows] // 1000, pa.timestamp("ms", "UTC")).cast(type_)
        if key == "lsn":
            return pa.array(transactions.lsns[of_rows], type_)
        if key == "row_kind":
            return pa.array(KINDS, type_).take(pa.array(kinds))
        return constant_metadata(key, self._table, self._shape, type_, len(kinds))


def constant_metadata(key: str, table: CapturedTable, shape: RowShape, type_: pa.DataType, rows: int) -> pa.Array:
    """Returns metadata that all rows of a table share."""
    value = {"database_name": shape.database, "schema_name": table.schema, "table_name": table.name}[key]
    return pa.repeat(pa.scalar(value, type_), rows)


def _completed(new: Tuples, old: Tuples, has_old: Bools, is_update: Bools) -> Tuples:
    """Returns the new images with the values that an update did not change, where the old image has them."""
    starts, lengths = [], []
    for index, length in enumerate(new.lengths):
        start = new.starts[index]
        is_unchanged = length == UNCHANGED_LENGTH
        if is_unchanged.any():
            before_starts, before_lengths = start.copy(), length.copy()
            before_starts[has_old] = old.starts[index][is_update]
            before_lengths[has_old] = old.lengths[index][is_update]
            # An old image of the key alone has NULL for the other columns.
            is_known = is_unchanged & (before_lengths >= 0)
            start, length = np.where(is_known, before_starts, start), np.where(is_known, before_lengths, length)
        starts.append(start)
        lengths.append(length)
    return Tuples(tuple(starts), tuple(lengths), new.ends)


def _with_kinds_of_pairs(old: _Images, new: _Images) -> tuple[_Images, _Images]:
    """Makes an update of which a snapshot shows one half an insertion or a deletion: the key moved to another part of the table."""
    is_lone_old = (old.kinds == _BEFORE) & ~np.isin(old.messages, new.messages)
    is_lone_new = (new.kinds == _AFTER) & ~np.isin(new.messages, old.messages)
    return (
        replace(old, kinds=np.where(is_lone_old, _DELETE, old.kinds)),
        replace(new, kinds=np.where(is_lone_new, _INSERT, new.kinds)),
    )
