"""Changed statements over a savepoint are refused or right; the long form is ``proofs/upgrades.py``."""

from __future__ import annotations

from collections.abc import Callable


def test_state_is_used_only_if_it_means_the_same(run_proof: Callable[..., str], seed: int, size: int) -> None:
    run_proof("upgrades.py", "--count", str(60 * size), "--seed", str(seed), seconds=500 * size)
