"""Options: of settings, of the session, and typed ones."""

from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, SqlDialect


def run(t_env):
    configuration = Configuration()
    configuration.set_string("table.exec.timeout", "1 h").set_integer("parallelism.default", 2).set_boolean("table.dml-sync", True)
    configuration.set_float("pipeline.rate", 0.5)
    values = [
        configuration.get_string("table.exec.timeout", ""),
        configuration.get_integer("parallelism.default", 0),
        configuration.get_boolean("table.dml-sync", False),
        configuration.get_float("pipeline.rate", 0.0),
        configuration.get_string("absent", "default"),
        configuration.contains_key("absent"),
        sorted(configuration.key_set()),
    ]
    configuration.remove_config("pipeline.rate")
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_configuration(configuration).with_built_in_catalog_name("c").build()
    values += [
        settings.is_streaming_mode(),
        settings.get_built_in_catalog_name(),
        settings.get_built_in_database_name(),
        settings.get_configuration().get_string("table.exec.timeout", ""),
    ]
    config = t_env.get_config()
    config.set("parallelism.default", "1")
    config.set_local_timezone("Asia/Tokyo")
    values += [config.get("parallelism.default", "?"), config.get_local_timezone(), config.get_sql_dialect() == SqlDialect.DEFAULT]
    config.set("table.local-time-zone", "UTC")
    values.append(config.get_local_timezone())
    with t_env.execute_sql(
        "SELECT CAST(TIMESTAMP '2024-05-01 00:00:00' AS TIMESTAMP_LTZ(3)) = TO_TIMESTAMP_LTZ(1714521600000, 3)"
    ).collect() as rows:
        values.append([list(row) for row in rows])
    return values
