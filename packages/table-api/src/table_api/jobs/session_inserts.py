"""The INSERT jobs of one session, and their end when its ``with`` block ends or the session is closed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from table_api.jobs import program_end
from table_api.jobs.await_inserts import cancel, names_of, tell, wait_for
from table_api.jobs.insert_job import InsertJob, JobProgress
from table_api.jobs.job import CreateJob


class SessionInserts:
    """Starts INSERT jobs, and ends them with the session; thread-safe."""

    def __init__(self) -> None:
        self.is_block = False
        """Whether the environment is used as a context manager: the end of the ``with`` block raises failures that were not raised yet, even if they were reported."""
        self.is_completing = False
        """Whether the end of the block is waiting for jobs; it reports their failures."""

    def creator(self, progress: JobProgress, finish: Callable[[BaseException | None], None] | None) -> CreateJob[InsertJob]:
        """Returns what makes the job of an INSERT, which runs when it is started; ``finish`` is called when it has written."""
        return partial(InsertJob, owner=self, watcher=program_end, progress=progress, finish=finish)

    def complete(self, *, raises: bool) -> None:
        """Waits for all INSERTs; without ``raises`` their failures stay unseen.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the INSERTs were cancelled, which is reported on standard error.
            TableError: an INSERT failed and its failure was not seen before; further failures are added as notes.
        """
        self.is_completing = raises
        wait_for(self._running)
        if not raises:
            return
        failures: list[BaseException] = []
        for job in program_end.jobs_of(self):
            program_end.forget(job)
            if job.failure is not None:
                failures.append(job.failure)
        if failures:
            for other in failures[1:]:
                failures[0].add_note(f"Another job failed too: {other}")
            raise failures[0]

    def end(self, reason: str) -> None:
        """Cancels running INSERTs; reports these and unseen failures on standard error."""
        self.is_block = self.is_completing = False
        cancelled = cancel(self._running())
        if cancelled:
            tell(f"Cancelled because {reason}: {names_of(cancelled)}")
        program_end.report(program_end.jobs_of(self))

    def _running(self) -> list[InsertJob]:
        return [job for job in program_end.jobs_of(self) if job.is_running]
