"""CREATE TABLE … LIKE, and what SHOW and DESCRIBE list; all asked of Flink 2.3."""

from __future__ import annotations

import pytest

from table_api import TableEnvironment, ValidationException

SOURCE = """CREATE TABLE t (a INT NOT NULL COMMENT 'the a', b STRING, c AS a + 1, ts TIMESTAMP(3), WATERMARK FOR ts AS ts,
PRIMARY KEY (a) NOT ENFORCED) COMMENT 'its own' DISTRIBUTED BY (a) INTO 2 BUCKETS PARTITIONED BY (b) WITH ('connector' = 'x', 'k' = '1')"""


@pytest.fixture
def tables(env: TableEnvironment) -> TableEnvironment:
    env.execute_sql("DROP TEMPORARY VIEW t")
    env.execute_sql(SOURCE)
    return env


def rows(env: TableEnvironment, statement: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in env.execute_sql(statement).collect()]


def created(env: TableEnvironment, statement: str) -> str:
    env.execute_sql(statement)
    return str(rows(env, "SHOW CREATE TABLE made")[0][0])


def test_a_table_like_another_has_its_column_comments_and_no_comment(tables: TableEnvironment) -> None:
    text = created(tables, "CREATE TABLE made LIKE t")
    assert "COMMENT 'the a'" in text
    assert "its own" not in text


def test_a_table_like_another_has_its_own_comment(tables: TableEnvironment) -> None:
    assert "COMMENT 'new'" in created(tables, "CREATE TABLE made COMMENT 'new' LIKE t")


@pytest.mark.parametrize("options", ["", "(EXCLUDING PARTITIONS)", "(EXCLUDING ALL)", "(EXCLUDING DISTRIBUTION)"])
def test_a_table_like_another_is_partitioned_and_distributed_as_that_one(tables: TableEnvironment, options: str) -> None:
    text = created(tables, f"CREATE TABLE made LIKE t {options}")
    assert "DISTRIBUTED BY (`a`) INTO 2 BUCKETS\nPARTITIONED BY (`b`)" in text


def test_excluding_partitions_lets_the_table_have_its_own(tables: TableEnvironment) -> None:
    text = created(tables, "CREATE TABLE made (z INT) PARTITIONED BY (z) LIKE t (EXCLUDING PARTITIONS)")
    assert "PARTITIONED BY (`z`)" in text


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("(z INT) PARTITIONED BY (z) LIKE t", "Both tables have PARTITIONS"),
        ("LIKE t (OVERWRITING PARTITIONS)", "OVERWRITING PARTITIONS is not possible"),
        ("LIKE t (OVERWRITING ALL)", "OVERWRITING ALL is not possible"),
        ("LIKE t (OVERWRITING CONSTRAINTS)", "OVERWRITING CONSTRAINTS is not possible"),
        ("LIKE t (INCLUDING OPTIONS EXCLUDING OPTIONS)", "has more than one option for OPTIONS"),
    ],
)
def test_like_options_that_contradict_are_refused(tables: TableEnvironment, statement: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        tables.execute_sql(f"CREATE TABLE made {statement}")


@pytest.mark.parametrize("pattern", ["b", "nothing"])
def test_show_columns_has_comments_if_any_column_of_the_table_has_one(tables: TableEnvironment, pattern: str) -> None:
    result = tables.execute_sql(f"SHOW COLUMNS FROM t LIKE '{pattern}'")
    assert result.get_resolved_schema().column_names[-1] == "comment"


def test_describe_catalog_extended_lists_options_without_the_type(env: TableEnvironment) -> None:
    env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = 'd')")
    assert rows(env, "DESC CATALOG EXTENDED c") == [
        ("name", "c"),
        ("type", "generic_in_memory"),
        ("comment", None),
        ("option:default-database", "d"),
    ]


@pytest.fixture
def functions(env: TableEnvironment) -> TableEnvironment:
    for statement in (
        "CREATE DATABASE other",
        "CREATE FUNCTION fhere AS 'a.B' LANGUAGE PYTHON",
        "CREATE FUNCTION other.fthere AS 'a.B' LANGUAGE PYTHON",
    ):
        env.execute_sql(statement)
    return env


def test_show_user_functions_is_of_the_database_that_it_names(functions: TableEnvironment) -> None:
    assert rows(functions, "SHOW USER FUNCTIONS") == [("fhere",)]
    assert rows(functions, "SHOW USER FUNCTIONS FROM other") == [("fthere",)]
    assert rows(functions, "SHOW USER FUNCTIONS IN default_catalog.other LIKE 'g%'") == []


def test_show_functions_of_a_database_has_built_in_ones_and_those_of_the_database(functions: TableEnvironment) -> None:
    assert rows(functions, "SHOW FUNCTIONS FROM other LIKE 'ft%'") == [("fthere",)]
    assert rows(functions, "SHOW FUNCTIONS FROM other LIKE 'upper'") == [("upper",)]


def test_show_functions_like_compares_without_case(env: TableEnvironment) -> None:
    assert rows(env, "SHOW FUNCTIONS LIKE 'ARRAY_A%'") == [("array_agg",), ("array_append",)]
