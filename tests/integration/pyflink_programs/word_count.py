"""Counts words, as the examples of PyFlink do."""

from pyflink.table import DataTypes, EnvironmentSettings, Row, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.table.udf import udtf

LINES = ["To be, or not to be", "that is the question"]


def word_count(t_env):
    tab = t_env.from_elements([(line,) for line in LINES], DataTypes.ROW([DataTypes.FIELD("line", DataTypes.STRING())]))

    @udtf(result_types=[DataTypes.STRING()])
    def split(line: Row):
        for s in line[0].lower().replace(",", "").split():
            yield Row(s)

    return (
        tab.flat_map(split)
        .alias("word")
        .group_by(col("word"))
        .select(col("word"), lit(1).count.alias("count"))
        .order_by(col("count").desc, col("word"))
    )


def run(t_env):
    with word_count(t_env).execute().collect() as results:
        return [(row[0], row[1]) for row in results]


if __name__ == "__main__":
    print(run(TableEnvironment.create(EnvironmentSettings.in_batch_mode())))
