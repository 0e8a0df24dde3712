"""A catalog of 1,000 tables answers at once; the benchmark has the numbers, here the time of the processor is measured, with a margin."""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import catalog as benchmark

MARGIN = 3


@pytest.mark.parametrize("kind", ["generic_in_memory", "sqlite"])
def test_thousand_tables_are_listed_and_one_is_found_at_once(kind: str) -> None:
    with benchmark.environment(kind, 1000) as env:
        taken = benchmark.measure(env, 1000, 5, process_time)
    assert max(taken.values()) < MARGIN * benchmark.LIMIT, taken
