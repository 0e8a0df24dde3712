"""Sources without offsets whose rows end: what each epoch reads, and where the next one begins."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from sent_rows import SentRows

from table_common.exceptions import TableException
from table_runtime.run import Operator
from table_runtime.scans import ScanSplits
from table_runtime.streaming import Source, SourceRows, SourceSplits

SCHEMA = pa.schema([pa.field("n", pa.int32(), nullable=False)])


def batch_of(*numbers: int) -> pa.RecordBatch:
    return pa.record_batch({"n": pa.array(numbers, pa.int32())}, SCHEMA)


class Values(Operator):
    def __init__(self, *batches: pa.RecordBatch) -> None:
        super().__init__(SCHEMA)
        self._batches = batches

    def batches(self, context: Any) -> Iterator[pa.RecordBatch]:
        yield from self._batches


def read_number(split: int) -> Iterator[pa.RecordBatch]:
    yield batch_of(split)


def splits_of(count: int, position: Mapping[str, Any], most_rows: int = 100) -> SourceSplits:
    source = Source(Values(), SCHEMA, False, table="c.d.t")
    return SourceSplits(source, ScanSplits(list(range(count)), read_number), pickle.dumps, position, most_rows, 2)


def rows_of(tmp_path: Path, position: Mapping[str, Any], most_rows: int, *batches: pa.RecordBatch) -> SourceRows:
    source = Source(Values(*batches), SCHEMA, False, table="c.d.t")
    return SourceRows(source, SentRows(), position, most_rows)


def epochs_of(source: SourceRows | SourceSplits) -> list[list[int]]:
    found = []
    while not source.has_ended:
        found.append(numbers_of(source.plan()))
        source.read(len(found[-1]))
        source.taken()
    return found


def numbers_of(reads: Mapping[str, Callable[[], Any]]) -> list[int]:
    return [n for read in reads.values() for batch in pickle.loads(pickle.dumps(read))() for n in batch.column(0).to_pylist()]


def test_many_splits_are_read_by_a_few_tasks_in_their_order() -> None:
    source = splits_of(10_000, {}, most_rows=1_000_000)
    first = source.plan()
    assert len(first) == 8
    assert numbers_of(first) == list(range(32))
    source.read(32)
    assert source.position == {"splits": 32, "of": 10_000, "rows": 32}
    source.taken()
    assert len(source.plan()) == 8
    assert source.has_ended


def test_an_epoch_has_about_as_many_rows_as_the_option_says() -> None:
    assert list(map(len, epochs_of(splits_of(100, {}, most_rows=30)))) == [32, 30, 30, 8]


def test_a_job_goes_on_behind_the_splits_that_were_read() -> None:
    assert epochs_of(splits_of(5, {"splits": 3, "of": 5, "rows": 3})) == [[3, 4]]
    assert splits_of(5, {"ended": True}).has_ended
    with pytest.raises(TableException, match=r"c\.d\.t has 6 splits now. When it was read in part, it had 5"):
        splits_of(6, {"splits": 3, "of": 5, "rows": 3})


def test_splits_of_an_epoch_end_with_it() -> None:
    source = splits_of(100, {}, most_rows=30)
    planned = source.plan()
    assert source.ending == planned.keys()
    assert not source.has_ended
    assert not source.idle_splits()


def test_rows_of_this_process_are_read_up_to_the_limit(tmp_path: Path) -> None:
    assert epochs_of(rows_of(tmp_path, {}, 3, batch_of(1, 2), batch_of(3, 4, 5, 6, 7))) == [[1, 2, 3], [4, 5, 6], [7]]
    assert epochs_of(rows_of(tmp_path, {}, 3)) == [[]]


def test_rows_that_were_read_before_are_left_out(tmp_path: Path) -> None:
    source = rows_of(tmp_path, {"rows": 3}, 2, batch_of(1, 2), batch_of(3, 4, 5, 6))
    assert numbers_of(source.plan()) == [4, 5]
    assert source.position == {"rows": 5}


def test_rows_of_an_epoch_that_does_not_stand_are_sent_again(tmp_path: Path) -> None:
    source = rows_of(tmp_path, {}, 2, batch_of(1, 2, 3))
    assert numbers_of(source.plan()) == numbers_of(source.plan()) == [1, 2]
