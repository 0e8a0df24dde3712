"""Windows and patterns that streaming mode refuses, before it reads rows."""

from __future__ import annotations

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import ValidationException

HOP = "TABLE(HOP(TABLE b, DESCRIPTOR(ts), INTERVAL '4' MINUTES, INTERVAL '10' MINUTES))"
PATTERN = "MATCH_RECOGNIZE (ORDER BY ts MEASURES A.p AS ap PATTERN (A B) DEFINE B AS B.p > A.p)"


def environment(mode: str) -> TableEnvironment:
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    env = TableEnvironment.create((builder.in_streaming_mode() if mode == "streaming" else builder.in_batch_mode()).build())
    options = "'connector' = 'datagen', 'number-of-rows' = '3'"
    env.execute_sql(f"CREATE TABLE b (i INT, p INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ({options})")
    return env


def test_an_aggregate_over_hop_requires_a_slide_that_divides_the_size() -> None:
    streaming, batch = environment("streaming"), environment("batch")
    aggregate = f"SELECT window_start, COUNT(*) AS c FROM {HOP} WHERE p > 0 GROUP BY window_start, window_end"
    with pytest.raises(ValidationException, match="a multiple of the slide, but the size is 10 min, the slide 4 min"):
        streaming.execute_sql(aggregate)
    batch.execute_sql(aggregate).wait()
    for sql in (f"SELECT * FROM {HOP}", f"SELECT i, COUNT(*) FROM {HOP} GROUP BY i", aggregate.replace("'4'", "'5'")):
        streaming.execute_sql(sql).wait()
    streaming.execute_sql("SELECT COUNT(*) FROM b GROUP BY HOP(ts, INTERVAL '4' MINUTES, INTERVAL '10' MINUTES)").wait()


def test_patterns_require_an_insert_only_input() -> None:
    last = "SELECT i, ts, p FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY i ORDER BY ts DESC) AS n FROM b) WHERE n = 1"
    changing = f"SELECT * FROM ({last}) {PATTERN}"
    with pytest.raises(
        ValidationException, match=r"MATCH_RECOGNIZE requires an insert-only input, .* updates or deletes rows: Deduplicate"
    ):
        environment("streaming").execute_sql(changing)
    environment("batch").execute_sql(changing).wait()
    environment("streaming").execute_sql(f"SELECT * FROM b {PATTERN}").wait()


@pytest.mark.parametrize(("one", "other"), [(0, 3), (3, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("name", ["TIMESTAMP", "TIMESTAMP_LTZ"])
def test_event_times_of_different_precisions_bound_an_interval_join(name: str, one: int, other: int) -> None:
    env = environment("streaming")
    for table, precision in (("x", one), ("y", other)):
        env.execute_sql(
            f"CREATE TABLE {table} (k INT, ts {name}({precision}), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
        )
    bounds = "x.ts BETWEEN y.ts - INTERVAL '2' SECOND AND y.ts"
    assert "IntervalJoin(" in env.explain_sql(f"SELECT x.k FROM x JOIN y ON x.k = y.k AND {bounds}")
    assert "IntervalJoin(" in env.explain_sql("SELECT x.k FROM x JOIN y ON x.ts = y.ts")
    env.execute_sql(f"SELECT x.k FROM x LEFT JOIN y ON x.k = y.k AND {bounds}").wait()


def test_a_cast_that_cuts_digits_is_no_event_time() -> None:
    cut = "CAST(x.ts AS TIMESTAMP(1))"
    sql = f"SELECT x.i FROM b AS x JOIN b AS y ON {cut} BETWEEN y.ts - INTERVAL '2' SECOND AND y.ts"
    assert "IntervalJoin(" not in environment("streaming").explain_sql(sql)
