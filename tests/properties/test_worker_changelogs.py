"""Random queries in worker processes give the tables of one process; the long form is ``proofs/worker_changelogs.py``."""

from __future__ import annotations

from collections.abc import Callable

from table_testing.rounds import rounds


def test_tables_are_those_of_one_process(run_proof: Callable[..., str], seed: int, size: int) -> None:
    run_proof("worker_changelogs.py", "--count", str(len(rounds(200)) * size), "--seed", str(seed), seconds=600 * size)
