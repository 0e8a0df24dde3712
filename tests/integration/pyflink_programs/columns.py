"""Columns that are added, replaced, renamed, dropped and selected by ranges; values that are put together and taken apart."""

from pyflink.table import DataTypes
from pyflink.table.expressions import array, call, col, if_then_else, lit, map_, null_of, range_, row, with_columns, without_columns


def read(table):
    with table.execute().collect() as rows:
        return table.get_schema().get_field_names(), sorted((tuple(each) for each in rows), key=repr)


def run(t_env):
    table = t_env.from_elements([(1, "Hi", 2.5), (2, "Hello", 0.5)], ["a", "b", "c"])
    nested = table.select(
        array(col("a"), 2).alias("list"),
        map_("k", col("b")).alias("map"),
        row(col("a"), col("b"))
        .cast(DataTypes.ROW([DataTypes.FIELD("x", DataTypes.BIGINT()), DataTypes.FIELD("y", DataTypes.STRING())]))
        .alias("r"),
    )
    return [
        read(table.add_columns((col("a") + 1).alias("d"))),
        read(table.add_or_replace_columns((col("a") * 10).alias("a"))),
        read(table.rename_columns(col("b").alias("name"))),
        read(table.drop_columns(col("c"))),
        read(table.select(with_columns(range_("a", "b")))),
        read(table.select(without_columns(col("a")))),
        read(table.select(if_then_else(col("a") > 1, lit("many"), null_of(DataTypes.STRING())).alias("size"))),
        read(
            nested.select(
                col("list").at(1).alias("first"),
                col("map").at("k").alias("value"),
                col("r").get("y").alias("y"),
                col("list").cardinality.alias("n"),
            )
        ),
        read(nested.select(col("r").flatten)),
        read(
            table.select(
                call("CONCAT", col("b"), "!").alias("loud"),
                col("b").substring(1, 2).alias("start"),
                col("c").cast(DataTypes.INT()).alias("c"),
            )
        ),
        read(
            t_env.from_elements(
                [row(1, "abc", 2.0), row(2, "def", 3.0)],
                DataTypes.ROW(
                    [
                        DataTypes.FIELD("x", DataTypes.INT()),
                        DataTypes.FIELD("y", DataTypes.STRING()),
                        DataTypes.FIELD("z", DataTypes.DOUBLE()),
                    ]
                ),
            )
        ),
    ]
