"""Aggregates over windows of time: a row-wise one with a row as its result, and one of the columns of a window."""

from datetime import datetime

from pyflink.table import DataTypes, Row
from pyflink.table.expressions import col, lit
from pyflink.table.udf import AggregateFunction, udaf
from pyflink.table.window import Tumble


class CountAndSum(AggregateFunction):
    def get_value(self, accumulator):
        return Row(accumulator[0], accumulator[1])

    def create_accumulator(self):
        return Row(0, 0)

    def accumulate(self, accumulator, value):
        accumulator[0] += 1
        accumulator[1] += value

    def merge(self, accumulator, accumulators):
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_accumulator_type(self):
        return DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.BIGINT())])

    def get_result_type(self):
        return DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.BIGINT())])


def run(t_env):
    agg = udaf(CountAndSum(), result_type=CountAndSum().get_result_type(), accumulator_type=CountAndSum().get_accumulator_type())
    table = t_env.from_elements(
        [(1, "Hi", datetime(2020, 1, 1, 0, 1)), (2, "Hi", datetime(2020, 1, 1, 0, 9)), (4, "Ho", datetime(2020, 1, 1, 0, 11))],
        DataTypes.ROW(
            [
                DataTypes.FIELD("v", DataTypes.BIGINT()),
                DataTypes.FIELD("name", DataTypes.STRING()),
                DataTypes.FIELD("rowtime", DataTypes.TIMESTAMP(3)),
            ]
        ),
    )
    tumble_window = Tumble.over(lit(10).minutes).on(col("rowtime")).alias("w")
    named = (
        table.window(tumble_window)
        .group_by(col("w"), col("name"))
        .aggregate(agg(col("v")).alias("c", "s"))
        .select(col("name"), col("w").start.alias("since"), col("c"), col("s"))
        .order_by(col("since"))
    )
    plain = table.window(tumble_window).group_by(col("w")).aggregate(agg(col("v"))).select(col("b"), col("w").end)
    with named.execute().collect() as a, plain.execute().collect() as b:
        return [tuple(row) for row in a], sorted(tuple(row) for row in b)
