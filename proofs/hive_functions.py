"""The share of Hive 2.3's built-in functions that work on Spark, and whether the embedded engine's subset returns the same results.

Runs the calls of ``hive_calls.toml``: many in one query, and one by one if the query fails. A function works if all its calls
succeed. Functions without calls in the file cannot be called: they require types that our SQL does not have, or belong to Hive's planner.

    python proofs/hive_functions.py [--version 2.3.10] [--save FILE] [--only NAME,NAME] [--least 90]
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from table_api import EnvironmentSettings, TableEnvironment
from table_api.module import HiveModule
from table_common.exceptions import TableError
from table_runtime.modules.hive.equivalents import EQUIVALENTS

CALLS = Path(__file__).with_name("hive_calls.toml")
SOURCES = {
    "scalar": "(SELECT 'Abc' AS s, 7 AS n, CAST(2.5 AS DOUBLE) AS d, TRUE AS b, TIMESTAMP '2020-02-03 04:05:06' AS t) AS src",
    "aggregate": "(VALUES (1, 3, CAST(1.5 AS DOUBLE), 'a b'), (1, 4, CAST(2.5 AS DOUBLE), 'b c'), (2, 5, CAST(4.5 AS DOUBLE), 'a b'),"
    " (2, CAST(NULL AS INT), CAST(NULL AS DOUBLE), CAST(NULL AS STRING))) AS src (g, x, y, s)",
}
NOT_REPEATABLE = {"current_timestamp", "rand", "uuid"}
TOGETHER = 40
"""The number of calls per query."""
Answers = dict[tuple[str, str], Any]


def environment(planner: str, version: str, external: dict[str, object] | None = None) -> TableEnvironment:
    """Returns an environment with the modules ``hive`` and ``core``, in this order."""
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner)
    if planner == "spark":
        settings = settings.with_configuration({"spark.master": "local[2]", "spark.driver.memory": "2g"})
    env = TableEnvironment.create(settings.build(), external=external or {})
    env.get_config().set("table.local-time-zone", "UTC")
    env.load_module("hive", HiveModule(version))
    env.use_modules("hive", "core")
    return env


def answers(env: TableEnvironment, kind: str, calls: Sequence[tuple[str, str]]) -> Answers:
    """Returns the result of each call, or its exception."""
    if kind == "table":
        return {(name, call): attempt(env, f"SELECT * FROM LATERAL TABLE({call})") for name, call in calls}
    found: Answers = {}
    for start in range(0, len(calls), TOGETHER):
        found.update(answers_together(env, SOURCES[kind], calls[start : start + TOGETHER]))
    return found


def answers_together(env: TableEnvironment, source: str, calls: Sequence[tuple[str, str]]) -> Answers:
    """Runs the calls as one query; if it fails, runs each half separately."""
    columns = ", ".join(f"{call} AS c{position}" for position, (_, call) in enumerate(calls))
    rows = attempt(env, f"SELECT {columns} FROM {source}")
    if not isinstance(rows, TableError):
        return dict(zip(calls, rows[0], strict=True))
    if len(calls) == 1:
        return {calls[0]: rows}
    middle = len(calls) // 2
    return {**answers_together(env, source, calls[:middle]), **answers_together(env, source, calls[middle:])}


def attempt(env: TableEnvironment, query: str) -> Any:
    """Returns the rows of a query, or its error."""
    try:
        return [list(row) for row in env.execute_sql(query).collect()]
    except TableError as error:
        return error


def compared(spark: Answers, embedded: Answers) -> Iterator[str]:
    """Yields a line for each call with different results on the engines."""
    for key, found in embedded.items():
        expected = spark.get(key)
        if key[0] in NOT_REPEATABLE or isinstance(expected, TableError):
            continue
        if isinstance(found, TableError) or not same(found, expected):
            yield f"{key[1]}: Hive returns {expected!r}, the embedded engine {str(found) if isinstance(found, TableError) else repr(found)}"


def same(left: Any, right: Any) -> bool:
    """Returns whether two values are equal, floating-point ones to twelve digits."""
    if isinstance(left, float) and isinstance(right, (int, float)):
        return left == right or abs(left - right) <= 1e-12 * abs(right)
    if isinstance(left, list) and isinstance(right, list):  # map_keys and map_values have no defined order
        return sorted(map(repr, left)) == sorted(map(repr, right))
    return bool(left == right)


def main(arguments: Sequence[str], external: dict[str, object] | None = None) -> int:
    """Prints the lists; returns 0 if at least the required share works and the engines agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", default="2.3.10")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--only", help="names of functions, separated by commas")
    parser.add_argument("--least", type=float, default=90.0, help="the required share of working functions, in percent")
    options = parser.parse_args(arguments)
    table: dict[str, dict[str, list[str]]] = tomllib.loads(CALLS.read_text())
    only = set(options.only.split(",")) if options.only else None
    chosen = {
        kind: [(name, call) for name, calls in functions.items() for call in calls if only is None or name in only]
        for kind, functions in table.items()
    }
    spark_answers: Answers = {}
    embedded_answers: Answers = {}
    with environment("spark", options.version, external) as spark, environment("arrow", options.version) as embedded:
        listed = set(HiveModule(options.version).list_functions())
        for kind, calls in chosen.items():
            spark_answers.update(answers(spark, kind, calls))
            embedded_answers.update(answers(embedded, kind, [key for key in calls if key[0] in EQUIVALENTS]))
    names = {name for functions in table.values() for name, calls in functions.items() if calls and (only is None or name in only)}
    failed = {name: str(answer) for (name, _), answer in spark_answers.items() if isinstance(answer, TableError)}
    answered = sorted(names - failed.keys())
    share = 100 * len(answered) / max(1, len(names))
    differences = list(compared(spark_answers, embedded_answers))
    uncallable = sorted(name for functions in table.values() for name, calls in functions.items() if not calls)
    print(f"Hive {options.version}: {len(listed)} functions, {len(names)} can be called, {len(answered)} answer on Spark: {share:.1f} %")
    print("answer:", ", ".join(answered))
    print("fail:", *(f"\n  {name}: {error.splitlines()[0]}" for name, error in sorted(failed.items())))
    print("cannot be called:", ", ".join(uncallable))
    print(
        f"the embedded engine has {len({name for name, _ in embedded_answers})} of them; it differs in:",
        *(f"\n  {line}" for line in differences),
    )
    if options.save is not None:
        result = {"share": share, "answer": answered, "fail": failed, "cannot be called": uncallable, "differences": differences}
        options.save.write_text(json.dumps(result, indent=1))
    return 0 if share >= options.least and not differences else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
