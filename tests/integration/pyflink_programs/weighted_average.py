"""A row-wise aggregate: the weighted average, in SQL and in the Table API."""

from pyflink.table import DataTypes, Row
from pyflink.table.expressions import call, col
from pyflink.table.udf import AggregateFunction, udaf


class WeightedAvg(AggregateFunction):
    def create_accumulator(self):
        # Row(sum, count)
        return Row(0, 0)

    def get_value(self, accumulator):
        if accumulator[1] == 0:
            return None
        return accumulator[0] / accumulator[1]

    def accumulate(self, accumulator, value, weight):
        accumulator[0] += value * weight
        accumulator[1] += weight

    def retract(self, accumulator, value, weight):
        accumulator[0] -= value * weight
        accumulator[1] -= weight

    def merge(self, accumulator, accumulators):
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_result_type(self):
        return "DOUBLE"

    def get_accumulator_type(self):
        return "ROW<f0 BIGINT, f1 BIGINT>"


def run(t_env):
    weighted_avg = udaf(WeightedAvg())
    t_env.create_temporary_function("weighted_avg", WeightedAvg())
    source = t_env.from_elements(
        [(1, 2, "Lee"), (3, 4, "Jay"), (5, 6, "Jay"), (7, 8, "Lee")],
        DataTypes.ROW(
            [
                DataTypes.FIELD("value", DataTypes.BIGINT()),
                DataTypes.FIELD("count", DataTypes.BIGINT()),
                DataTypes.FIELD("name", DataTypes.STRING()),
            ]
        ),
    )
    t_env.create_temporary_view("source", source)
    api = source.group_by(col("name")).select(col("name"), weighted_avg(col("value"), col("count")).alias("avg")).order_by(col("name"))
    named = source.group_by(col("name")).aggregate(call("weighted_avg", col("value"), col("count")).alias("avg")).select(col("avg"))
    sql = t_env.sql_query("SELECT weighted_avg(`value`, `count`) AS w FROM source")
    with api.execute().collect() as a, named.execute().collect() as b, sql.execute().collect() as c:
        return [tuple(row) for row in a], sorted(row[0] for row in b), [tuple(row) for row in c]
