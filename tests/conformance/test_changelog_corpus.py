"""Changelogs in batch mode: a batch query returns the final table of the corpus's streaming cases, on every engine.

On Spark, where a case takes a fifth of a second, every fourth case runs unless ``CONFORMANCE_ALL=1``.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from typing import Any

import pytest
from corpus import NOT_FOUND, Corpus, corpus_folder, engines

FOLDER = corpus_folder()
RUN_ALL = os.environ.get("CONFORMANCE_ALL") == "1"

pytestmark = [
    pytest.mark.skipif(FOLDER is None, reason=NOT_FOUND),
    pytest.mark.filterwarnings(
        "ignore::table_common.configuration.ConfigurationWarning"
    ),  # cases set keys of Flink that have no effect here
]


@pytest.mark.parametrize("engine", engines())
@pytest.mark.filterwarnings("ignore")
def test_batch_mode_returns_the_accumulated_changes(engine: str) -> None:
    assert FOLDER is not None
    corpus = Corpus(FOLDER, engine)
    cases = [case for case in corpus.of_area("cdc") if case["mode"] == "streaming" and case["expect"]["kind"] == "rows"]
    if engine == "spark" and not RUN_ALL:
        cases = cases[::4]
    wrong = []
    for case in cases:
        result = corpus.run({**case, "mode": "batch"}).result
        found = Counter(json.dumps(row) for row in result[2]) if result[0] == "rows" else result
        if found != accumulated(case):
            wrong.append(f"{case['id']}: {case['sql']}: {found} instead of {accumulated(case)}")
    assert len(cases) > 0
    assert wrong == []


def accumulated(case: dict[str, Any]) -> Counter[str]:
    """Returns the rows that remain after all changes."""
    rows: Counter[str] = Counter()
    for row, kind in zip(case["expect"]["rows"], case["expect"]["row_kinds"], strict=True):
        rows[json.dumps(row)] += 1 if kind in ("+I", "+U") else -1
    if not +rows and _is_global_aggregate(case["sql"]):
        # An aggregate over no rows has no row in streaming mode, and one row in batch mode.
        calls = re.findall(r"\b(COUNT|SUM|MAX|MIN)\(", case["sql"])
        rows[json.dumps([0 if call == "COUNT" else None for call in calls])] = 1
    return +rows


def _is_global_aggregate(sql: str) -> bool:
    return re.match(r"SELECT (COUNT|SUM|MAX|MIN)\(", sql) is not None and "GROUP BY" not in sql
