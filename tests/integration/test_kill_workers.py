"""Runs ``proofs/kill_workers.py`` with a few kills."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_testing.rounds import rounds


@pytest.mark.parametrize("workers", [2, 4])
def test_a_job_whose_workers_are_killed_counts_each_row_once(run_proof: Callable[..., str], workers: int) -> None:
    kills, clients = str(len(rounds(15))), str(len(rounds(5)))
    printed = run_proof("kill_workers.py", "--workers", str(workers), "--kills", kills, "--clients", clients, "--seed", "7", seconds=600)
    assert "the counts are those of all rows" in printed
