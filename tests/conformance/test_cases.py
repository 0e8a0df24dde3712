"""The project's own cases on every engine; unsupported.toml lists the exceptions."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from types import ModuleType
from typing import Any

import pytest
from case_file import Case, read_cases
from corpus import HERE, engines, load_adapter
from refusals import refused

# Cases set keys of Flink that have no effect here.
pytestmark = pytest.mark.filterwarnings("ignore::table_common.configuration.ConfigurationWarning")

CASES = list(read_cases())
UNSUPPORTED: dict[str, dict[str, str]] = tomllib.loads((HERE / "unsupported.toml").read_text(encoding="utf-8"))


def parameters() -> list[Any]:
    found = []
    for engine in engines():
        reasons = UNSUPPORTED.get(engine, {})
        for case in CASES:
            marks = [pytest.mark.xfail(reason=reasons[case.id], strict=True)] if case.id in reasons else []
            found.append(pytest.param(engine, case, id=f"{engine}-{case.id}", marks=marks))
    return found


@pytest.fixture(scope="module")
def adapters() -> dict[str, ModuleType]:
    return {engine: load_adapter(engine) for engine in engines()}


@pytest.mark.parametrize(("engine", "case"), parameters())
@pytest.mark.filterwarnings("ignore")  # Spark's own
def test_case(engine: str, case: Case, adapters: dict[str, ModuleType]) -> None:
    env = adapters[engine].make_env("batch")
    try:
        for statement in case.setup:
            env.run(statement)
        if case.error is not None:
            with refused() as caught:
                env.run(case.sql)
            assert re.search(case.error, str(caught.value))
            return
        _, columns, rows, _ = env.run(case.sql)
    finally:
        env.close()
    assert ", ".join(data_type for _, data_type in columns) == case.types
    got, expected = [_canonical(row) for row in rows], [_canonical(row) for row in case.rows]
    if case.ordered:
        assert got == expected
    else:
        assert Counter(got) == Counter(expected)


def test_every_unsupported_case_exists() -> None:
    known = {case.id for case in CASES}
    assert {case for cases in UNSUPPORTED.values() for case in cases} <= known


def test_case_names_are_unique() -> None:
    assert [name for name, count in Counter(case.id for case in CASES).items() if count > 1] == []


def _canonical(row: list[Any]) -> str:
    """Returns the row as text; floating point numbers to 12 digits, so that engines may add in any order."""

    def change(value: Any) -> Any:
        if isinstance(value, float) and not isinstance(value, bool):
            if math.isnan(value):
                return "NaN"
            if math.isinf(value):
                return "Infinity" if value > 0 else "-Infinity"
            return float(f"{value:.12g}")
        if isinstance(value, list):
            return [change(item) for item in value]
        return value

    return json.dumps(change(row), ensure_ascii=False, default=str)
