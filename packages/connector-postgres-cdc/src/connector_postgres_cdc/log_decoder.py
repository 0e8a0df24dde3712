"""Decodes batches of pgoutput's messages: which transactions and tables they belong to, and the rows of those that are read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from connector_postgres_cdc.changes import Rows, TableChanges
from connector_postgres_cdc.messages import BEGIN, DELETE, INSERT, RELATION, TRUNCATE, UPDATE, Bools, Ints, MessageBuffer, Transactions
from connector_postgres_cdc.offsets import Copied
from connector_postgres_cdc.relations import Relation, parse_relation, truncated_oids
from connector_postgres_cdc.rows import CapturedTable, RowShape
from table_common.exceptions import TableRuntimeException

LOG = logging.getLogger("table.connector.postgres-cdc")
CheckRelation = Callable[[CapturedTable, Relation], None]
"""Raises an error if a table has no longer the columns that are read."""


class LogDecoder:
    """Decodes messages from one position of the log to another, batch after batch."""

    def __init__(
        self,
        tables: Sequence[CapturedTable],
        shape: RowShape,
        copied: Mapping[str, Sequence[Copied]],
        check: CheckRelation,
        *,
        ignores_truncate: bool = False,
    ) -> None:
        """``check`` is called for each description of a table in the log."""
        self._tables = {(table.schema, table.name): table for table in tables}
        self._by_oid = {table.oid: table for table in tables}
        self._shape = shape
        self._copied = copied
        self._check = check
        self._ignores_truncate = ignores_truncate
        self._relations: dict[int, Relation] = {}
        self._changes: dict[int, TableChanges | None] = {}
        self._transactions = Transactions.none()

    def rows(self, data: pa.Array, start: int, end: int) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a batch of messages, of the transactions that commit from ``start`` to before ``end``.

        Raises:
            TableRuntimeException: a table was truncated or changed, or a row cannot be decoded.
        """
        buffer = MessageBuffer(data)
        transactions = self._transactions.followed_by(buffer)
        self._transactions = transactions
        transaction_of = np.cumsum(buffer.kinds == BEGIN)
        is_read = ((transactions.lsns >= start) & (transactions.lsns < end))[transaction_of]
        described = np.flatnonzero(buffer.kinds == RELATION).tolist()
        # Between two descriptions each table has the same columns.
        cuts = [0, *(index for index in described if self._differs(buffer.message(index))), len(data)]
        for first, last in pairwise(cuts):
            for index in described:
                if first <= index < last:
                    self._describe(buffer.message(index), is_read=bool(is_read[index]))
            self._require_no_truncate(buffer, is_read, transactions, transaction_of, range(first, last))
            yield from self._segment(buffer, is_read, transactions, transaction_of, first, last)

    def _differs(self, message: bytes) -> bool:
        relation = parse_relation(message)
        return self._relations.get(relation.oid) != relation

    def _describe(self, message: bytes, *, is_read: bool) -> None:
        relation = parse_relation(message)
        if self._relations.get(relation.oid) == relation and relation.oid in self._changes:
            return
        self._relations[relation.oid] = relation
        table = self._tables.get((relation.schema, relation.name))
        if table is None:
            renamed = self._by_oid.get(relation.oid)
            if renamed is not None and is_read:
                raise TableRuntimeException(
                    f"{renamed.where} was renamed to {relation.schema}.{relation.name} when its next changes were made.",
                    hint="name the table in 'table-name' as the log does, and start the job without its checkpoint, so that it copies the table anew",
                )
            self._changes[relation.oid] = None
            return
        if is_read:
            self._check(table, relation)
        self._changes[relation.oid] = TableChanges(table, relation, self._shape, self._copied.get(table.shown, ()))

    def _require_no_truncate(
        self, buffer: MessageBuffer, is_read: Bools, transactions: Transactions, transaction_of: Ints, indexes: range
    ) -> None:
        for index in np.flatnonzero((buffer.kinds == TRUNCATE) & is_read).tolist():
            for oid in truncated_oids(buffer.message(index)) if index in indexes else ():
                relation = self._relations.get(oid)
                table = self._tables.get((relation.schema, relation.name)) if relation is not None else None
                parts = self._copied.get(table.shown, ()) if table is not None else ()
                xid = transactions.xids[transaction_of[index]][None]
                if table is None or (parts and all(part.snapshot.of(xid)[0] for part in parts)):
                    continue
                if self._ignores_truncate:
                    LOG.warning("%s was truncated; 'scan.on-truncate' = 'ignore' keeps the rows that were read before.", table.where)
                    continue
                raise TableRuntimeException(
                    f"{table.where} was truncated, which is no change of single rows.",
                    hint="start the job again without its checkpoint, so that it copies the table anew; DELETE FROM the table instead is read as deletions; "
                    "'scan.on-truncate' = 'ignore' keeps the rows that were read before",
                )

    def _segment(
        self, buffer: MessageBuffer, is_read: Bools, transactions: Transactions, transaction_of: Ints, first: int, last: int
    ) -> Iterator[pa.RecordBatch]:
        kinds = buffer.kinds[first:last]
        is_change = ((kinds == INSERT) | (kinds == UPDATE) | (kinds == DELETE)) & is_read[first:last]
        messages = np.flatnonzero(is_change) + first
        if not len(messages):
            return
        oids = buffer.numbers(buffer.starts[messages] + 1, 4)
        found: list[Rows] = []
        for oid in np.unique(oids).tolist():
            changes = self._changes.get(oid)
            if changes is not None and (rows := changes.rows(buffer, messages[oids == oid], transactions, transaction_of)) is not None:
                found.append(rows)
        if len(found) == 1:
            yield found[0].batch
        elif found:
            table = pa.Table.from_batches([rows.batch for rows in found]).combine_chunks()
            yield from table.take(pa.array(np.argsort(np.concatenate([rows.order for rows in found])))).combine_chunks().to_batches()
