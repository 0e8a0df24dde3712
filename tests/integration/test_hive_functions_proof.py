"""A minute of ``proofs/hive_functions.py``: some of Hive's functions run on Spark, and the embedded engine returns the same results."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PROOF = Path(__file__).parents[2] / "proofs" / "hive_functions.py"
CHOICE = "abs,concat,lpad,translate,substr,regexp,mask,soundex,add_months,get_json_object,sentences,max,corr,collect_set,stack,json_tuple"


@pytest.fixture(scope="module")
def proof() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hive_functions", PROOF)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_chosen_hive_functions_work_and_engines_agree(proof: ModuleType, spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert proof.main(["--only", CHOICE, "--least", "100"], {"spark": spark}) == 0, capsys.readouterr().out


def test_called_hive_functions_are_in_the_list(proof: ModuleType) -> None:
    import tomllib

    from table_api.module import HiveModule
    from table_runtime.modules.hive.registry import OWN

    called = {name for functions in tomllib.loads(proof.CALLS.read_text()).values() for name in functions}
    assert called == set(HiveModule("2.3.10").list_functions()) - set(OWN)
