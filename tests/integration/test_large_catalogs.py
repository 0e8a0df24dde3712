"""Listing and lookup in a catalog of 1,000 tables are fast: a bound for processor time with a margin; the benchmark measures precisely."""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import catalog as benchmark

MARGIN = 3


@pytest.mark.parametrize("kind", ["generic_in_memory", "sqlite"])
def test_listing_and_lookup_with_a_thousand_tables_are_fast(kind: str) -> None:
    with benchmark.environment(kind, 1000) as env:
        taken = benchmark.measure(env, 1000, 5, process_time)
    assert max(taken.values()) < MARGIN * benchmark.LIMIT, taken
