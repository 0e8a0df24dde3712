"""Each operation on Spark."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import QUERY_OPERATIONS
from table_common.exceptions import TableRuntimeException
from table_planner_spark.lowering import UNSUPPORTED, lower

PEOPLE = "(VALUES (1, 'a', 10), (2, 'b', 20), (3, CAST(NULL AS STRING), CAST(NULL AS INT))) AS p(id, name, amount)"


def test_every_operation_is_lowered_or_refused_with_a_reason() -> None:
    assert lower.missing(QUERY_OPERATIONS) == set(UNSUPPORTED)


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("SELECT * FROM TO_CHANGELOG((SELECT 1 AS x))", ("INSERT", 1)),
        ("SELECT * FROM FROM_CHANGELOG((SELECT 'INSERT' AS op, 1 AS x))", (1,)),
    ],
    ids=["to", "from"],
)
def test_functions_of_changes_run_in_streaming_mode(spark: Any, sql: str, row: tuple[Any, ...]) -> None:
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build()
    env = TableEnvironment.create(settings, external={"spark": spark})
    with env.execute_sql(sql).collect() as rows:
        assert [tuple(each) for each in rows] == [row]


def test_columns_of_one_name_do_not_disturb_each_other(run: Any) -> None:
    assert run.rows(f"SELECT id, name AS id FROM {PEOPLE} WHERE id = 1") == [(1, "a")]


def test_a_table_joined_with_itself_keeps_its_sides_apart(run: Any) -> None:
    run.environment.execute_sql(f"CREATE TEMPORARY VIEW people AS SELECT * FROM {PEOPLE}")
    rows = run.rows("SELECT a.id, b.id FROM people a LEFT JOIN people b ON a.id = b.id + 1 ORDER BY a.id")
    assert rows == [(1, None), (2, 1), (3, 2)]


def test_a_plan_that_is_used_twice_can_be_joined(run: Any) -> None:
    table = run.environment.sql_query(f"SELECT id, name FROM {PEOPLE}")
    frame = run.environment.to_data_frame(table.union_all(table))
    assert frame.count() == 6


def test_nulls_are_lowest_when_sorted(run: Any) -> None:
    assert run.rows(f"SELECT amount FROM {PEOPLE} ORDER BY amount") == [(None,), (10,), (20,)]
    assert run.rows(f"SELECT amount FROM {PEOPLE} ORDER BY amount DESC") == [(20,), (10,), (None,)]


def test_offset_and_fetch_count_rows_in_order(run: Any) -> None:
    assert run.rows(f"SELECT id FROM {PEOPLE} ORDER BY id LIMIT 1 OFFSET 1") == [(2,)]


@pytest.mark.parametrize(
    ("type_", "value", "total", "average"),
    [
        ("DECIMAL(7, 2)", "99999.99", "199999.98", "99999.990000"),
        ("DECIMAL(28, 0)", "9" * 28, "1" + "9" * 27 + "8", "9" * 28 + ".000000"),
        ("DECIMAL(29, 0)", "9" * 29, "1" + "9" * 28 + "8", "9" * 29 + ".000000"),
        ("DECIMAL(38, 0)", "9" * 38, None, None),
    ],
)
def test_sums_of_decimals_have_38_digits(run: Any, type_: str, value: str, total: str | None, average: str | None) -> None:
    values = f"(VALUES CAST('{value}' AS {type_}), CAST('{value}' AS {type_}), CAST(NULL AS {type_})) AS t(x)"
    ((summed, averaged, windowed),) = run.rows(f"SELECT SUM(x), AVG(x), MAX(w) FROM (SELECT x, SUM(x) OVER () AS w FROM {values})")
    assert [None if found is None else str(found) for found in (summed, averaged, windowed)] == [total, average, total]


def test_aggregates_have_the_types_of_flink(run: Any) -> None:
    assert run.rows(f"SELECT SUM(amount), AVG(amount), COUNT(*), COUNT(name) FROM {PEOPLE}") == [(30, 15, 3, 2)]
    assert run.value("AVG(x) FROM (VALUES (1.1), (2.2)) AS t(x)") == Decimal("1.650000")


def test_a_global_aggregate_over_nothing_has_one_row(run: Any) -> None:
    assert run.rows(f"SELECT COUNT(*), SUM(id) FROM {PEOPLE} WHERE id > 9") == [(0, None)]


def test_distinct_and_filter_apply_to_one_aggregate_each(run: Any) -> None:
    rows = run.rows("SELECT COUNT(DISTINCT x), SUM(x) FILTER (WHERE x > 1) FROM (VALUES (1), (1), (2)) AS t(x)")
    assert rows == [(2, 2)]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [("UNION", [1, 2, 3]), ("UNION ALL", [1, 2, 2, 2, 3]), ("INTERSECT", [2]), ("EXCEPT", [1]), ("EXCEPT ALL", [1, 2])],
)
def test_set_operations(run: Any, operation: str, expected: list[int]) -> None:
    rows = run.rows(f"SELECT x FROM (VALUES (1), (2), (2)) AS a(x) {operation} SELECT y FROM (VALUES (2), (3)) AS b(y)")
    assert sorted(x for (x,) in rows) == expected


def test_integers_divide_to_integers(run: Any) -> None:
    assert run.rows("SELECT 7 / 2, -7 / 2, MOD(-7, 2)") == [(3, -3, -1)]


def test_doubles_divide_as_in_ieee_754(run: Any) -> None:
    assert run.value("x / y FROM (VALUES (1e0, 0e0)) AS t(x, y)") == float("inf")


def test_overflow_is_an_error_that_names_it(run: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"does not fit into its type \(overflow\)"):
        run.value("x + 1 FROM (VALUES (2147483647)) AS t(x)")


def test_a_decimal_that_does_not_fit_is_null(run: Any) -> None:
    wide = "CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0))"
    assert run.value(f"x + 1 FROM (VALUES ({wide}), (NULL)) AS t(x) WHERE x IS NOT NULL") is None


def test_functions_of_windows_see_their_partition_and_frame(run: Any) -> None:
    rows = run.rows(
        "SELECT x, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x DESC), SUM(x) OVER (PARTITION BY k ORDER BY x), LAG(x, 1, 0) OVER (ORDER BY x) "
        "FROM (VALUES ('a', 1), ('a', 2), ('b', 5)) AS t(k, x) ORDER BY x"
    )
    assert rows == [(1, 2, 1, 0), (2, 1, 3, 1), (5, 1, 5, 2)]


def test_elements_of_collections_become_rows(run: Any) -> None:
    rows = run.rows("SELECT id, e, o FROM (VALUES (1, ARRAY['a', 'b'])) AS t(id, tags) CROSS JOIN UNNEST(tags) WITH ORDINALITY AS u(e, o)")
    assert rows == [(1, "a", 1), (1, "b", 2)]
