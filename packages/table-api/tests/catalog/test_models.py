"""Models: declared, listed, described, altered and dropped; temporary ones hide those of a catalog."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import CatalogException, EnvironmentSettings, ModelDescriptor, Schema, TableEnvironment, TableException, ValidationException
from table_common.catalog import ObjectPath

CREATE = "CREATE MODEL m INPUT (a INT) OUTPUT (b STRING) COMMENT 'x' WITH ('provider' = 'p', 'api-key' = 'hunter2')"


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    """An environment without any engine, with the model m."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        environment.execute_sql(CREATE)
        yield environment


def _rows(env: TableEnvironment, sql: str) -> list[tuple[object, ...]]:
    with env.execute_sql(sql).collect() as rows:
        return [tuple(row) for row in rows]


def test_show_models(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TEMPORARY MODEL other INPUT (a INT) OUTPUT (b INT) WITH ('provider' = 'p')")
    assert _rows(env, "SHOW MODELS") == [("m",), ("other",)]
    assert _rows(env, "SHOW MODELS LIKE 'o%'") == [("other",)]


def test_describe_model(env: TableEnvironment) -> None:
    assert _rows(env, "DESCRIBE MODEL m") == [("a", "INT", True, True), ("b", "STRING", True, False)]


def test_show_create_model_masks_secrets(env: TableEnvironment) -> None:
    ((text,),) = _rows(env, "SHOW CREATE MODEL m")
    assert text == (
        "CREATE MODEL `default_catalog`.`default_database`.`m`\nINPUT (`a` INT)\nOUTPUT (`b` VARCHAR(2147483647))\nCOMMENT 'x'\n"
        "WITH (\n  'api-key' = '******',\n  'provider' = 'p'\n)\n"
    )


def test_a_model_that_exists_is_not_created_again(env: TableEnvironment) -> None:
    env.execute_sql(CREATE.replace("MODEL m", "MODEL IF NOT EXISTS m"))
    with pytest.raises(CatalogException, match="exists already"):
        env.execute_sql(CREATE)


def test_alter_model(env: TableEnvironment) -> None:
    env.execute_sql("ALTER MODEL m SET ('task' = 'regression')")
    env.execute_sql("ALTER MODEL m RESET ('api-key')")
    env.execute_sql("ALTER MODEL m RENAME TO n")
    ((text,),) = _rows(env, "SHOW CREATE MODEL n")
    assert str(text).endswith("WITH (\n  'provider' = 'p',\n  'task' = 'regression'\n)\n")
    assert env.list_models() == ["n"]


def test_drop_model(env: TableEnvironment) -> None:
    env.execute_sql("DROP MODEL m")
    env.execute_sql("DROP MODEL IF EXISTS m")
    with pytest.raises(CatalogException, match=r"Model 'default_catalog\.default_database\.m'"):
        env.execute_sql("DROP MODEL m")


def test_a_temporary_model_hides_the_one_of_the_catalog(env: TableEnvironment) -> None:
    descriptor = ModelDescriptor.for_provider("other").output_schema(Schema.new_builder().column("z", "INT").build()).build()
    env.create_temporary_model("m", descriptor)
    assert _rows(env, "DESCRIBE MODEL m") == [("z", "INT", True, False)]
    with pytest.raises(CatalogException, match="hides the model that would be dropped"):
        env.drop_model("m")
    assert env.drop_temporary_model("m") is True
    assert env.drop_model("m") is True


def test_training_is_refused(env: TableEnvironment) -> None:
    with pytest.raises(TableException, match="trains a model"):
        env.execute_sql("CREATE MODEL t WITH ('provider' = 'p') AS SELECT 1 AS a")


@pytest.mark.parametrize("columns", ["a AS 1", "a INT, a INT"])
def test_columns_of_a_model_are_names_and_types(env: TableEnvironment, columns: str) -> None:
    with pytest.raises(ValidationException, match=r"can only have a name and a type|two columns 'a'"):
        env.execute_sql(f"CREATE MODEL t INPUT ({columns}) OUTPUT (b INT) WITH ('provider' = 'p')")


def test_catalog_object_knows_its_models(env: TableEnvironment) -> None:
    catalog = env.get_catalog("default_catalog")
    assert catalog is not None
    assert (catalog.list_models("default_database"), catalog.model_exists(ObjectPath("default_database", "m"))) == (["m"], True)
    env.execute_sql("DROP MODEL m")
    assert (catalog.list_models("default_database"), catalog.model_exists(ObjectPath("default_database", "m"))) == ([], False)


def test_database_with_models_is_dropped_with_cascade_only(env: TableEnvironment) -> None:
    env.execute_sql("CREATE DATABASE d")
    env.execute_sql(CREATE.replace("MODEL m", "MODEL d.m"))
    with pytest.raises(CatalogException, match="it contains 0 tables and views and 1 models"):
        env.execute_sql("DROP DATABASE d RESTRICT")
    env.execute_sql("DROP DATABASE d CASCADE")
    env.execute_sql("CREATE DATABASE d")
    assert _rows(env, "SHOW MODELS FROM d") == []
