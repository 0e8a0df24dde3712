"""What statements say of secrets is in no error, no text of an object and no ``repr``."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, FormatDescriptor, TableDescriptor, TableEnvironment, TableError
from table_api.sql.parser import parse_statement

S = "hunter2Zq"


@pytest.fixture
def environment() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as made:
        made.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')")
        yield made


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE TABLE k (a INT) WITH ('password'\n= -- why\n'{S}' oops",
        f"CREATE TABLE k (a INT) WITH ('password' : '{S}')",
        f"CREATE TABLE k (a INT) WITH ('password' => '{S}')",
        f"CREATE TABLE k (a INT) WITH ('password' '{S}')",
        f"CREATE TABLE k (a INT) WITH ('password' = \"{S}\")",
        f"CREATE TABLE k (a INT) WITH ('password' = U&'{S}')",
        f"CREATE TABLE k (a INT) WITH ('password' = {S})",
        f"CREATE TABLE k (a INT) WITH ('password' = 'it's {S}')",
        f"CREATE TABLE k (a INT) WITH ('password' = '' || '{S}')",
        f"CREATE TABLE k (a INT) WITH ('password' = 'a'\n'{S}' !)",
        f"CREATE TABLE k (a INT) WITH ('password'\u200b='{S}')",
        f"/* password={S} */ SELECT FROM",
        f"SELECT FROM -- 'password' = '{S}'",
        f"SELECT * FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(a), MAP['password', '{S}'])",
        f"SET 'password={S}'",
        f"SET my.password = {S}",
        f"SET 'my.password' '{S}'",
        f"SELECT * FROM t /*+ OPTIONS('password' : '{S}') */",
        f"CREATE CATALOG c WITH ('type' = 'nothing', 'password' = '{S}')",
        f"CREATE CATALOG c WITH ('type' = 'https://u:{S}@h')",
        f"LOAD MODULE core WITH ('token' = '{S}')",
    ],
)
def test_error_shows_no_secret_of_its_statement(environment: TableEnvironment, statement: str) -> None:
    with pytest.raises(TableError) as caught:
        environment.execute_sql(statement)
    assert S not in "".join(traceback.format_exception(caught.value))


def test_hint_in_a_view_is_masked(environment: TableEnvironment) -> None:
    environment.execute_sql(f"CREATE VIEW v AS SELECT * FROM t /*+ OPTIONS('password' = '{S}') */")
    assert S not in str(list(environment.execute_sql("SHOW CREATE VIEW v").collect()))


@pytest.mark.parametrize(
    "node",
    [
        TableDescriptor.for_connector("x").option("password", S).option("url", f"https://u:{S}@h").build(),
        FormatDescriptor.for_format("x").option("api.key", S).build(),
        parse_statement(f"SET 'password' = '{S}'"),
        parse_statement(f"CREATE TABLE t (a INT) WITH ('password' = '{S}')"),
    ],
)
def test_repr_shows_no_secret(node: object) -> None:
    assert S not in repr(node) + str(node)
