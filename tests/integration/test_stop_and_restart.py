"""Runs ``proofs/stop_and_restart.py`` with a few seeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_testing.rounds import rounds


@pytest.mark.parametrize(
    "options", [["--seed", "1", "--count", str(len(rounds(15)))], ["--seed", "40", "--count", str(len(rounds(5))), "--small-pieces"]]
)
def test_a_stopped_job_goes_on_exactly_once(run_proof: Callable[..., str], options: list[str]) -> None:
    assert "jobs made the tables of batch mode" in run_proof("stop_and_restart.py", "--seconds", "20", *options)
