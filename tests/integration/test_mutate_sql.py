"""The short form of ``proofs/mutate_sql.py``: mutated statements end in results or in our errors."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from table_testing.rounds import rounds

SEED = ("--seed", "7", "--patience", "60")


@pytest.mark.parametrize(("engine", "count"), [("arrow", 400), ("spark", 60)])
def test_mutated_statements_end_in_results_or_our_errors(run_proof: Callable[..., str], engine: str, count: int) -> None:
    printed = run_proof("mutate_sql.py", "--engine", engine, "--count", str(len(rounds(count))), *SEED, seconds=500)
    with_types = re.search(r"(\d+)% have types", printed)
    assert with_types is not None
    assert int(with_types[1]) >= 50


def test_statements_with_mutated_text_end_in_results_or_our_errors(run_proof: Callable[..., str]) -> None:
    run_proof("mutate_sql.py", "--text", "--count", str(len(rounds(200))), *SEED, seconds=500)


def test_modified_compiled_plans_end_in_results_or_our_errors(run_proof: Callable[..., str]) -> None:
    run_proof("tamper_plans.py", "--count", str(len(rounds(600))), *SEED, seconds=500)
