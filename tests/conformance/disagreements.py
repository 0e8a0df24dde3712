"""Compares the results of two engines for the cases of the public corpus: rows, types, or an error.

    python tests/conformance/scoreboard.py --engines arrow,spark --mode batch --results FOLDER
    python tests/conformance/disagreements.py FOLDER/arrow.jsonl FOLDER/spark.jsonl [--areas cast,fn_math]

A case that one engine refuses because its ``unsupported`` tables say so is counted apart. Rows are compared as the corpus compares them
with Flink's: as a multiset unless the case says that they are ordered, floating-point numbers to nine digits.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpus import NOT_FOUND, Outcome, corpus_folder, declared_deviations, load_runner


def declared_gaps() -> tuple[str, ...]:
    """Returns the reasons in the engines' tables of unsupported features."""
    from table_planner_spark.expressions.functions import unsupported as spark_functions
    from table_planner_spark.lowering import dispatch as spark_operations
    from table_runtime.aggregates import registry
    from table_runtime.kernels import unsupported as kernels
    from table_runtime.planner.lowering import unsupported as operations

    tables = (spark_functions.UNSUPPORTED, spark_operations.UNSUPPORTED, registry.UNSUPPORTED, kernels.UNSUPPORTED, operations.UNSUPPORTED)
    return tuple({reason for table in tables for reason in table.values()})


@dataclass(frozen=True)
class Disagreement:
    """A case with different results on two engines."""

    case: str
    area: str
    kind: str
    sql: str
    results: tuple[str, str]
    passed: tuple[bool, bool]


def keep(file: Path, outcomes: Iterable[Outcome], append: bool) -> None:
    """Writes the results of an engine, one line per case."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a" if append else "w", encoding="utf-8") as report:
        report.writelines(json.dumps(line) + "\n" for line in lines(outcomes).values())


def lines(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Any]]:
    """Returns the lines of a report by the ids of the cases."""
    found = {}
    for outcome in outcomes:
        line = {"id": outcome.id, "area": outcome.area, "passed": outcome.passed, "why": outcome.why, "types_equal": outcome.types_equal}
        line |= {"sql": outcome.case["sql"], "ordered": bool(outcome.case["expect"].get("ordered")), "mode": outcome.case["mode"]}
        line |= {"compare": outcome.case["expect"].get("compare"), "result": outcome.result}
        found[outcome.id] = json.loads(json.dumps(line, default=str))
    return found


def load(file: Path) -> dict[str, dict[str, Any]]:
    """Returns the lines of a report by the case's id."""
    return {line["id"]: line for line in map(json.loads, file.read_text(encoding="utf-8").splitlines())}


def disagreements(left: dict[str, dict[str, Any]], right: dict[str, dict[str, Any]], runner: Any) -> list[Disagreement]:
    """Returns the cases of both reports whose results differ, by area and id."""
    found, gaps = [], declared_gaps()
    for case in sorted(left.keys() & right.keys(), key=lambda case: (left[case]["area"], case)):
        ours, theirs = left[case], right[case]
        kind = _difference(ours, theirs, runner, gaps)
        if kind is not None:
            texts = _shown(ours["result"]), _shown(theirs["result"])
            found.append(Disagreement(case, ours["area"], kind, ours["sql"], texts, (ours["passed"], theirs["passed"])))
    return found


def _difference(left: dict[str, Any], right: dict[str, Any], runner: Any, gaps: tuple[str, ...]) -> str | None:
    a, b = left["result"], right["result"]
    if a[0] != b[0]:
        texts = [str(result[-1]) for result in (a, b) if result[0] in ("error", "setup")]
        return "unsupported" if any(reason in text for text in texts for reason in gaps) else "kind"
    if a[0] != "rows":
        return None
    if a[1] != b[1]:
        return "types"
    if left["compare"] == "columns_only" or left["sql"].lstrip().upper().startswith("EXPLAIN"):
        return None  # physical plans differ between engines
    types = [column[1] for column in a[1]]
    return None if runner.same_rows(a[2], b[2], types, left["ordered"]) else "rows"


def _shown(result: list[Any]) -> str:
    if result[0] == "rows":
        return f"{[column[1] for column in result[1]]} {json.dumps(result[2])}"
    return f"{result[0]}: {' '.join(str(result[-1]).split())}"


def main() -> int:
    """Returns 0 if both reports agree, apart from unsupported features."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("left", type=Path)
    parser.add_argument("right", type=Path)
    parser.add_argument("--areas", help="comma-separated; all by default; a name may end in *")
    arguments = parser.parse_args()
    folder = corpus_folder()
    if folder is None:
        print(NOT_FOUND)
        return 1
    found = disagreements(load(arguments.left), load(arguments.right), load_runner(folder))
    if arguments.areas:
        exact = {name for name in arguments.areas.split(",") if not name.endswith("*")}
        starts = tuple(name[:-1] for name in arguments.areas.split(",") if name.endswith("*"))
        found = [one for one in found if one.area in exact or (starts and one.area.startswith(starts))]
    declared = declared_deviations()
    for one in found:
        marks = " ".join("pass" if passed else "deviates" if one.case in declared else "FAIL" for passed in one.passed)
        print(f"{one.case} [{one.kind}; {marks}]: {' '.join(one.sql.split())[:300]}")
        print("".join(f"    {text[:400]}\n" for text in one.results), end="")
    kinds = Counter(one.kind for one in found)
    print(f"disagreements: {len(found) - kinds['unsupported']} {dict(sorted(kinds.items()))}")
    return int(len(found) > kinds["unsupported"])


if __name__ == "__main__":
    sys.exit(main())
