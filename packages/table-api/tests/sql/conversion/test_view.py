from table_api import EnvironmentSettings, TableEnvironment
from table_common.catalog import CatalogView, ObjectPath


def test_the_stored_query_has_full_names() -> None:
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'blackhole')")
    env.execute_sql("CREATE VIEW v AS SELECT a FROM t WHERE a > 1")
    view = env.get_catalog("default_catalog").get_table(ObjectPath("default_database", "v"))
    assert isinstance(view, CatalogView)
    assert "`default_catalog`.`default_database`.`t`" in view.expanded_query
