"""Reading a part of a result: up to a number of rows, or for a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from table_common.connector import SupportsArrowArray
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.jobs.job import Job


def check_limits(max_rows: int | None, timeout: float | None) -> None:
    """Checks the limits of a read.

    Raises:
        ValidationException: a limit is negative or NaN.
    """
    if max_rows is not None and max_rows < 0:
        raise ValidationException(f"max_rows must not be negative, but is {max_rows}.")
    if timeout is not None and not timeout >= 0:  # nor NaN
        raise ValidationException(f"timeout, in seconds, must not be negative, but is {timeout}.")


class LimitedBatches(Iterator[SupportsArrowArray]):
    """The batches of a job up to a number of rows, and those that come within a time in seconds. Then the job is cancelled."""

    def __init__(self, job: Job, max_rows: int | None, timeout: float | None) -> None:
        self._job = job
        self._batches = job.batches()
        self._left = max_rows
        self._deadline = None if timeout is None or timeout > threading.TIMEOUT_MAX else time.monotonic() + timeout
        self._is_closed = False

    def __next__(self) -> SupportsArrowArray:
        if self._is_closed:
            raise StopIteration
        if self._left == 0 or not self._is_there():
            self.close()
            raise StopIteration
        batch = next(self._batches)
        if self._left is None:
            return batch
        from table_common.arrow import import_batch

        rows: Any = import_batch(batch).slice(0, self._left)
        self._left -= rows.num_rows
        return rows  # type: ignore[no-any-return]  # a record batch

    def _is_there(self) -> bool:
        """Waits for the next batch, or the end; returns False if the time passed."""
        return self._deadline is None or self._job.wait(max(0.0, self._deadline - time.monotonic()))

    def close(self) -> None:
        """Cancels the job if it still runs."""
        if not self._is_closed:
            self._is_closed = True
            # Not by closing the batches alone: another thread may still wait for the next one.
            self._job.client.cancel()
            close = getattr(self._batches, "close", None)
            if close is not None:
                close()
