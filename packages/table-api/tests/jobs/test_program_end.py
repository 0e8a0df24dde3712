"""The jobs of the process: which are kept, and which failures are reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from table_api.jobs import program_end
from table_common.exceptions import TableRuntimeException


@dataclass(eq=False)
class Job:
    """A background job as far as the end of the program goes."""

    name: str = "insert"
    failure: BaseException | None = None
    is_running: bool = False
    is_cancelled: bool = False
    is_abandoned: bool = False
    is_awaited: bool = False
    was_told: bool = False
    started: float = 0.0
    owner: Any = field(default_factory=lambda: SimpleNamespace(is_block=False, is_completing=False))


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The jobs of a program of its own, which has no hooks."""
    program = program_end._Program()
    program.is_hooked = True
    monkeypatch.setattr(program_end, "_program", program)
    monkeypatch.setattr(program_end, "_is_interactive", lambda: False)
    return program


def watched(**fields: Any) -> Any:
    job = Job(**fields)
    program_end.watch(job)  # type: ignore[arg-type]  # a stand-in
    return job


FAILURE = TableRuntimeException("disk full")


def test_the_jobs_of_a_session_are_listed_oldest_first() -> None:
    later, earlier = watched(started=2.0), watched(started=1.0)
    later.owner = earlier.owner
    watched()
    assert program_end.jobs_of(later.owner) == [earlier, later]


@pytest.mark.parametrize("fields", [{}, {"failure": FAILURE, "is_cancelled": True}])
def test_a_job_that_ended_well_or_was_cancelled_is_forgotten(program: Any, fields: dict[str, Any]) -> None:
    program_end.ended(watched(**fields))
    assert program.jobs == set()
    assert program.exit_code == 0


def test_a_failure_that_the_program_can_still_see_is_not_reported(program: Any, capsys: pytest.CaptureFixture[str]) -> None:
    job = watched(failure=FAILURE)
    program_end.ended(job)
    assert (program.jobs, capsys.readouterr().err) == ({job}, "")


@pytest.mark.parametrize("is_awaited", [True, False])
def test_a_failure_whose_result_was_dropped_is_reported_unless_a_thread_waits(
    program: Any, capsys: pytest.CaptureFixture[str], is_awaited: bool
) -> None:
    program_end.ended(watched(failure=FAILURE, is_abandoned=True, is_awaited=is_awaited))
    assert capsys.readouterr().err.startswith("insert failed") is not is_awaited
    assert program.exit_code == (0 if is_awaited else program_end.FAILED)


def test_a_reported_failure_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    job = watched(failure=FAILURE)
    program_end.report([job, job])
    program_end.report([job])
    assert capsys.readouterr().err.count("disk full") == 1


def test_in_a_block_a_reported_failure_does_not_change_the_exit_code(program: Any, capsys: pytest.CaptureFixture[str]) -> None:
    job = watched(failure=FAILURE, owner=SimpleNamespace(is_block=True, is_completing=False))
    program_end.report([job])
    assert "disk full" in capsys.readouterr().err
    assert (program.jobs, program.exit_code) == ({job}, 0)


def test_a_running_job_and_an_unknown_one_are_not_reported(capsys: pytest.CaptureFixture[str]) -> None:
    program_end.report([watched(is_running=True), Job(failure=FAILURE)])  # type: ignore[list-item]  # stand-ins
    assert capsys.readouterr().err == ""


def test_an_interactive_program_is_told_of_failures_at_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(program_end, "_is_interactive", lambda: True)
    program_end.ended(watched(failure=FAILURE))
    assert "disk full" in capsys.readouterr().err


def test_a_forked_process_has_no_jobs(program: Any) -> None:
    watched(failure=FAILURE)
    program.exit_code = 1
    program_end._start_anew()
    assert (program.jobs, program.exit_code) == (set(), 0)
