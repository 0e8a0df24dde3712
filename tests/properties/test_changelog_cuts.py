"""The changes of a streaming query do not depend on the batch boundaries of its input; the long form is ``proofs/changelog_cuts.py``."""

from __future__ import annotations

from collections.abc import Callable

from table_testing.rounds import NIGHT


def test_changes_do_not_depend_on_batch_boundaries_and_produce_the_table_of_batch_mode(
    run_proof: Callable[..., str], seed: int, size: int
) -> None:
    run_proof("changelog_cuts.py", "--count", str((240 if NIGHT else 16) * size), "--seed", str(seed), seconds=500 * size)
