"""Runs ``proofs/soak.py`` for some seconds: too few to say something about memory."""

from __future__ import annotations

from collections.abc import Callable


def test_the_sums_of_a_troubled_source_add_up(run_proof: Callable[..., str]) -> None:
    printed = run_proof("soak.py", "--minutes", "0.25", "--rate", "300", "--growth", "1000", "--seed", "3")
    assert "rows of totals = rows of windows + late rows" in printed
