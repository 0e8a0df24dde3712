"""Streaming cases on Spark: each table is that of the embedded engine, and of cases with mini-batches the kinds of the rows are, too.

A fixed sample of the public corpus and of our own cases runs unless ``CONFORMANCE_ALL=1``: a case takes about a second.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest
from corpus import NOT_FOUND, Corpus, Outcome, corpus_folder, engines, load_adapter
from test_streaming_cases import CASES, canonical, run, table

from table_common.exceptions import TableError

# Cases set keys of Flink that have no effect here.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif("spark" not in engines(), reason="Spark needs a Java runtime: not run"),
]

FOLDER = corpus_folder()
RUN_ALL = os.environ.get("CONFORMANCE_ALL") == "1"
SAMPLE_SEED = 20240229
SAMPLE_SIZE = 20


def sample(cases: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    # The rows of TO_CHANGELOG are the changes, of which Spark gives the net ones of an epoch.
    found = [case for case in cases if "TO_CHANGELOG" not in case["sql"].upper()]
    return found if RUN_ALL else random.Random(SAMPLE_SEED).sample(found, min(SAMPLE_SIZE, len(found)))


@pytest.fixture(scope="module")
def adapters() -> dict[str, ModuleType]:
    return {engine: load_adapter(engine) for engine in ("arrow", "spark")}


@pytest.mark.skipif(FOLDER is None, reason=NOT_FOUND)
def test_the_cases_of_the_corpus_give_the_tables_of_the_embedded_engine() -> None:
    assert FOLDER is not None
    embedded, spark = Corpus(FOLDER, "arrow"), Corpus(FOLDER, "spark")
    cases = sample([case for case in spark.cases if case["mode"] == "streaming"])
    wrong = []
    for case in cases:
        ours, theirs = embedded.run(case), spark.run(case)
        if ours.passed and not theirs.passed:
            wrong.append(f"{theirs.id}: {case['sql'][:300]}\n  {theirs.why[:500]}")
        elif has_mini_batches(case) and changes(ours) != changes(theirs):
            wrong.append(f"{theirs.id}: other kinds of rows: {changes(theirs)} instead of {changes(ours)}")
    assert not wrong, f"{len(wrong)} of {len(cases)} cases:\n" + "\n".join(wrong)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in sample(CASES)])
def test_our_own_cases_give_the_tables_of_the_embedded_engine(
    case: dict[str, Any], adapters: dict[str, ModuleType], caplog: pytest.LogCaptureFixture
) -> None:
    if case["expect"]["kind"] == "error":
        with pytest.raises(TableError):
            run(case, adapters["spark"])
        return
    (_, columns, rows, kinds), (_, other_columns, other_rows, other_kinds) = (run(case, adapters[name]) for name in ("arrow", "spark"))
    assert other_columns == columns
    ours = [(canonical(row), kind) for row, kind in zip(rows, kinds, strict=True)]
    theirs = [(canonical(row), kind) for row, kind in zip(other_rows, other_kinds, strict=True)]
    if "late rows" in caplog.text:  # watermarks of several sources move on between epochs only: fewer rows are late
        assert table(ours).items() <= table(theirs).items()
        return
    assert table(theirs) == table(ours)
    if has_mini_batches(case):
        assert Counter(theirs) == Counter(ours)


def has_mini_batches(case: dict[str, Any]) -> bool:
    return any("table.exec.mini-batch.enabled" in statement and "'true'" in statement for statement in case["setup"])


def changes(outcome: Outcome) -> Counter[tuple[str, str]]:
    if outcome.result[0] != "rows":
        return Counter()
    return Counter((canonical(row), kind) for row, kind in zip(outcome.result[2], outcome.result[3], strict=True))
