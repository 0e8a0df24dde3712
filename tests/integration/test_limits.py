"""The short form of ``proofs/limits.py``: long and deep statements end in results or in our errors, and the process survives."""

from __future__ import annotations

from collections.abc import Callable

from table_api import TableEnvironment

CASES = [
    "union_all_1000",
    "union_400",
    "joins_100",
    "ctes_500",
    "array_nested",
    "doubling",
    "view_cycle",
    "values_100000",
    "in_100000_over",
    "raw_",
    "planning_",
    "memory_",
]


def test_long_and_deep_statements_end_in_results_or_our_errors(run_proof: Callable[..., str]) -> None:
    run_proof("limits.py", "--short", "--patience", "4", "--hang", "300", "--only", *CASES, seconds=500)


def test_spark_accepts_the_maximum_nesting_depth_of_statements(make_env: Callable[[str], TableEnvironment]) -> None:
    result = make_env("spark").execute_sql(f"SELECT {'UPPER(' * 480}s{')' * 480} AS s FROM (VALUES 'a') AS t(s)")
    assert [row[0] for row in result.collect()] == ["A"]
