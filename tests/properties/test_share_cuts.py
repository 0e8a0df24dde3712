"""Jobs in shares give the tables of the embedded engine; the long form is ``proofs/share_cuts.py``."""

from __future__ import annotations

from collections.abc import Callable

from table_testing.rounds import rounds


def test_tables_do_not_depend_on_shares_and_epochs(run_proof: Callable[..., str], seed: int, size: int) -> None:
    run_proof("share_cuts.py", "--count", str(len(rounds(20)) * size), "--seed", str(seed), seconds=300 * size)
