"""Random queries over changelogs on Spark give the tables of the embedded engine; the long form is ``proofs/spark_changelogs.py``."""

from __future__ import annotations

from collections.abc import Callable

from table_testing.rounds import rounds


def test_tables_are_those_of_the_embedded_engine(run_proof: Callable[..., str], seed: int, size: int) -> None:
    run_proof("spark_changelogs.py", "--count", str(len(rounds(40)) * size), "--seed", str(seed), seconds=600 * size)
