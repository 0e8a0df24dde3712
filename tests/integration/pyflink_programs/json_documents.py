"""JSON documents taken apart with functions of SQL, with expressions, and with a user function."""

import json

from pyflink.table import DataTypes
from pyflink.table.expressions import col
from pyflink.table.udf import udf

DOCUMENTS = [
    (1, '{"name": "Flink", "tel": 123, "addr": {"country": "Germany", "city": "Berlin"}}'),
    (2, '{"name": "hello", "tel": 135, "addr": {"country": "China", "city": "Shanghai"}}'),
    (3, '{"name": "world", "addr": {"country": "USA"}}'),
]


@udf(result_type=DataTypes.STRING())
def change_tel(text):
    document = json.loads(text)
    document["tel"] = document.get("tel", 0) + 1
    return json.dumps(document, sort_keys=True)


def read(table):
    with table.execute().collect() as rows:
        return sorted(tuple(row) for row in rows)


def run(t_env):
    table = t_env.from_elements(
        DOCUMENTS, DataTypes.ROW([DataTypes.FIELD("id", DataTypes.BIGINT()), DataTypes.FIELD("data", DataTypes.STRING())])
    )
    t_env.create_temporary_view("documents", table)
    sql = t_env.sql_query(
        "SELECT id, JSON_VALUE(data, '$.addr.country') AS country, JSON_VALUE(data, '$.tel' RETURNING INT) AS tel,"
        " JSON_EXISTS(data, '$.addr.city') FROM documents"
    )
    expressions = table.select(
        col("id"), col("data").json_value("$.addr.city", DataTypes.STRING()), col("data").json_query("$.addr"), col("data").is_json()
    )
    changed = table.select(col("id"), change_tel(col("data")).json_value("$.tel", DataTypes.INT()))
    objects = t_env.sql_query("SELECT id, JSON_OBJECT('id' VALUE id, 'known' VALUE id < 3) FROM documents")
    return [read(each) for each in (sql, expressions, changed, objects)]
