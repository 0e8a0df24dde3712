"""Random queries of operators over event time do not depend on the batch boundaries of their input; the long form is ``proofs/event_time_cuts.py``."""

from __future__ import annotations

from collections.abc import Callable

from table_testing.rounds import rounds


def test_changes_and_late_rows_do_not_depend_on_batch_boundaries(run_proof: Callable[..., str], seed: int, size: int) -> None:
    run_proof("event_time_cuts.py", "--count", str(len(rounds(60)) * size), "--seed", str(seed), seconds=500 * size)
