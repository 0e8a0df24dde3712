"""Session and query settings that expression evaluation depends on; sent to workers."""

from __future__ import annotations

import time
from collections.abc import Callable

from table_common.frozen_dataclass import dataclass

__all__ = ["EvaluationContext"]


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """The session's settings that expressions depend on.

    ``time_zone`` is an IANA name or an offset such as ``+02:00``. ``query_start`` is in nanoseconds since 1970-01-01 UTC and is what
    CURRENT_TIMESTAMP and its family return, unless there is a ``clock``: it returns the time of the current batch, also in nanoseconds.
    Without either the system's clock is read for each batch. ``legacy_casts`` is the option ``table.exec.legacy-cast-behaviour``. ``memory`` is the memory limit of the process in bytes, None if the session does not set it.
    """

    time_zone: str = "UTC"
    query_start: int | None = None
    legacy_casts: bool = False
    memory: int | None = None
    clock: Callable[[], int] | None = None

    def now(self) -> int:
        """Returns the time of the query or of the batch in nanoseconds since 1970-01-01 UTC."""
        if self.clock is not None:
            return self.clock()
        return self.query_start if self.query_start is not None else time.time_ns()
