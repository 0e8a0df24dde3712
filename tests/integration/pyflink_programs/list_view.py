"""A row-wise aggregate whose accumulator holds a ListView: values joined with the last separator."""

from pyflink.table import DataTypes, ListView, Row
from pyflink.table.expressions import call, col
from pyflink.table.udf import AggregateFunction, udaf


class ListViewConcatAggregateFunction(AggregateFunction):
    def get_value(self, accumulator):
        # A ListView can be iterated.
        return accumulator[1].join(accumulator[0])

    def create_accumulator(self):
        return Row(ListView(), "")

    def accumulate(self, accumulator, *args):
        accumulator[1] = args[1]
        accumulator[0].add(args[0])

    def get_accumulator_type(self):
        return DataTypes.ROW(
            [
                DataTypes.FIELD("f0", DataTypes.LIST_VIEW(DataTypes.STRING())),
                DataTypes.FIELD("f1", DataTypes.BIGINT()),
            ]
        )

    def get_result_type(self):
        return DataTypes.STRING()


class MergingConcat(ListViewConcatAggregateFunction):
    def merge(self, accumulator, accumulators):
        for other in accumulators:
            accumulator[0].add_all(other[0].get())
            accumulator[1] = other[1] or accumulator[1]


@udaf(
    result_type=DataTypes.BIGINT(),
    accumulator_type=DataTypes.ROW([DataTypes.FIELD("f0", DataTypes.LIST_VIEW(DataTypes.STRING()))]),
)
class SinceLastBreak(AggregateFunction):
    """Says no types itself: those of the decorator count."""

    def create_accumulator(self):
        return Row(ListView())

    def accumulate(self, accumulator, value):
        accumulator[0].add(value)
        if value == "break":
            accumulator[0].clear()

    def get_value(self, accumulator):
        return len(list(accumulator[0].get()))


def run(t_env):
    t_env.create_temporary_system_function("concat_agg", ListViewConcatAggregateFunction())
    t_env.create_temporary_system_function("merging_concat", udaf(MergingConcat()))
    table = t_env.from_elements([("a1", "x"), ("b1", "y"), ("a2", "x"), ("b2", "y"), ("a3", "x")], ["word", "name"])
    t_env.create_temporary_view("words", table)
    grouped = table.group_by(col("name"))
    joined = grouped.select(col("name"), call("concat_agg", col("word"), "-").alias("joined"))
    merged = t_env.sql_query("SELECT name, merging_concat(word, '-') AS joined FROM words GROUP BY name")
    counted = grouped.aggregate(SinceLastBreak(col("word")).alias("n")).select(col("name"), col("n"))
    found = []
    for result in (joined, merged, counted):
        with result.execute().collect() as rows:
            found.append(sorted((row[0], sorted(row[1].split("-")) if isinstance(row[1], str) else row[1]) for row in rows))
    return found
