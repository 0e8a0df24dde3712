"""TPC-DS and TPC-H in streaming mode on the embedded engine: the final table equals the result of batch mode."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.arrow import apply_changes
from table_testing.rounds import NIGHT

if TYPE_CHECKING:
    from harness.tpc import Workload

EVERY = 1 if NIGHT else 3
"""By day one query of three runs."""
NOT_RUN = {
    ("tpcds", 18): "joins stay in the order in which they are written, which is a cross join of two large tables here",
    ("tpcds", 20): "it divides by the total of a class, which is 0 after the first rows of a class: an error",
    ("tpcds", 64): "the same: its joins in the written order need more memory than there is",
    ("tpcds", 67): "RANK over a partition of many rows that change often",
}

IN_MINI_BATCHES = {("tpcds", 47), ("tpcds", 57)}
"""Each sale changes the average of its year, and so all months of it: with a mini-batch per batch, once per batch."""


@pytest.fixture(scope="session")
def environments(
    workloads: dict[str, Workload], make_environment: Callable[..., dict[str, TableEnvironment]]
) -> dict[str, tuple[TableEnvironment, ...]]:
    """Returns an environment of batch mode and one of streaming mode for each benchmark."""
    batch = make_environment("arrow")
    result = {}
    for name, workload in workloads.items():
        streaming = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
        streaming.get_config().set("table.exec.mini-batch.allow-latency", "1 s").set("table.exec.mini-batch.size", "10000")
        for definition in workload.definitions:
            streaming.execute_sql(definition)
        result[name] = (batch[name], streaming)
    return result


def test_changes_produce_the_rows_of_batch_mode(
    benchmark: str, number: int, environments: dict[str, tuple[TableEnvironment, ...]], workloads: dict[str, Workload]
) -> None:
    if (benchmark, number) in NOT_RUN:
        pytest.skip(NOT_RUN[benchmark, number])
    query = workloads[benchmark].queries[number]
    if not re.search(r"LIMIT\s+\d+\s*;?\s*$", query, re.IGNORECASE):
        query = query.rstrip().rstrip(";") + " LIMIT 1000000"  # ORDER BY alone is refused
    in_batch_mode, in_streaming_mode = environments[benchmark]
    in_streaming_mode.get_config().set("table.exec.mini-batch.enabled", str((benchmark, number) in IN_MINI_BATCHES).lower())
    batch, streaming = rows(in_batch_mode, query), rows(in_streaming_mode, query)
    if not streaming and sum(batch.values()) == 1:
        (row,) = batch
        assert set(re.findall(r"\w+", row)) <= {"None", "0"}, "a total over no rows is no row in streaming mode"
        return
    assert streaming == batch


def rows(environment: TableEnvironment, query: str) -> Counter[str]:
    """Returns the rows that remain after all changes, with numbers rounded to nine digits."""
    result = environment.execute_sql(query)
    remaining = apply_changes(result.to_arrow(), len(result.get_resolved_schema().columns))

    def rounded(value: Any) -> Any:
        return float(f"{value:.9g}") if isinstance(value, float) else value

    return Counter(
        repr([rounded(value) for value in row]) for row in zip(*(column.to_pylist() for column in remaining.columns), strict=True)
    )
