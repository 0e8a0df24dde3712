from __future__ import annotations

import numpy as np
import pyarrow as pa
from pgoutput_bytes import UNCHANGED, begin, commit, insert, messages, row

from connector_postgres_cdc.messages import NULL_LENGTH, UNCHANGED_LENGTH, MessageBuffer, Transactions, commit_ends, read_tuples


def test_tuples_are_read_column_by_column() -> None:
    rows = [("1", "abc"), (None, "ü"), ("22", UNCHANGED), ("", None)]
    buffer = MessageBuffer(messages(*map(row, rows)))
    found = read_tuples(buffer, buffer.starts[:-1], 2)
    assert found.lengths[0].tolist() == [1, NULL_LENGTH, 2, 0]
    assert found.lengths[1].tolist() == [3, 2, UNCHANGED_LENGTH, NULL_LENGTH]
    assert found.ends.tolist() == buffer.starts[1:].tolist()
    assert buffer.gathered(found.starts[0], found.lengths[0]).to_pylist() == ["1", None, "22", ""]
    assert buffer.gathered(found.starts[1], found.lengths[1]).to_pylist() == ["abc", "ü", None, None]


def test_a_slice_of_messages_is_read_from_its_offset() -> None:
    data = messages(begin(1), insert(("1",)), commit(5, 9)).slice(1)
    buffer = MessageBuffer(data)
    assert buffer.message(0) == insert(("1",))
    assert commit_ends(buffer).tolist() == [9]


def test_transactions_follow_those_of_the_batch_before() -> None:
    first = Transactions.none().followed_by(MessageBuffer(messages(begin(10, 1, 5), commit(10, 11), begin(20, 2))))
    second = first.followed_by(MessageBuffer(messages(commit(20, 21), begin(1 << 40, 0xFFFF_FFFF))))
    assert second.lsns.tolist() == [20, 1 << 40]
    assert second.xids.tolist() == [2, 0xFFFF_FFFF]
    assert first.times[1] == 946_684_800_000_005


def test_no_messages() -> None:
    buffer = MessageBuffer(pa.array([], pa.binary()))
    assert len(buffer.kinds) == 0
    assert buffer.gathered(np.zeros(0, np.int64), np.zeros(0, np.int64)).to_pylist() == []
