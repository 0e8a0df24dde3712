"""The partition of each message: by the hash of its key as Kafka's Java client computes it, or without keys by blocks of rows."""

from __future__ import annotations

import zlib

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.connector import WriterContext

_BLOCK = 4096
"""The number of rows without key that go to one partition, before the next one has its turn."""
_SEED = 0x9747B28C
_M = 0x5BD1E995


class Partitioner:
    """Chooses the partitions of the messages of one task. A task that writes its rows again chooses the same ones."""

    def __init__(self, kind: str, partitions: int, context: WriterContext) -> None:
        self._kind = kind
        self._partitions = partitions
        self._task = context.task
        identity = f"{context.job_id} {context.epoch} {context.task}"
        self._next = zlib.crc32(identity.encode()) % partitions * _BLOCK

    def partitions(self, keys: pa.Array | None, count: int) -> pa.Array:
        """Returns the partition of each message (int32)."""
        if self._kind == "fixed":
            return pa.repeat(pa.scalar(self._task % self._partitions, pa.int32()), count)
        if self._kind == "round-robin" or keys is None:
            return self._in_turn(count, 1 if self._kind == "round-robin" else _BLOCK)
        hashes = pc.bit_wise_and(murmur2(keys), pa.scalar(0x7FFFFFFF, pa.uint32())).cast(pa.int32())
        by_key = _modulo(hashes, self._partitions)
        return pc.coalesce(by_key, self._in_turn(count, _BLOCK)) if keys.null_count else by_key

    def _in_turn(self, count: int, block: int) -> pa.Array:
        numbers = pa.arange(self._next, self._next + count)
        self._next += count
        return _modulo(pc.divide(numbers, pa.scalar(block, pa.int64())), self._partitions).cast(pa.int32())


def _modulo(numbers: pa.Array, divisor: int) -> pa.Array:
    scalar = pa.scalar(divisor, numbers.type)
    return pc.subtract(numbers, pc.multiply(pc.divide(numbers, scalar), scalar))


def murmur2(keys: pa.Array) -> pa.Array:
    """Returns the hash of each key as ``org.apache.kafka.common.utils.Utils.murmur2`` computes it (uint32); NULL for NULL."""
    lengths = pc.binary_length(keys)
    found: list[pa.Array] = []
    places: list[pa.Array] = []
    for length in pc.unique(pc.drop_null(lengths)).to_pylist():
        places.append(pc.indices_nonzero(pc.fill_null(pc.equal(lengths, length), False)))
        found.append(_hashes(keys.take(places[-1]), length))
    missing = pc.indices_nonzero(pc.is_null(keys))
    places.append(missing)
    found.append(pa.nulls(len(missing), pa.uint32()))
    return pa.concat_arrays(found).take(pc.sort_indices(pa.concat_arrays(places)))


def _hashes(keys: pa.Array, length: int) -> pa.Array:
    """Returns the hashes of keys that have the same length."""
    hashes = pa.repeat(pa.scalar((_SEED ^ length) & 0xFFFFFFFF, pa.uint32()), len(keys))
    m = pa.scalar(_M, pa.uint32())
    for start in range(0, length - length % 4, 4):
        word = pc.multiply(_numbers(keys, start, 4), m)
        word = pc.multiply(pc.bit_wise_xor(word, _right(word, 24)), m)
        hashes = pc.bit_wise_xor(pc.multiply(hashes, m), word)
    if length % 4:
        hashes = pc.multiply(pc.bit_wise_xor(hashes, _numbers(keys, length - length % 4, length % 4)), m)
    hashes = pc.multiply(pc.bit_wise_xor(hashes, _right(hashes, 13)), m)
    return pc.bit_wise_xor(hashes, _right(hashes, 15))


def _numbers(keys: pa.Array, start: int, count: int) -> pa.Array:
    """Returns the bytes from ``start`` of each key as a number, the first one lowest."""
    parts = pc.binary_slice(keys, start, start + count)
    if count < 4:
        parts = pc.binary_join_element_wise(parts, pa.scalar(bytes(4 - count), pa.binary()), pa.scalar(b"", pa.binary()))
    return parts.cast(pa.binary(4)).view(pa.uint32())


def _right(numbers: pa.Array, bits: int) -> pa.Array:
    return pc.shift_right(numbers, pa.scalar(bits, pa.uint32()))
