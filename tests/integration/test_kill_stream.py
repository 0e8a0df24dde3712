"""Runs ``proofs/kill_stream.py`` with a few kills."""

from __future__ import annotations

from collections.abc import Callable

from table_testing.rounds import rounds


def test_a_killed_job_goes_on_exactly_once(run_proof: Callable[..., str]) -> None:
    printed = run_proof("kill_stream.py", "--points", "1", "--random", str(len(rounds(5))), "--seed", "7", "--seconds", "60")
    assert "the tables are those of batch mode" in printed
