"""Streaming cases on Spark: each table is that of the embedded engine, and of cases with mini-batches the kinds of the rows are, too.

A fixed sample of the public corpus and of our own cases runs unless ``CONFORMANCE_ALL=1``: a case takes about a second.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from corpus import NOT_FOUND, Corpus, Outcome, corpus_folder, engines, load_adapter
from test_streaming_cases import CASES, DEVIATIONS, canonical, run, table

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
ALWAYS = {"random_event_time_140", "streaming_interval_join_0015"}
"""Two sources that end in one epoch, of which the faster one's rows are not late; a join of a source with itself, whose rows come in another order."""


def sample(cases: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    # The rows of TO_CHANGELOG are the changes, of which Spark gives the net ones of an epoch.
    found = [case for case in cases if "TO_CHANGELOG" not in case["sql"].upper()]
    if RUN_ALL:
        return found
    return [*(case for case in found if case["id"] in ALWAYS), *random.Random(SAMPLE_SEED).sample(found, min(SAMPLE_SIZE, len(found)))]


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


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"]) for case in sample([case for case in CASES if case["id"] not in DEVIATIONS])]
)
def test_our_own_cases_give_the_tables_of_the_embedded_engine(
    case: dict[str, Any], adapters: dict[str, ModuleType], caplog: pytest.LogCaptureFixture
) -> None:
    if case["expect"]["kind"] == "error":
        with pytest.raises(TableError):
            run(case, adapters["spark"])
        return
    ours, theirs = (Answer.of(case, adapters[name], caplog) for name in ("arrow", "spark"))
    assert theirs.columns == ours.columns
    if has_mini_batches(case):
        assert Counter(theirs.changes) == Counter(ours.changes)
    if theirs.table == ours.table or (patient := with_long_delays(case)) is None:
        assert theirs.table == ours.table
        return
    # Watermarks move on between epochs only, so that other rows are late: none more, and that is all that differs.
    assert theirs.late_rows <= ours.late_rows
    ours, theirs = (Answer.of(patient, adapters[name], caplog) for name in ("arrow", "spark"))
    assert (theirs.late_rows, theirs.table) == (0, ours.table)


class Answer(NamedTuple):
    """What an engine gives for a case."""

    columns: Any
    changes: list[tuple[str, str]]
    late_rows: int

    @classmethod
    def of(cls, case: dict[str, Any], adapter: ModuleType, caplog: pytest.LogCaptureFixture) -> Answer:
        caplog.clear()
        _, columns, rows, kinds = run(case, adapter)
        changes = [(canonical(row), kind) for row, kind in zip(rows, kinds, strict=True)]
        return cls(columns, changes, sum(int(count) for count in re.findall(r"dropped (\d+) late row", caplog.text)))

    @property
    def table(self) -> Counter[str]:
        """The rows after all changes."""
        return table(self.changes)


def with_long_delays(case: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the case with watermarks so far behind that no row is late; None if it has none that can be."""
    delay = re.compile(r"(WATERMARK FOR (\S+) AS \2 - INTERVAL )'\d+' \w+", re.IGNORECASE)
    setup = [delay.sub(r"\1'9' DAY", statement) for statement in case["setup"]]
    return {**case, "setup": setup} if setup != case["setup"] else None


def has_mini_batches(case: dict[str, Any]) -> bool:
    return any("table.exec.mini-batch.enabled" in statement and "'true'" in statement for statement in case["setup"])


def changes(outcome: Outcome) -> Counter[tuple[str, str]]:
    if outcome.result[0] != "rows":
        return Counter()
    return Counter((canonical(row), kind) for row, kind in zip(outcome.result[2], outcome.result[3], strict=True))
