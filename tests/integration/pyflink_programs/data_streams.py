"""A program that starts with an environment of data streams, makes tables from them, and streams from tables."""

from pyflink.common import Configuration, Types
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.table import DataTypes, Schema, StreamTableEnvironment
from pyflink.table.expressions import col


def create(settings):
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.set_parallelism(1)
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    t_env = StreamTableEnvironment.create(env, settings)
    t_env.stream_env = env
    return t_env


def run(t_env):
    env = t_env.stream_env
    stream = env.from_collection(
        [(1, "Hi"), (2, "Hello"), (3, "Hi")], type_info=Types.ROW_NAMED(["id", "word"], [Types.INT(), Types.STRING()])
    )
    table = t_env.from_data_stream(stream)
    renamed = t_env.from_data_stream(stream, col("a"), col("b"))
    schema = Schema.new_builder().column("id", DataTypes.INT()).column("word", "STRING").column_by_expression("twice", "id * 2").build()
    with_schema = t_env.from_data_stream(stream, schema)
    t_env.create_temporary_view("words", stream)
    counted = t_env.sql_query("SELECT word, COUNT(*) AS n FROM words GROUP BY word")
    result = [renamed.get_schema().get_field_names(), with_schema.get_schema().get_field_names()]
    for each in (table, counted):
        with t_env.to_data_stream(each).execute_and_collect() as rows:
            result.append(sorted(tuple(row) for row in rows))
    with t_env.to_changelog_stream(with_schema).execute_and_collect() as rows:
        result.append(sorted(tuple(row) for row in rows))
    return result
