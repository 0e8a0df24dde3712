"""Table functions: with several columns, with predicates, outer, of classes and of generators."""

from pyflink.common import Row
from pyflink.table import DataTypes
from pyflink.table.expressions import col, lit
from pyflink.table.udf import TableFunction, udtf


class Split(TableFunction):
    def eval(self, text):
        for word in text.split(" "):
            yield word, len(word)


@udtf(result_types=[DataTypes.INT()])
def up_to(n):
    return range(n)


@udtf(result_types=DataTypes.ROW([DataTypes.FIELD("x", DataTypes.STRING()), DataTypes.FIELD("y", DataTypes.BOOLEAN())]))
def parts(text):
    yield Row(text[:1], True)
    if len(text) > 1:
        yield Row(text[1:], False)


def read(table):
    with table.execute().collect() as rows:
        return sorted((tuple(row) for row in rows), key=repr)


def run(t_env):
    split = udtf(Split(), result_types=[DataTypes.STRING(), DataTypes.INT()])
    table = t_env.from_elements([(1, "to be or"), (2, "x"), (0, "nothing")], ["id", "line"])
    inner = table.join_lateral(split(col("line")).alias("word", "length")).select(col("id"), col("word"), col("length"))
    outer = table.left_outer_join_lateral(up_to(col("id")).alias("n")).select(col("id"), col("n"))
    predicate = (
        table.left_outer_join_lateral(split(col("line")).alias("word", "length"), lit(True)).where(col("length") < 3).select(col("word"))
    )
    flat = table.flat_map(parts(col("line"))).alias("x", "y").where(col("y")).select(col("x"))
    t_env.create_temporary_function("split_words", split)
    t_env.create_temporary_view("lines", table)
    sql = t_env.sql_query("SELECT id, w FROM lines, LATERAL TABLE(split_words(line)) AS t (w, l) WHERE l = 2")
    left = t_env.sql_query("SELECT id, w FROM lines LEFT JOIN LATERAL TABLE(split_words(line)) AS t (w, l) ON TRUE")
    return [read(each) for each in (inner, outer, predicate, flat, sql, left)]
