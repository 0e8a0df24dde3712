"""Changes of a database in Debezium's JSON, materialized by a query; and the changes of a query."""

import json
import tempfile
from pathlib import Path

from pyflink.common import RowKind
from pyflink.table import EnvironmentSettings, TableEnvironment

CHANGES = [
    {"before": None, "after": {"id": 1, "name": "scooter", "weight": 3.5}, "op": "c"},
    {"before": None, "after": {"id": 2, "name": "battery", "weight": 8.25}, "op": "c"},
    {"before": {"id": 1, "name": "scooter", "weight": 3.5}, "after": {"id": 1, "name": "scooter", "weight": 5.25}, "op": "u"},
    {"before": {"id": 2, "name": "battery", "weight": 8.25}, "after": None, "op": "d"},
    {"before": None, "after": {"id": 3, "name": "rocks", "weight": 5.5}, "op": "c"},
]


def create(settings):
    return TableEnvironment.create(
        EnvironmentSettings.new_instance().with_configuration(settings.get_configuration()).in_streaming_mode().build()
    )


def run(t_env):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changes.json"
        path.write_text("".join(json.dumps(change) + "\n" for change in CHANGES))
        t_env.execute_sql(
            "CREATE TEMPORARY TABLE products (id BIGINT, name STRING, weight DOUBLE)"
            f" WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'debezium-json')"
        )
        with t_env.sql_query("SELECT name, SUM(weight) AS weight FROM products GROUP BY name").execute().collect() as rows:
            final = {}
            for row in rows:
                if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER):
                    final[row[0]] = row[1]
                elif row.get_row_kind() == RowKind.DELETE:
                    del final[row[0]]
        return sorted(final.items())
