"""map, flat_map and lateral joins with rows, maps and SQL."""

from pyflink.table import DataTypes, Row
from pyflink.table.expressions import col
from pyflink.table.udf import TableFunction, udf, udtf


@udf(result_type=DataTypes.ROW([DataTypes.FIELD("id", DataTypes.BIGINT()), DataTypes.FIELD("data", DataTypes.STRING())]))
def func1(id, data):  # as in PyFlink's examples
    return Row(id, data * 2)


@udf(result_type=DataTypes.ROW([DataTypes.FIELD("id", DataTypes.BIGINT()), DataTypes.FIELD("data", DataTypes.STRING())]))
def func2(row: Row) -> Row:
    return Row(row[0], row[1] * 2)


class MyTableFunction(TableFunction):
    def eval(self, x, limit):
        return range(min(x, limit))


@udtf(result_types=[DataTypes.INT(), DataTypes.STRING()])
def indexed(data: str):
    yield from enumerate(data.split("-"))


@udtf(result_types=[DataTypes.INT(), DataTypes.STRING()])
def indexed_rows(row: Row):
    yield from enumerate(row[1].split("-"))


def run(t_env):
    table = t_env.from_elements([(1, "hello-you"), (3, "hi")], ["id", "data"])
    mapped = table.map(func1(col("id"), col("data"))).alias("a", "b")
    mapped_row = table.map(func2).alias("a", "b")
    numbers = udtf(MyTableFunction(), result_types=DataTypes.BIGINT())
    lateral = table.join_lateral(numbers(col("id"), 2).alias("n")).select(col("id"), col("n"))
    outer = table.left_outer_join_lateral(numbers(col("id") - 1, 9).alias("n")).select(col("id"), col("n"))
    words = table.flat_map(indexed_rows.alias("i", "word")).select(col("word"))
    t_env.create_temporary_view("source", table)
    t_env.create_temporary_function("indexed", indexed)
    sql = t_env.sql_query("SELECT id, i, w FROM source, LATERAL TABLE(indexed(data)) AS T(i, w)")
    answers = []
    for result in (mapped, mapped_row, lateral, outer, sql, words):
        with result.execute().collect() as rows:
            answers.append(sorted((tuple(row) for row in rows), key=repr))
    return answers
