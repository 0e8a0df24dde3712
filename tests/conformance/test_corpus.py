"""The public corpus on every engine: no passing case may fail later, and every declared deviation must deviate.

All cases run on the embedded engine. On Spark, where a case takes a fifth of a second, a fixed sample runs unless ``CONFORMANCE_ALL=1``.
"""

from __future__ import annotations

import math
import os
import random
import tomllib
from collections import Counter
from typing import Any

import pytest
from corpus import HERE, NOT_FOUND, Corpus, Outcome, corpus_folder, declared_deviations, engines, load_runner
from disagreements import disagreements, lines

# Cases set keys of Flink that have no effect here.
pytestmark = pytest.mark.filterwarnings("ignore::table_common.configuration.ConfigurationWarning")

FOLDER = corpus_folder()
FLOORS: dict[str, Any] = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))
RUN_ALL = os.environ.get("CONFORMANCE_ALL") == "1"
SAMPLE_SEED = 20240229
SAMPLE_SIZE = 160
AREAS = sorted({area for engine in FLOORS if engine != "spark_sample" for area in FLOORS[engine]})


def test_the_corpus_is_found() -> None:
    if FOLDER is None:
        print(NOT_FOUND)
        pytest.skip(NOT_FOUND)  # -ra shows it at the end of every run


needs_corpus = pytest.mark.skipif(FOLDER is None, reason=NOT_FOUND)


@pytest.fixture(scope="module")
def corpora() -> dict[str, Corpus]:
    assert FOLDER is not None
    return {engine: Corpus(FOLDER, engine) for engine in engines()}


def _engines_in_full() -> list[str]:
    return [engine for engine in engines() if engine in FLOORS and (engine != "spark" or RUN_ALL)]


@needs_corpus
@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("engine", _engines_in_full())
@pytest.mark.filterwarnings("ignore")
def test_at_least_as_many_cases_pass_as_before(engine: str, area: str, corpora: dict[str, Corpus]) -> None:
    corpus = corpora[engine]
    outcomes = [corpus.run(case) for case in corpus.of_area(area)]
    floor = FLOORS[engine].get(area, 0)
    passed = sum(outcome.passed for outcome in outcomes)
    assert passed >= floor, f"{engine}, {area}: {passed} of {len(outcomes)} pass, {floor} did\n{_shown(outcomes)}"
    if engine == "arrow":
        stale = [outcome.id for outcome in outcomes if outcome.passed and outcome.id in declared_deviations()]
        assert not stale, f"declared in deviations.toml, but the results are Flink's: {', '.join(stale)}"


@needs_corpus
@pytest.mark.skipif("spark" not in engines(), reason="Spark needs a Java runtime: not run")
@pytest.mark.skipif(RUN_ALL, reason="CONFORMANCE_ALL=1 runs every case on Spark")
@pytest.mark.filterwarnings("ignore")
def test_a_sample_passes_on_spark_as_on_the_embedded_engine(corpora: dict[str, Corpus]) -> None:
    corpus = corpora["spark"]
    cases = random.Random(SAMPLE_SEED).sample(corpus.cases, SAMPLE_SIZE)
    print(f"{len(cases)} of {len(corpus.cases)} cases, seed {SAMPLE_SEED}")
    outcomes = [corpus.run(case) for case in cases]
    passed, floor = sum(outcome.passed for outcome in outcomes), FLOORS["spark_sample"]["passed"]
    assert passed >= floor, f"spark: {passed} of {len(outcomes)} pass, {floor} did\n{_shown(outcomes)}"
    batch = [outcome for outcome in outcomes if outcome.case["mode"] == "batch"]
    embedded = lines(corpora["arrow"].run(outcome.case) for outcome in batch)
    found = disagreements(embedded, lines(batch), load_runner(corpus_folder() or HERE))
    assert [one for one in found if one.kind != "unsupported"] == []


@needs_corpus
def test_every_deviation_is_a_case_and_each_area_has_few(corpora: dict[str, Corpus]) -> None:
    cases = {case["id"]: case["area"] for case in corpora["arrow"].cases}
    deviations = declared_deviations()
    assert set(deviations) <= set(cases)
    sizes, declared = Counter(cases.values()), Counter(cases[case] for case in deviations)
    above = tomllib.loads((HERE / "deviations.toml").read_text(encoding="utf-8"))["above_limit"]
    assert {area for area, count in declared.items() if count > math.ceil(0.03 * sizes[area])} == set(above)


def _shown(outcomes: list[Outcome]) -> str:
    declared = declared_deviations()
    failed = [outcome for outcome in outcomes if not outcome.passed and outcome.id not in declared]
    return "\n".join(f"  {outcome.id}: {outcome.case['sql'][:200]}\n    {outcome.why[:300]}" for outcome in failed)
