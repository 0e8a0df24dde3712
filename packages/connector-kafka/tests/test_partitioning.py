"""The partitions of messages: Kafka's hash, blocks of rows, tasks."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest

from connector_kafka.partitioning import Partitioner, murmur2
from table_common.connector import WriterContext

JOB = WriterContext("job")


def signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number


@pytest.mark.parametrize(
    ("key", "expected"),
    [  # of Kafka's own tests of Utils.murmur2
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_that_of_kafka(key: bytes, expected: int) -> None:
    assert signed(murmur2(pa.array([key], pa.binary()))[0].as_py()) == expected


def test_keys_of_many_lengths_keep_their_order() -> None:
    keys = [b"21", None, b"", b"foobar", b"abc", b"21"]
    together = murmur2(pa.array(keys, pa.binary())).to_pylist()
    assert together == [None if key is None else murmur2(pa.array([key], pa.binary()))[0].as_py() for key in keys]


def test_a_slice_of_keys_has_the_same_hashes() -> None:
    keys = pa.array([b"aaaa", b"21", b"foobar"], pa.binary())
    assert murmur2(keys.slice(1)).to_pylist() == murmur2(keys).to_pylist()[1:]


def test_rows_of_a_key_go_to_the_partition_of_its_positive_hash() -> None:
    keys = pa.array([b"21", b"abc", b"21"], pa.binary())
    expected = [(-973932308 & 0x7FFFFFFF) % 7, 479470107 % 7, (-973932308 & 0x7FFFFFFF) % 7]
    assert Partitioner("default", 7, JOB).partitions(keys, 3).to_pylist() == expected


def test_rows_without_key_go_in_blocks_and_to_the_same_partitions_when_they_are_written_again() -> None:
    first, again = (Partitioner("default", 3, JOB) for _ in range(2))
    found = [number for _ in range(10) for number in first.partitions(None, 4096).to_pylist()]
    assert set(found) == {0, 1, 2}
    assert sum(left != right for left, right in pairwise(found)) == 9
    assert again.partitions(None, 4096 * 10).to_pylist() == found


def test_messages_without_key_among_others_have_a_partition() -> None:
    assert None not in Partitioner("default", 3, JOB).partitions(pa.array([b"a", None], pa.binary()), 2).to_pylist()


def test_rows_go_in_turn_or_to_the_partition_of_the_task() -> None:
    assert len(set(Partitioner("round-robin", 3, JOB).partitions(None, 3).to_pylist())) == 3
    assert Partitioner("fixed", 3, WriterContext("job", 0, 5)).partitions(None, 2).to_pylist() == [2, 2]
