"""The table that the changes of a running query make."""

from __future__ import annotations

import queue
from collections.abc import Iterator

import pyarrow as pa
import pytest

from table_api.table_result.live_table import LiveTable
from table_common.catalog import ResolvedSchema
from table_common.data import Row
from table_common.exceptions import JobCancelledException, TableException, TableRuntimeException
from table_common.types import IntType

SCHEMA = ResolvedSchema.physical([("k", IntType()), ("n", IntType())])


class Job(Iterator[pa.RecordBatch]):
    """Gives the batches that a test puts; closing it cancels it, as it does the batches of a job."""

    def __init__(self) -> None:
        self.given: queue.Queue[pa.RecordBatch | BaseException | None] = queue.Queue()
        self.is_closed = False

    def put(self, *changes: tuple[int, int, int]) -> None:
        kinds, keys, numbers = zip(*changes, strict=True)
        types = (pa.int32(), pa.int32(), pa.int8())
        columns = [pa.array(values, type_) for values, type_ in zip((keys, numbers, kinds), types, strict=True)]
        self.given.put(pa.RecordBatch.from_arrays(columns, names=["k", "n", "$row_kind"]))

    def __next__(self) -> pa.RecordBatch:
        found = self.given.get()
        if found is None:
            raise StopIteration
        if isinstance(found, BaseException):
            raise found
        return found

    def close(self) -> None:
        self.is_closed = True
        self.given.put(JobCancelledException("Job 1 was cancelled."))


def test_each_batch_is_a_version() -> None:
    job = Job()
    with LiveTable(job, SCHEMA) as live:
        assert live.version == 0
        assert live.to_arrow().num_rows == 0
        job.put((0, 1, 1), (0, 2, 1))
        assert live.wait(1, timeout=10)
        job.put((1, 1, 1), (2, 1, 2))
        assert live.wait(2, timeout=10)
        assert live.version == 2
        assert live.to_arrow().to_pydict() == {"k": [2, 1], "n": [1, 2]}
        assert len(live) == 2
    assert job.is_closed


def test_rows_of_a_part_of_the_table_in_an_order() -> None:
    job = Job()
    with LiveTable(job, SCHEMA) as live:
        job.put((0, 3, 1), (0, 2, 1), (0, 1, 1))
        assert live.wait(1, timeout=10)
        assert not live.has_updates
        assert live.rows(1) == [Row(2, 1), Row(1, 1)]
        job.put((1, 3, 1), (2, 3, 2))
        assert live.wait(2, timeout=10)
        assert live.has_updates
        assert live.rows() == [Row(2, 1), Row(1, 1), Row(3, 2)]
        assert live.rows(1, 3, order_by=["k"]) == [Row(2, 1), Row(3, 2)]
        assert live.rows(2, 1) == live.rows(7) == []


def test_waiting_has_a_limit() -> None:
    with LiveTable(Job(), SCHEMA) as live:
        assert not live.wait(timeout=0.01)
        assert not live.wait_for_end(timeout=0.01)


def test_the_table_stays_when_the_query_ends_or_is_closed() -> None:
    for closes in (False, True):
        job = Job()
        live = LiveTable(job, SCHEMA)
        job.put((0, 1, 1))
        assert live.wait(1, timeout=10)
        if closes:
            live.close()
        else:
            job.given.put(None)
        assert live.wait_for_end(10)
        assert not live.wait()
        assert live.to_arrow().num_rows == 1
        live.close()


def test_a_failure_and_a_cancellation_by_others_are_raised() -> None:
    for failure in (TableRuntimeException("broken"), JobCancelledException("Job 1 was cancelled.")):
        job = Job()
        live = LiveTable(job, SCHEMA)
        job.given.put(failure)
        for call in (live.wait, live.wait_for_end, live.to_arrow):
            with pytest.raises(type(failure)):
                call()
        live.close()


def test_to_pandas_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_api.table_result.pandas_frame.find_spec", lambda name: None)
    with LiveTable(Job(), SCHEMA) as live, pytest.raises(TableException, match="pandas, which is not installed"):
        live.to_pandas()
