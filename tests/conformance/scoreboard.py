"""Prints the number of passing cases of the public corpus by area and engine.

    python tests/conformance/scoreboard.py [--engines arrow,spark] [--areas cast,fn_math] [--mode batch] [--update]
        [--failures FILE] [--results FOLDER]

``--update`` writes the counts into floors.toml where they rose; ``--failures`` lists what failed and is no declared deviation;
``--results`` keeps what every engine gave, a file for each, which disagreements.py compares.
"""

from __future__ import annotations

import argparse
import random
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpus import HERE, NOT_FOUND, Corpus, Outcome, corpus_folder, declared_deviations, engines
from disagreements import keep

HEADER = f"{'area':16} {'engine':7} {'cases':>6} {'pass':>6} {'':>7} {'positive':>10} {'types':>10} {'deviate':>8} {'fail':>6}"


def main() -> int:
    """Returns 0, or 1 without a corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", help="comma-separated; all that are installed by default")
    parser.add_argument("--areas", help="comma-separated; all by default")
    parser.add_argument("--update", action="store_true", help="raise the numbers in floors.toml")
    parser.add_argument("--failures", help="a file to list failures in")
    parser.add_argument("--mode", choices=("batch", "streaming"), help="only the cases of this mode")
    parser.add_argument("--results", help="a folder to keep results in, <engine>.jsonl for each engine")
    arguments = parser.parse_args()
    if arguments.update and arguments.mode:
        parser.error("--update counts the cases of both modes")
    folder = corpus_folder()
    if folder is None:
        print(NOT_FOUND)
        return 1
    chosen = arguments.engines.split(",") if arguments.engines else engines()
    outcomes: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    areas: list[str] = []
    for engine in chosen:
        corpus = Corpus(folder, engine)
        areas = arguments.areas.split(",") if arguments.areas else corpus.areas
        for area in areas:
            for case in corpus.of_area(area):
                if arguments.mode in (None, case["mode"]):
                    outcomes[engine, area].append(corpus.run(case))
            print(f"… {engine} {area}", file=sys.stderr, flush=True)
            if arguments.results:
                keep(Path(arguments.results) / f"{engine}.jsonl", outcomes[engine, area], append=area != areas[0])
    print(HEADER)
    for area in areas:
        for engine in chosen:
            print(_line(area, engine, outcomes[engine, area]))
    for engine in chosen:
        print(_line("TOTAL", engine, [outcome for area in areas for outcome in outcomes[engine, area]]))
    if arguments.failures:
        _write_failures(Path(arguments.failures), outcomes)
    if arguments.update:
        _update_floors({key: sum(o.passed for o in found) for key, found in outcomes.items()}, outcomes, folder)
    return 0


def _line(area: str, engine: str, outcomes: list[Outcome]) -> str:
    declared = declared_deviations()
    passed = sum(outcome.passed for outcome in outcomes)
    positive = [outcome for outcome in outcomes if outcome.is_positive]
    typed = [outcome for outcome in outcomes if outcome.types_equal is not None]
    deviating = sum(not outcome.passed and outcome.id in declared for outcome in outcomes)
    return (
        f"{area:16} {engine:7} {len(outcomes):6} {passed:6} {100 * passed / max(1, len(outcomes)):6.1f}%"
        f" {f'{sum(o.passed for o in positive)}/{len(positive)}':>10} {f'{sum(bool(o.types_equal) for o in typed)}/{len(typed)}':>10}"
        f" {deviating:8} {len(outcomes) - passed - deviating:6}"
    )


def _write_failures(file: Path, outcomes: dict[tuple[str, str], list[Outcome]]) -> None:
    declared = declared_deviations()
    lines = [
        f"{engine} {outcome.id}: {' '.join(outcome.case['sql'].split())[:240]}\n    {' '.join(outcome.why.split())[:400]}\n"
        for (engine, _), found in outcomes.items()
        for outcome in found
        if not outcome.passed and outcome.id not in declared
    ]
    file.write_text("".join(lines), encoding="utf-8")


def _update_floors(passed: dict[tuple[str, str], int], outcomes: dict[tuple[str, str], list[Outcome]], folder: Path) -> None:
    file = HERE / "floors.toml"
    text = file.read_text(encoding="utf-8")
    floors: dict[str, Any] = tomllib.loads(text)
    for (engine, area), count in passed.items():
        known = floors.setdefault(engine, {})
        known[area] = max(count, known.get(area, 0))
    from test_corpus import SAMPLE_SEED, SAMPLE_SIZE

    cases = Corpus(folder, "spark").cases if any(engine == "spark" for engine, _ in passed) else []
    if cases and Counter(area for engine, area in passed if engine == "spark").total() == len({case["area"] for case in cases}):
        sample = {case["id"] for case in random.Random(SAMPLE_SEED).sample(cases, SAMPLE_SIZE)}
        of_spark = [o for (engine, _), found in outcomes.items() if engine == "spark" for o in found if o.id in sample]
        floors["spark_sample"] = {"passed": sum(outcome.passed for outcome in of_spark)}
    comments = [line for line in text.splitlines() if line.startswith("#")]
    tables = [f"[{name}]\n" + "".join(f"{key} = {floors[name][key]}\n" for key in sorted(floors[name])) for name in sorted(floors)]
    file.write_text("\n".join([*comments, "", "\n".join(tables)]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
