"""Runs ``proofs/catalog_processes.py`` for a few seconds."""

from __future__ import annotations

from collections.abc import Callable


def test_processes_that_change_one_catalog_lose_no_update(run_proof: Callable[..., str]) -> None:
    assert "integrity: ok; differences: 0" in run_proof("catalog_processes.py", "--seconds", "3", "--seed", "7")
