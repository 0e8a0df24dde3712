"""Aliases inside of expressions, which mean nothing, and of expressions in group_by, which name them."""

from pyflink.table import AggregateFunction, DataTypes
from pyflink.table.expressions import col
from pyflink.table.udf import udaf, udtf


@udtf(result_types=[DataTypes.BIGINT()])
def numbers(n):
    yield from range(n)


class SumPlusOne(AggregateFunction):
    def create_accumulator(self):
        return [0]

    def accumulate(self, accumulator, value):
        accumulator[0] += value

    def get_value(self, accumulator):
        return accumulator[0] + 1


def run(t_env):
    table = t_env.from_elements([(1, "a"), (2, "b"), (3, "a")], ["n", "word"])
    plus_one = udaf(SumPlusOne(), result_type=DataTypes.BIGINT(), accumulator_type=DataTypes.ARRAY(DataTypes.BIGINT()), name="plus_one")
    answers = []
    for result in (
        table.filter(col("n").alias("x") == 1).select(col("n").alias("x") + 1, col("word").alias("w").upper_case.alias("u").alias("v")),
        table.group_by(col("word").alias("g")).select(col("g"), col("n").alias("h").sum),
        table.group_by((col("n") % 2).alias("odd")).select(col("odd"), col("n").count.alias("how_many")),
        table.group_by(col("word").alias("g")).aggregate(plus_one(col("n")).alias("s")).select(col("g"), col("s")),
        table.order_by(col("n").alias("x").desc).fetch(1),
        table.filter(col("n") < 3).join_lateral(numbers(col("n").alias("q")).alias("i")).select(col("n"), col("i")),
    ):
        with result.execute().collect() as rows:
            answers.append(sorted(tuple(row) for row in rows))
    return answers
