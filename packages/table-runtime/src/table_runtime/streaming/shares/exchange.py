"""Divides the rows of one edge among the shares of its reader."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.exchange_keys import Division, ExchangeKeys
from table_runtime.streaming.shares.wire import HeldRows, payload_of
from table_runtime.streaming.state.key_slots import buckets_of
from table_runtime.streaming.state.snapshots import BUCKETS

_BYTES = 8 << 20
"""A cell is made when this number of bytes waits for a share."""


def share_of_bucket(bucket: int, shares: int) -> int:
    """Returns the share that has a bucket, of ``shares`` shares: each has a range of them."""
    return bucket * shares // BUCKETS


class Exchange:
    """The rows of an edge that a task has made, by the share that is to get them, in their order.

    ``keys`` says how they are divided. Rows that may be processed anywhere go to the share ``here``, all rows that belong together to the share 0. The rows of the share ``held`` stay
    in this process.
    """

    def __init__(self, keys: ExchangeKeys, shares: int, here: int, held: int | None = None) -> None:
        self._keys = keys
        self._shares = shares
        self._only = 0 if shares == 1 or keys is Division.GLOBAL else here % shares if keys is None else None
        self._held = held
        self._waiting: list[list[ChangeBatch]] = [[] for _ in range(shares)]
        self._bytes = [0] * shares
        self._ready: list[tuple[int, pa.Buffer | HeldRows]] = []

    def add(self, batch: ChangeBatch, everywhere: np.ndarray | None = None) -> None:
        """Takes the next rows; those of ``everywhere`` go to all shares."""
        if not batch.num_rows:
            return
        if self._only is not None or self._keys is None or isinstance(self._keys, Division):
            self._give(self._only or 0, batch)
            return
        buckets = buckets_of(self._keys(batch.rows), batch.num_rows, BUCKETS)
        shares = share_of_buckets(buckets, self._shares)
        if everywhere is not None and everywhere.any():
            for share in range(self._shares):
                at = np.flatnonzero(everywhere | (shares == share))
                if len(at):
                    self._give(share, batch.take(at))
            return
        order = np.argsort(shares.astype(np.uint16), kind="stable")  # a radix sort: of up to 16 bits only
        bounds = np.searchsorted(shares[order], np.arange(self._shares + 1)).tolist()
        taken = batch.take(order)
        for share, (start, end) in enumerate(pairwise(bounds)):
            if start < end:
                self._give(share, taken.slice(start, end - start))

    def take(self) -> Iterator[tuple[int, pa.Buffer | HeldRows]]:
        """Yields the cells that are full, with their shares: payloads in the order of the rows of each share."""
        ready, self._ready = self._ready, []
        yield from ready

    def finish(self) -> Iterator[tuple[int, pa.Buffer | HeldRows]]:
        """Yields all that is left."""
        for share in range(self._shares):
            self._flush(share)
        yield from self.take()

    def _give(self, share: int, batch: ChangeBatch) -> None:
        size = max(1, batch.rows.nbytes)
        rows = -(-batch.num_rows * _BYTES // size)
        for start in range(0, batch.num_rows, rows):
            part = batch if rows >= batch.num_rows else batch.slice(start, min(rows, batch.num_rows - start))
            waiting = self._waiting[share]
            if waiting and (waiting[0].before is None) is not (part.before is None):
                self._flush(share)
            self._waiting[share].append(part)
            self._bytes[share] += max(1, part.rows.nbytes)
            if self._bytes[share] >= _BYTES:
                self._flush(share)

    def _flush(self, share: int) -> None:
        if self._waiting[share]:
            waiting = self._waiting[share]
            self._ready.append((share, HeldRows(waiting) if share == self._held else payload_of(waiting)))
            self._waiting[share], self._bytes[share] = [], 0


def share_of_buckets(buckets: np.ndarray, shares: int) -> np.ndarray:
    """Returns the share of each of some buckets."""
    return (buckets * shares // BUCKETS).astype(np.uint8)  # sorting few different bytes is fast
