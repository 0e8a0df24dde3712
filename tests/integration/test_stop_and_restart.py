"""Runs ``proofs/stop_and_restart.py`` with a few seeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize("options", [["--seed", "1", "--count", "8"], ["--seed", "40", "--count", "3", "--small-pieces"]])
def test_a_stopped_job_goes_on_exactly_once(run_proof: Callable[..., str], options: list[str]) -> None:
    assert "jobs made the tables of batch mode" in run_proof("stop_and_restart.py", "--seconds", "20", *options)
