"""Windows of time in SQL and in the Table API: tumbling, sliding and over rows of a table with a watermark."""

import tempfile
from datetime import datetime
from pathlib import Path

from pyflink.table import DataTypes
from pyflink.table.expressions import CURRENT_ROW, UNBOUNDED_RANGE, UNBOUNDED_ROW, col, lit
from pyflink.table.window import Over, Slide, Tumble

EVENTS = [
    ("a", datetime(2024, 5, 1, 10, 0, 5), 1),
    ("a", datetime(2024, 5, 1, 10, 0, 25), 2),
    ("b", datetime(2024, 5, 1, 10, 0, 40), 3),
    ("a", datetime(2024, 5, 1, 10, 1, 10), 4),
]


def read(table):
    with table.execute().collect() as rows:
        return sorted(tuple(row) for row in rows)


def run(t_env):
    row_type = DataTypes.ROW(
        [DataTypes.FIELD("k", DataTypes.STRING()), DataTypes.FIELD("ts", DataTypes.TIMESTAMP(3)), DataTypes.FIELD("v", DataTypes.INT())]
    )
    events = t_env.from_elements(EVENTS, row_type)
    t_env.create_temporary_view("events", events)
    tumbling = t_env.sql_query(
        "SELECT k, window_start, window_end, SUM(v) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
        " GROUP BY k, window_start, window_end"
    )
    hopping = t_env.sql_query(
        "SELECT window_start, COUNT(*) FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '30' SECOND, INTERVAL '1' MINUTE))"
        " GROUP BY window_start, window_end"
    )
    group = (
        events.window(Tumble.over(lit(1).minutes).on(col("ts")).alias("w"))
        .group_by(col("w"), col("k"))
        .select(col("k"), col("w").start.alias("since"), col("w").end.alias("until"), col("v").sum.alias("total"))
    )
    slide = (
        events.window(Slide.over(lit(1).minutes).every(lit(30).seconds).on(col("ts")).alias("w"))
        .group_by(col("w"))
        .select(col("w").start, col("v").max)
    )
    numbers = t_env.from_elements([(1,), (2,), (3,), (4,), (5,)], ["n"])
    by_number = (
        numbers.window(Tumble.over(lit(2).millis).on(col("n")).alias("w"))
        .group_by(col("w"))
        .select(col("w").start.alias("since"), col("n").sum.alias("total"))
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        path.write_text("".join(f"{key};{at.isoformat(' ')};{value}\n" for key, at, value in EVENTS))
        t_env.execute_sql(
            "CREATE TEMPORARY TABLE timed (k STRING, ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts)"
            f" WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv', 'csv.field-delimiter' = ';')"
        )
        over_tables = list(map(read, over_windows(t_env.from_path("timed"))))
    return [*map(read, (tumbling, hopping, group, slide, by_number)), *over_tables]


def over_windows(events):
    over = events.over_window(
        Over.partition_by(col("k")).order_by(col("ts")).preceding(UNBOUNDED_RANGE).alias("r"),
    ).select(col("k"), col("v"), col("v").sum.over(col("r")))
    over_rows = events.over_window(
        Over.partition_by(col("k")).order_by(col("ts")).preceding(UNBOUNDED_ROW).following(CURRENT_ROW).alias("r"),
    ).select(col("k"), col("v"), col("v").count.over(col("r")))
    return over, over_rows
