"""GROUP BY over changelogs: where retractions count."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment

GROUPS = "(SELECT k, COUNT(*) AS n, MIN(v) AS low, MAX(v) AS high FROM s GROUP BY k)"
"""Numbers that only grow, or only shrink, in each group."""


def table(env: TableEnvironment, query: str) -> Counter[tuple[Any, ...]]:
    """Returns the rows that the changes of a query leave."""
    rows: Counter[tuple[Any, ...]] = Counter()
    with env.execute_sql(query).collect() as changes:
        for row in changes:
            rows[tuple(row)] += 1 if row.get_row_kind().name in ("INSERT", "UPDATE_AFTER") else -1
    return +rows


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT n, MAX(high) FROM {GROUPS} GROUP BY n",
        f"SELECT high, MIN(low) FROM {GROUPS} GROUP BY high",
        f"SELECT n, high, MAX(high) FROM {GROUPS} GROUP BY GROUPING SETS ((n), (high))",
        f"SELECT MAX(high) FROM {GROUPS} WHERE n < 5",
        f"SELECT MIN(low) FROM {GROUPS} WHERE high < 25",
        f"SELECT k, high FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY high DESC) AS r FROM {GROUPS} WHERE n < 5) WHERE r <= 2",
    ],
)
def test_a_row_that_leaves_its_group_or_the_result_takes_its_value_along(query: str) -> None:
    found = []
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    for settings in (builder.in_streaming_mode().build(), builder.in_batch_mode().build()):
        with closing(TableEnvironment.create(settings)) as env:
            rows = [(number % 7, number) for number in range(30)]
            env.create_temporary_view("s", env.from_elements([*rows, (6, 1000)], ["k", "v"]))
            found.append(table(env, query))
    assert found[0] == found[1]
