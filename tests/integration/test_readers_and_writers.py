"""Runs ``proofs/readers_and_writers.py`` for some seconds."""

from __future__ import annotations

from collections.abc import Callable


def test_concurrent_reads_return_committed_states(run_proof: Callable[..., str]) -> None:
    printed = run_proof("readers_and_writers.py", "--seconds", "10", "--reads", "0", "--readers", "2", "--seed", "7")
    assert "each read one committed state" in printed
