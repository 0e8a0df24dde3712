"""Reading a part of a result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_api.table_result.limited import LimitedBatches, check_limits
from table_common.exceptions import ValidationException


class Job:
    """A job whose batches are there, but for those after ``stalls_after``."""

    def __init__(self, *sizes: int, stalls_after: int | None = None) -> None:
        self.sizes = list(sizes)
        self.left = stalls_after
        self.is_cancelled = False

    @property
    def client(self) -> Any:
        return self

    def cancel(self) -> None:
        self.is_cancelled = True

    def batches(self) -> Iterator[Any]:
        return (pa.record_batch({"a": list(range(size))}) for size in self.sizes)

    def wait(self, timeout: float | None = None) -> bool:
        if self.left is None:
            return True
        self.left -= 1
        return self.left >= 0


def counts(batches: Iterator[Any]) -> list[int]:
    return [batch.num_rows for batch in batches]


@pytest.mark.parametrize(("most", "expected"), [(0, []), (3, [3]), (4, [4]), (5, [4, 1]), (8, [4, 4]), (9, [4, 4])])
def test_the_last_batch_is_cut(most: int, expected: list[int]) -> None:
    job = Job(4, 4)
    assert counts(LimitedBatches(job, most, None)) == expected
    assert job.is_cancelled == (most <= 8)


def test_what_comes_in_time_is_read() -> None:
    job = Job(4, 4, 4, stalls_after=2)
    assert counts(LimitedBatches(job, None, 5.0)) == [4, 4]
    assert job.is_cancelled


def test_nothing_is_read_after_closing() -> None:
    job = Job(4)
    batches = LimitedBatches(job, None, 5.0)
    batches.close()
    batches.close()
    assert job.is_cancelled
    assert counts(batches) == []


def test_limits_are_not_negative() -> None:
    check_limits(0, 0.0)
    for limits in ((-1, None), (None, -0.1), (None, float("nan"))):
        with pytest.raises(ValidationException, match="must not be negative"):
            check_limits(*limits)


def test_a_time_without_an_end_is_no_limit() -> None:
    for seconds in (float("inf"), 1e300):
        assert counts(LimitedBatches(Job(4), 3, seconds)) == [3]
