"""Tells when the system's clock jumps: processing time follows it forward, and stands still when it goes back."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime

from table_runtime.streaming.time.clock import RunClock, processing_time

JUMP_MILLISECONDS = 5_000
"""Smaller differences are those of a clock that is set right now and then."""
_LOOK_SECONDS = 1.0
_HINT = "If the clock was wrong before, start the job from a savepoint of the time before that, or anew ('execution.state-recovery.mode' = FRESH)"


class ClockJumps:
    """Compares the system's clock with the time since the machine's start, and with the clock of a run, which may be that of an earlier one."""

    def __init__(self, clock: RunClock, job: str) -> None:
        self._clock = clock
        self._job = job
        self._offset: int | None = None
        self._looked = 0.0

    def look(self) -> str | None:
        """Returns a sentence if the clock has jumped since the last look, or is behind that of the run at the first one; logs it. Looks once per second."""
        uptime = time.monotonic()
        if self._offset is not None and uptime - self._looked < _LOOK_SECONDS:
            return None
        self._looked = uptime
        offset = processing_time() - int(1000 * uptime)
        jump = offset - self._offset if self._offset is not None else min(0, processing_time() - self._clock.now)
        self._offset = offset
        if abs(jump) < JUMP_MILLISECONDS:
            return None
        text = f"Job {self._job}: {self._sentence(jump)}"
        logging.getLogger("table.job").warning("%s", text)
        return text

    def _sentence(self, jump: int) -> str:
        seconds = f"{abs(jump) / 1000:,.0f} s"
        if jump > 0:
            return f"the system's clock jumped forward by {seconds}. Windows of processing time and state that it has passed are over."
        until = datetime.fromtimestamp(self._clock.now / 1000, UTC)
        return (
            f"the system's clock went back by {seconds}. Processing time stands still until it is {until:%Y-%m-%d %H:%M:%S} UTC. {_HINT}."
        )
