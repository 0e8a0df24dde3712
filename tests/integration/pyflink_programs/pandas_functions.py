"""Vectorized functions: scalar functions and aggregates over pandas.Series, in the Table API and in SQL."""

import pandas as pd
from pyflink.common import Row
from pyflink.table import DataTypes
from pyflink.table.expressions import call, col, lit
from pyflink.table.udf import AggregateFunction, ScalarFunction, udaf, udf


@udf(result_type=DataTypes.BIGINT(), func_type="pandas")
def add(i, j):
    return i + j


@udf(result_type=DataTypes.STRING(), func_type="pandas")
def loud(s):
    return s.str.upper() + "!"


class Scaled(ScalarFunction):
    def open(self, function_context):
        self.factor = 10

    def eval(self, i):
        return i * self.factor


scaled = udf(Scaled(), result_type=DataTypes.BIGINT(), func_type="pandas")
PAIR = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.BIGINT())])


@udf(result_type=PAIR, func_type="pandas")
def doubled(x):
    return pd.concat([x.a, x.b * 2], axis=1)


@udaf(result_type=DataTypes.FLOAT(), func_type="pandas")
def mean(v):
    return v.mean()


class Largest(AggregateFunction):
    def create_accumulator(self):
        return Row(0)

    def accumulate(self, accumulator, value):
        accumulator[0] = int(value.max())

    def get_value(self, accumulator):
        return accumulator[0]


@udaf(result_type=PAIR, func_type="pandas")
def sum_and_max(x):
    return Row(int(x.b.sum()), int(x.b.max()))


def read(table):
    with table.execute().collect() as rows:
        return sorted(tuple(row) for row in rows)


def run(t_env):
    t = t_env.from_elements(
        [(1, 2, "x"), (2, 3, "y"), (1, 4, "z")],
        DataTypes.ROW(
            [DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.BIGINT()), DataTypes.FIELD("s", DataTypes.STRING())]
        ),
    )
    t_env.create_temporary_view("source", t)
    t_env.create_temporary_system_function("add_numbers", add)
    t_env.create_temporary_function("mean_of", mean)
    t_env.create_temporary_system_function(
        "largest",
        udaf(
            Largest(),
            result_type=DataTypes.BIGINT(),
            accumulator_type=DataTypes.ROW([DataTypes.FIELD("m", DataTypes.BIGINT())]),
            func_type="pandas",
        ),
    )
    numbers = t.select(col("a"), col("b"))
    return [
        read(t.select(add(col("a"), col("b")), loud(col("s")), scaled(col("a")))),
        read(t.select(add(col("a"), lit(5)))),
        read(t_env.sql_query("SELECT add_numbers(a, b) FROM source WHERE add_numbers(a, 1) > 2")),
        read(numbers.map(doubled).alias("x", "y")),
        read(t.group_by(col("a")).select(col("a"), mean(col("b")))),
        read(t_env.sql_query("SELECT a, mean_of(b), largest(b) FROM source GROUP BY a")),
        read(numbers.group_by(col("a")).aggregate(sum_and_max.alias("c", "d")).select(col("a"), col("c"), col("d"))),
        read(numbers.aggregate(sum_and_max.alias("c", "d")).select(col("c"), col("d"))),
        read(t.select(call("add_numbers", col("a"), col("b")))),
    ]


EXPECTED = [
    [(3, "X!", 10), (5, "Y!", 20), (5, "Z!", 10)],
    [(6,), (6,), (7,)],
    [(5,)],
    [(1, 4), (1, 8), (2, 6)],
    [(1, 3.0), (2, 3.0)],
    [(1, 3.0, 4), (2, 3.0, 3)],
    [(1, 6, 4), (2, 3, 3)],
    [(9, 4)],
    [(3,), (5,), (5,)],
]
"""What the program returns."""
