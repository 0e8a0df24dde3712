"""Tables in SQL text, SQL queries as tables, views, and what EXPLAIN and print say."""

from pyflink.table.expressions import call_sql, col


def run(t_env):
    t_env.execute_sql("CREATE TEMPORARY VIEW numbers AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS t (id, letter)")
    table = t_env.from_path("numbers").filter(col("id") >= 2)
    from_text = t_env.sql_query(f"SELECT letter, id * 10 AS ten FROM {table} WHERE id < 3")
    t_env.create_temporary_view("filtered", table)
    counted = t_env.sql_query("SELECT COUNT(*) AS n, SUM(id) AS total FROM filtered")
    expressions = table.select(call_sql("id + 1").alias("next"), col("letter").upper_case.alias("big"))
    result = []
    for query in (from_text, counted, expressions):
        with query.execute().collect() as rows:
            result.append([list(row) for row in rows])
    assert "filtered" in t_env.list_temporary_views()
    assert t_env.drop_temporary_view("filtered")
    assert "filtered" not in t_env.list_views()
    assert len(table.explain()) > 10
    assert "id" in t_env.explain_sql("SELECT id FROM numbers")
    schema = table.get_schema()
    return result, schema.get_field_names(), [str(name) for name in t_env.sql_query("SELECT 1, 2 AS two").get_schema().get_field_names()]
