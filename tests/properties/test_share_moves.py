"""Jobs that move between numbers of shares and engines give the tables of unbroken runs; the long form is ``proofs/share_moves.py``."""

from __future__ import annotations

from collections.abc import Callable

from table_testing.rounds import rounds


def test_tables_do_not_depend_on_moves(run_proof: Callable[..., str], seed: int, size: int) -> None:
    run_proof("share_moves.py", "--count", str(len(rounds(60)) * size), "--seed", str(seed), seconds=600 * size)
