"""A row-wise aggregate whose accumulator holds a MapView: how many distinct values a group has, and how often each comes."""

from pyflink.table import DataTypes, MapView, Row
from pyflink.table.expressions import col
from pyflink.table.udf import AggregateFunction, udaf


class MapViewCountDistinct(AggregateFunction):
    def get_value(self, accumulator):
        return accumulator[1]

    def create_accumulator(self):
        return Row(MapView(), 0)

    def accumulate(self, accumulator, *args):
        view = accumulator[0]
        if not view.contains(args[0]):
            view.put(args[0], 1)
            accumulator[1] += 1
        else:
            view.put(args[0], view.get(args[0]) + 1)

    def retract(self, accumulator, *args):
        view = accumulator[0]
        view.put(args[0], view.get(args[0]) - 1)
        if view.get(args[0]) == 0:
            view.remove(args[0])
            accumulator[1] -= 1

    def merge(self, accumulator, accumulators):
        for other in accumulators:
            for key, count in other[0].items():
                if key not in accumulator[0]:
                    accumulator[0][key] = 0
                    accumulator[1] += 1
                accumulator[0][key] = accumulator[0][key] + count

    def get_accumulator_type(self):
        return DataTypes.ROW(
            [
                DataTypes.FIELD("f0", DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.BIGINT())),
                DataTypes.FIELD("f1", DataTypes.BIGINT()),
            ]
        )

    def get_result_type(self):
        return DataTypes.BIGINT()


class Counts(AggregateFunction):
    """The accumulator is the view alone; the decorator says its type."""

    def create_accumulator(self):
        return MapView()

    def accumulate(self, accumulator, value):
        accumulator.put_all({value: (accumulator.get(value) if value in accumulator else 0) + 1})

    def get_value(self, accumulator):
        if accumulator.is_empty():
            return None
        return ",".join(f"{key}{accumulator[key]}" for key in sorted(accumulator.keys())) + f":{sum(accumulator.values())}"


def run(t_env):
    count_distinct = udaf(MapViewCountDistinct())
    t_env.create_temporary_function("count_distinct_of", count_distinct)
    counts = udaf(
        Counts(),
        result_type=DataTypes.STRING(),
        accumulator_type=DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.BIGINT()),
    )
    table = t_env.from_elements([("a", 1), ("b", 2), ("a", 1), ("b", 1), ("a", 2)], ["word", "k"])
    t_env.create_temporary_view("words", table)
    api = table.group_by(col("k")).select(col("k"), count_distinct(col("word")), counts(col("word"))).order_by(col("k"))
    sql = t_env.sql_query("SELECT count_distinct_of(word) AS n FROM words")
    with api.execute().collect() as a, sql.execute().collect() as b:
        return [tuple(row) for row in a], [tuple(row) for row in b]
