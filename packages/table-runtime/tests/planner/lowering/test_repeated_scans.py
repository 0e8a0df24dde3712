"""A scan that several joins read: one for each of them if each sends it a filter, else one for all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment

ROWS = 2_000
TOTALS = "SELECT item, `month`, SUM(v) AS s FROM {sales} JOIN days ON {sales}.`day` = days.id GROUP BY item, `month`"


@pytest.fixture
def env(tmp_path: Path) -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        sales = pa.table({"day": [i // 10 for i in range(ROWS)], "item": [i * 7 % 20 for i in range(ROWS)], "v": range(ROWS)})
        days = pa.table({"id": range(ROWS // 10), "month": [i // 30 for i in range(ROWS // 10)]})
        pq.write_table(sales, tmp_path / "sales", row_group_size=200)
        pq.write_table(days, tmp_path / "days")
        (tmp_path / "text").write_text("".join(f"{i // 10},{i * 7 % 20},{i}\n" for i in range(ROWS)))
        for name, columns, format_ in (
            ("sales", "`day` BIGINT, item BIGINT, v BIGINT", "parquet"),
            ("days", "id BIGINT, `month` BIGINT", "parquet"),
            ("text", "`day` BIGINT, item BIGINT, v BIGINT", "csv"),
        ):
            made.execute_sql(
                f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{tmp_path / name}')"
            )
        yield made


def filtered_scans(env: TableEnvironment, query: str, table: str) -> int:
    """Returns how many scans of a table have a runtime filter, which a shared one cannot have."""
    plan = env.explain_sql(query).partition("== Physical")[2]
    return sum(f"default_database.{table}]" in line and "runtimeFilters" in line for line in plan.splitlines())


def months(*numbers: int, sales: str = "sales") -> str:
    joins = " ".join(f"JOIN m AS m{month} ON m{month}.item = m{numbers[0]}.item" for month in numbers[1:])
    return (
        f"WITH m AS ({TOTALS.format(sales=sales)}) SELECT m{numbers[0]}.item, {', '.join(f'm{month}.s' for month in numbers)} "
        f"FROM m AS m{numbers[0]} {joins} WHERE {' AND '.join(f'm{month}.`month` = {month}' for month in numbers)}"
    )


def expected(*numbers: int) -> list[tuple[int, ...]]:
    def total(item: int, month: int) -> int:
        return sum(i for i in range(ROWS) if i * 7 % 20 == item and i // 10 // 30 == month)

    return [(item, *(total(item, month) for month in numbers)) for item in range(20)]


def rows(env: TableEnvironment, query: str) -> list[tuple[int, ...]]:
    return sorted(tuple(row) for row in env.execute_sql(query).collect())


@pytest.mark.parametrize("numbers", [(1, 2), (0, 3, 5)])
def test_each_join_that_sends_a_filter_has_its_own_scan(env: TableEnvironment, numbers: tuple[int, ...]) -> None:
    assert filtered_scans(env, months(*numbers), "sales") == len(numbers)
    assert rows(env, months(*numbers)) == expected(*numbers)


def test_a_scan_that_another_node_reads_too_is_shared(env: TableEnvironment) -> None:
    query = (
        "WITH s AS (SELECT `day`, item, v FROM sales) SELECT item, v FROM s JOIN days ON s.`day` = days.id WHERE `month` = 1 "
        "UNION ALL SELECT item, v FROM s WHERE v >= 0 AND `day` >= 0"
    )
    found = rows(env, query)
    assert found == sorted([(i * 7 % 20, i) for i in range(ROWS)] + [(i * 7 % 20, i) for i in range(ROWS) if i // 10 // 30 == 1])


def test_texts_are_decoded_once(env: TableEnvironment) -> None:
    query = months(1, 2, sales="text")
    assert filtered_scans(env, query, "text") == 0
    assert rows(env, query) == expected(1, 2)


def test_without_filters_a_scan_is_shared(env: TableEnvironment) -> None:
    env.get_config().set("table.optimizer.dynamic-filtering.enabled", "false")
    assert filtered_scans(env, months(1, 2), "sales") == 0
    assert rows(env, months(1, 2)) == expected(1, 2)
