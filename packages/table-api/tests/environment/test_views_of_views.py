"""Views that read views: a part that is read often is one node, and no view reads itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, ValidationException
from table_api.operations import QueryOperation
from table_common.tree import preorder


@pytest.fixture
def environment() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as made:
        made.execute_sql("CREATE VIEW a AS SELECT 1 AS x")
        made.execute_sql("CREATE VIEW b AS SELECT x FROM a")
        yield made


def test_views_that_double_make_a_plan_that_does_not(environment: TableEnvironment) -> None:
    environment.execute_sql("CREATE VIEW v0 AS SELECT 1 AS x")
    for i in range(1, 31):
        environment.execute_sql(f"CREATE VIEW v{i} AS SELECT l.x FROM v{i - 1} AS l JOIN v{i - 1} AS r ON l.x = r.x")
    plan = environment.from_path("v30")._operation
    assert len(preorder(plan, QueryOperation)) < 100


@pytest.mark.parametrize("statement", ["ALTER VIEW a AS SELECT x FROM a", "CREATE OR REPLACE VIEW a AS SELECT x FROM a"])
def test_a_view_of_itself_is_refused(environment: TableEnvironment, statement: str) -> None:
    with pytest.raises(ValidationException, match=r"cannot read itself: default_catalog.default_database.a reads default_catalog"):
        environment.execute_sql(statement)
    assert environment.from_path("a").get_schema().get_field_names() == ["x"]


def test_a_cycle_of_two_views_is_refused_and_named(environment: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"a reads default_catalog.default_database.b reads default_catalog.default_database.a"):
        environment.execute_sql("ALTER VIEW a AS SELECT x FROM b")


def test_a_temporary_view_of_the_view_that_it_hides_is_refused(environment: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="cannot read itself"):
        environment.execute_sql("CREATE TEMPORARY VIEW a AS SELECT x FROM a")


def test_a_view_is_not_renamed_into_a_cycle(environment: TableEnvironment) -> None:
    environment.execute_sql("CREATE VIEW c AS SELECT x FROM b")
    environment.execute_sql("DROP VIEW a")
    with pytest.raises(ValidationException, match="cannot read itself"):
        environment.execute_sql("ALTER VIEW c RENAME TO a")
    assert environment.list_views() == ["b", "c"]


def test_arrays_are_not_nested_deeper_than_types_may_be(environment: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="nested at most 64 deep"):
        environment.sql_query("SELECT " + "ARRAY[" * 100 + "1" + "]" * 100)


def test_a_type_that_doubles_with_each_query_is_refused(environment: TableEnvironment) -> None:
    tables = ["c0 AS (SELECT 1 AS s)", *(f"c{number} AS (SELECT ROW(s, s) AS s FROM c{number - 1})" for number in range(1, 41))]
    with pytest.raises(ValidationException, match="A type may hold at most 10,000 types"):
        environment.sql_query(f"WITH {', '.join(tables)} SELECT s FROM c40")


def test_stars_that_give_too_many_columns_are_refused(environment: TableEnvironment) -> None:
    columns = ", ".join(f"{number} AS c{number}" for number in range(1000))
    with pytest.raises(ValidationException, match=r"A SELECT with '\*' may have at most 10,000 columns"):
        environment.sql_query(f"SELECT {'*, ' * 1000}1 FROM (SELECT {columns})")
