"""The public corpus in batch mode on the installed version of Spark: each result is the embedded engine's, or the error names what that Spark lacks.

A fixed sample runs unless ``CONFORMANCE_ALL=1``. ``nox -s spark_versions`` runs all cases on every supported version of Spark.
"""

from __future__ import annotations

import os
import random

import pytest
from corpus import HERE, NOT_FOUND, Corpus, corpus_folder, declared_deviations, engines, load_runner
from disagreements import disagreements, lines

# Cases set keys of Flink that have no effect here.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif("spark" not in engines(), reason="Spark needs a Java runtime: not run"),
]

FOLDER = corpus_folder()
RUN_ALL = os.environ.get("CONFORMANCE_ALL") == "1"
SAMPLE_SEED = 20240229
SAMPLE_SIZE = 80


@pytest.mark.skipif(FOLDER is None, reason=NOT_FOUND)
def test_the_cases_in_batch_mode_agree_with_the_embedded_engine() -> None:
    import pyspark

    assert FOLDER is not None
    embedded, spark = Corpus(FOLDER, "arrow"), Corpus(FOLDER, "spark")
    cases = [case for case in spark.cases if case["mode"] == "batch" and "TABLESAMPLE" not in case["sql"]]  # which gives random rows
    if not RUN_ALL:
        cases = random.Random(SAMPLE_SEED).sample(cases, SAMPLE_SIZE)
    expected, outcomes = lines(map(embedded.run, cases)), [spark.run(case) for case in cases]
    others = [one for one in disagreements(expected, lines(outcomes), load_runner(FOLDER or HERE)) if one.kind != "unsupported"]
    lacking = [one for one in others if f"Spark {pyspark.__version__} has no type TIME." in one.results[1]]
    passed = sum(outcome.passed or outcome.id in declared_deviations() for outcome in outcomes)
    print(
        f"Spark {pyspark.__version__}: {passed} of {len(cases)} as Flink or declared, {len(lacking)} need TIME: {[one.case for one in lacking]}"
    )
    wrong = [one for one in others if one not in lacking]
    assert not wrong, f"{len(wrong)} of {len(cases)} cases:\n" + "\n".join(map(str, wrong))
