"""A table aggregate: the two greatest values of each group."""

from pyflink.table import DataTypes, Row
from pyflink.table.expressions import col
from pyflink.table.udf import TableAggregateFunction, udtaf


class Top2(TableAggregateFunction):
    def emit_value(self, accumulator):
        yield Row(accumulator[0])
        if accumulator[1] is not None:
            yield Row(accumulator[1])

    def create_accumulator(self):
        return [None, None]

    def accumulate(self, accumulator, row):
        if row[0] is not None:
            if accumulator[0] is None or row[0] > accumulator[0]:
                accumulator[1] = accumulator[0]
                accumulator[0] = row[0]
            elif accumulator[1] is None or row[0] > accumulator[1]:
                accumulator[1] = row[0]

    def get_accumulator_type(self):
        return DataTypes.ARRAY(DataTypes.BIGINT())

    def get_result_type(self):
        return DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT())])


def run(t_env):
    top2 = udtaf(Top2())
    table = t_env.from_elements([(1, "Hi"), (3, "Hi"), (5, "Hi2"), (7, "Hi2"), (2, "Hi"), (6, "Hi2")], ["a", "c"])
    # The function itself: it takes the whole row.
    result = table.group_by(col("c")).flat_aggregate(top2).select(col("c"), col("a")).order_by(col("c"), col("a"))
    with result.execute().collect() as rows:
        return [tuple(row) for row in rows]
