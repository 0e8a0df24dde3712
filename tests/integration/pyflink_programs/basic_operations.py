"""Projections, filters, aggregates, joins and set operations of the Table API."""

from pyflink.table import DataTypes
from pyflink.table.expressions import col, concat_ws, lit

ORDERS = [("Ann", "USA", 120), ("Bob", "DE", 60), ("Ann", "USA", 30), ("Eve", None, 80)]


def read(table):
    with table.execute().collect() as rows:
        return sorted((tuple(row) for row in rows), key=repr)


def run(t_env):
    orders = t_env.from_elements(
        ORDERS,
        DataTypes.ROW(
            [
                DataTypes.FIELD("name", DataTypes.STRING()),
                DataTypes.FIELD("country", DataTypes.STRING()),
                DataTypes.FIELD("revenue", DataTypes.INT()),
            ]
        ),
    )
    people = t_env.from_elements([("Ann", 31), ("Bob", 25)], ["person", "age"])
    revenue = (
        orders.where(col("country").is_not_null)
        .group_by(col("name"), col("country"))
        .select(col("name"), col("revenue").sum.alias("total"), col("revenue").count.alias("n"))
        .where(col("total") > lit(50))
    )
    joined = orders.join(people, col("name") == col("person")).select(
        concat_ws("-", col("name"), col("country")), col("age"), col("revenue") * 2
    )
    outer = orders.left_outer_join(people, col("name") == col("person")).where(col("age").is_null).select(col("name"), col("age"))
    names = orders.select(col("name")).distinct()
    sets = [
        names.union(people.select(col("person"))),
        names.minus(people.select(col("person"))),
        names.intersect(people.select(col("person"))),
    ]
    top = orders.order_by(col("revenue").desc).offset(1).fetch(2).select(col("revenue"))
    distinct = orders.select(
        col("name").count.distinct.alias("people"), col("revenue").avg.alias("mean"), col("revenue").max, col("revenue").min
    )
    in_list = orders.where(col("country").in_("DE", "FR") | col("revenue").between(75, 85)).select(col("name"))
    return [read(table) for table in (revenue, joined, outer, *sets, top, distinct, in_list)]
