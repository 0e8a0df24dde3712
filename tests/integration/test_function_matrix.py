"""``proofs/function_matrix.py``: its cells, its comparison, and the differences that are declared."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROOF = Path(__file__).parents[2] / "proofs" / "function_matrix.py"
SEED = 1


@pytest.fixture(scope="module")
def proof() -> ModuleType:
    spec = importlib.util.spec_from_file_location("function_matrix", PROOF)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_cells_are_generated_from_the_definitions(proof: ModuleType) -> None:
    generator = random.Random(SEED)
    without = [one.name for one in proof.functions() if not list(proof.cells_of(one, generator, 3, ("UTC",)))]
    assert len(without) < len(proof.functions()) / 8, without


def test_a_difference_is_found_unless_it_is_declared(proof: ModuleType) -> None:
    cell = proof.Cell("ABS", "ABS(-0.0)", (), "literal")
    ours, theirs = proof.Answer(0.0), proof.Answer(-0.0)
    assert proof.differs(ours, theirs) == "value"
    assert proof.differs(ours, proof.Answer(0.0)) is None
    assert proof.differs(ours, proof.Answer(error="failed")) == "error"
    assert proof.Declared("reason", ["ABS"]).covers(cell, "value")
    assert not proof.Declared("reason", ["ABS"], "^error").covers(cell, "value")


def test_each_declared_difference_has_a_reason_and_names_functions(proof: ModuleType) -> None:
    from table_common.functions.builtin import BUILT_INS_BY_NAME

    groups = proof.declared()
    assert all(len(group.reason) > 20 for group in groups)
    assert {name for group in groups for name in group.functions} <= set(BUILT_INS_BY_NAME)
