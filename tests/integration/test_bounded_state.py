"""The short form of ``proofs/bounded_state.py``: the number of rows in the state of queries in event time does not grow."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROOF = Path(__file__).parents[2] / "proofs" / "bounded_state.py"
NAMES = ("hop", "session", "interval join", "versioned join", "pattern")


@pytest.fixture(scope="module")
def proof() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bounded_state", PROOF)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_queries_are_those_of_the_proof(proof: ModuleType) -> None:
    assert tuple(proof.QUERIES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_in_the_state_do_not_grow(proof: ModuleType, name: str) -> None:
    growth = proof.run(name, 200_000, 10, seed=1)
    assert len(growth.kept) == 10
    assert min(growth.kept) > 0
    assert growth.faults(3, with_memory=False) == []


def test_growth_is_told(proof: ModuleType) -> None:
    growth = proof.Growth([10, 10, 10, 11, 12], [5, 5, 5, 5, 5])
    assert growth.faults(3) == ["state grew from 10 to 12"]
