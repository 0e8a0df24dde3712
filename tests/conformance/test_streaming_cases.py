"""Streaming queries with changelogs of Flink 2.3.0: compares the final table, and for cases with one source also the sequence of row kinds.

``cases/streaming/<area>.jsonl`` has the public corpus's form; ``${DATA}`` is the folder ``data``. Values compare as texts, floats to 12 digits.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from corpus import HERE, load_adapter
from refusals import refused

# Cases set keys of Flink that have no effect here.
pytestmark = pytest.mark.filterwarnings("ignore::table_common.configuration.ConfigurationWarning")

SHARE_OF_DEVIATIONS = 0.05


def read_cases() -> Iterator[dict[str, Any]]:
    for file in sorted((HERE / "cases" / "streaming").glob("*.jsonl")):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


CASES = list(read_cases())
DECLARED = tomllib.loads((HERE / "streaming_deviations.toml").read_text(encoding="utf-8"))
DEVIATIONS: dict[str, str] = {case: group["reason"] for group in DECLARED.get("group", ()) for case in group["cases"]}


def parameters() -> list[Any]:
    return [
        pytest.param(
            case,
            id=case["id"],
            marks=[pytest.mark.xfail(reason=DEVIATIONS[case["id"]], strict=True)] if case["id"] in DEVIATIONS else [],
        )
        for case in CASES
    ]


@pytest.fixture(scope="module")
def adapter() -> ModuleType:
    return load_adapter("arrow")


@pytest.mark.parametrize("case", parameters())
def test_streaming_case(case: dict[str, Any], adapter: ModuleType) -> None:
    expected = case["expect"]
    if expected["kind"] == "error":
        with refused():
            run(case, adapter)
        return
    _, columns, rows, kinds = run(case, adapter)
    assert columns == expected["columns"]
    multisets = [position for position, (_, type_) in enumerate(columns) if type_.startswith(("MAP", "MULTISET"))]
    for row in (*expected["rows"], *rows):
        for position in multisets:
            row[position] = sorted(row[position], key=json.dumps) if row[position] is not None else None
    wanted = [(canonical(row), kind) for row, kind in zip(expected["rows"], expected["row_kinds"], strict=True)]
    found = [(canonical(row), kind) for row, kind in zip(rows, kinds, strict=True)]
    assert table(found) == table(wanted)
    if not case.get("changelog_nondeterministic"):
        assert [kind for _, kind in found] == [kind for _, kind in wanted]


def test_every_deviation_is_a_case() -> None:
    assert set(DEVIATIONS) <= {case["id"] for case in CASES}


def test_few_cases_deviate() -> None:
    assert len(DEVIATIONS) <= SHARE_OF_DEVIATIONS * len(CASES)


def test_ids_of_streaming_cases_are_unique() -> None:
    assert [name for name, count in Counter(case["id"] for case in CASES).items() if count > 1] == []


def run(case: dict[str, Any], adapter: ModuleType) -> Any:
    env = adapter.make_env("streaming")
    try:
        for statement in (*case["setup"], case["sql"]):
            result = env.run(statement.replace("${DATA}", str(HERE / "data")))
        return result
    finally:
        env.close()


def table(changes: list[tuple[str, str]]) -> dict[str, int]:
    """Returns the count of each remaining row; it is negative for too many retractions."""
    count: Counter[str] = Counter()
    for row, kind in changes:
        count[row] += 1 if kind in ("+I", "+U") else -1
    return {row: number for row, number in count.items() if number}


def canonical(value: Any) -> str:
    def change(value: Any) -> Any:
        if isinstance(value, float):
            return float(f"{value:.12g}") + 0.0 if math.isfinite(value) else str(value)
        return [change(item) for item in value] if isinstance(value, list) else value

    return json.dumps(change(value), ensure_ascii=False)
