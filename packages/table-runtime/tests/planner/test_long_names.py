"""Names of 300 characters work in the catalogs in memory and in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import CatalogException

NAME = "n" * 300


@pytest.mark.parametrize("options", ["'type' = 'generic_in_memory'", "'type' = 'sqlite', 'path' = '{}'"])
@pytest.mark.parametrize("catalog", ["c", NAME])
def test_objects_with_long_names(options: str, catalog: str, tmp_path: Path) -> None:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as env:
        for statement in (
            f"CREATE CATALOG `{catalog}` WITH ({options.format(tmp_path / 'c.db')})",
            f"CREATE DATABASE `{catalog}`.`{NAME}`",
            f"USE `{catalog}`.`{NAME}`",
            f"CREATE TABLE `{NAME}` (`{NAME}` INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'rows'}', 'format' = 'csv')",
            f"CREATE VIEW `{NAME}v` AS SELECT * FROM `{NAME}`",
            f"CREATE FUNCTION `{NAME}f` AS 'math.sqrt' LANGUAGE PYTHON",
        ):
            env.execute_sql(statement)
        list(env.execute_sql(f"INSERT INTO `{NAME}` VALUES (1)").collect())
        (row,) = env.execute_sql(f"SELECT `{NAME}` FROM `{catalog}`.`{NAME}`.`{NAME}v`").collect()
        assert (row[0], env.list_tables(), env.list_views()) == (1, [NAME, f"{NAME}v"], [f"{NAME}v"])
        for statement in (f"DROP FUNCTION `{NAME}f`", f"DROP VIEW `{NAME}v`", f"DROP TABLE `{NAME}`"):
            env.execute_sql(statement)
        with pytest.raises(CatalogException, match=f"'{NAME}' does not exist"):
            env.execute_sql(f"SELECT * FROM `{NAME}`")
        for statement in (
            "USE CATALOG default_catalog",
            f"DROP DATABASE `{catalog}`.`{NAME}`",
            f"DROP CATALOG `{catalog}`",
        ):
            env.execute_sql(statement)
        assert env.list_catalogs() == ["default_catalog"]
