"""Tables in compiled plans: from the catalog or from the plan, without secrets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, ValidationException
from table_api.operations.sql_text import query_text
from table_api.plan.compiled import read_plan

SOURCE = "CREATE TABLE s (a INT, b STRING, c AS a + 1) WITH ('connector' = 'datagen')"


SINK = "CREATE TABLE k (a INT, b STRING) WITH ('connector' = 'blackhole', 'password' = 'hunter2')"


INSERT = "INSERT INTO k SELECT c, UPPER(b) FROM s WHERE a > 3"


def _environment(*statements: str) -> TableEnvironment:
    environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for statement in statements:
        environment.execute_sql(statement)
    return environment


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine, with the tables s and k."""
    with _environment(SOURCE, SINK) as environment:
        yield environment


def test_secrets_stay_out_of_plans_and_come_from_the_catalog(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    assert "hunter2" not in text
    (operation,) = read_plan(text, plain.session).operations
    assert operation.table.table.options["password"] == "hunter2"


def test_a_table_without_its_secret_is_refused(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    with _environment(SOURCE) as other, pytest.raises(ValidationException, match="secret options are not in the plan: password"):
        read_plan(text, other.session)


def test_a_plan_brings_tables_that_the_catalog_lacks(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    with _environment(SINK) as other:
        (operation,) = read_plan(text, other.session).operations
    expected = plain.session.parse(INSERT).children[0]
    assert query_text(operation.child) == query_text(expected)


def test_a_plan_of_identifiers_needs_the_catalog(plain: TableEnvironment) -> None:
    plain.execute_sql("SET 'table.plan.compile.catalog-objects' = 'IDENTIFIER'")
    text = plain.compile_plan_sql(INSERT).as_json_string()
    assert "datagen" not in text
    with _environment(SINK) as other, pytest.raises(ValidationException, match="its definition is not in the plan"):
        read_plan(text, other.session)


def test_a_table_with_other_columns_than_planned_is_refused(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    plain.execute_sql("ALTER TABLE s ADD z INT FIRST")
    with pytest.raises(ValidationException, match="has other columns than when the plan was compiled"):
        read_plan(text, plain.session)


@pytest.mark.parametrize(("value", "column"), [("ALL", "catalog"), ("ALL_ENFORCED", "plan"), ("IDENTIFIER", "catalog")])
def test_the_option_says_where_a_definition_comes_from(plain: TableEnvironment, value: str, column: str) -> None:
    insert = "INSERT INTO s2 SELECT a FROM s"
    plain.execute_sql("CREATE TABLE s2 (a INT) COMMENT 'plan' WITH ('connector' = 'blackhole')")
    text = plain.compile_plan_sql(insert).as_json_string()
    with _environment(SOURCE, "CREATE TABLE s2 (a INT) COMMENT 'catalog' WITH ('connector' = 'blackhole')") as other:
        other.execute_sql(f"SET 'table.plan.restore.catalog-objects' = '{value}'")
        (operation,) = read_plan(text, other.session).operations
    assert operation.table.table.comment == column


def test_a_plan_brings_no_tables_if_only_catalogs_are_asked(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    with _environment(SINK, "SET 'table.plan.restore.catalog-objects' = 'IDENTIFIER'") as other, pytest.raises(ValidationException):
        read_plan(text, other.session)
