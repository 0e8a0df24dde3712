"""Windows of time over columns of all timestamp types."""

from __future__ import annotations

from typing import Any

import pytest

LOCAL = "(VALUES (1, TIMESTAMP '1969-12-31 23:58:30.123456789'), (2, TIMESTAMP '1970-01-01 00:00:00')) AS t(k, ts)"


@pytest.mark.parametrize(
    ("precision", "last"),
    [(0, "1969-12-31 23:59:59"), (3, "1969-12-31 23:59:59.999"), (6, "1969-12-31 23:59:59.999000"), (9, "1969-12-31 23:59:59.999000000")],
)
def test_windows_before_1970_over_each_precision(query: Any, precision: int, last: str) -> None:
    table = f"(SELECT k, CAST(ts AS TIMESTAMP({precision})) AS ts FROM {LOCAL})"
    columns = "CAST(window_start AS STRING), CAST(window_end AS STRING), CAST(window_time AS STRING)"
    rows = query(f"SELECT {columns} FROM TUMBLE({table}, DESCRIPTOR(ts), INTERVAL '5' MINUTE) WHERE k = 1")
    assert rows == [("1969-12-31 23:55:00.000", "1970-01-01 00:00:00.000", last)]


@pytest.mark.parametrize(
    ("instant", "start", "end", "last"),
    [
        # Clocks go from 01:59 to 03:00: the day's second window begins at a time that they do not show.
        (1_615_705_200_000, "2021-03-14 02:00:00.000", "2021-03-14 04:00:00.000", 1_615_708_799_999),
        # Clocks show 01:00 to 01:59 twice, and both hours are in one window, whose last millisecond is that of the first.
        (1_636_262_999_000, "2021-11-07 00:00:00.000", "2021-11-07 02:00:00.000", 1_636_264_799_999),
        (1_636_266_599_000, "2021-11-07 00:00:00.000", "2021-11-07 02:00:00.000", 1_636_264_799_999),
    ],
)
def test_windows_of_instants_are_those_of_local_clocks(env: Any, query: Any, instant: int, start: str, end: str, last: int) -> None:
    env.get_config().set("table.local-time-zone", "America/New_York")
    expected = f"window_time = TO_TIMESTAMP_LTZ({last}, 3)"
    table = f"(SELECT TO_TIMESTAMP_LTZ({instant}, 3) AS ts)"
    rows = query(
        f"SELECT CAST(window_start AS STRING), CAST(window_end AS STRING), {expected} FROM TUMBLE({table}, DESCRIPTOR(ts), INTERVAL '2' HOUR)"
    )
    assert rows == [(start, end, True)]


def test_plans_show_the_window(env: Any) -> None:
    text = env.explain_sql(f"SELECT k FROM TABLE(HOP((SELECT * FROM {LOCAL}), DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR))")
    assert "WindowTableFunction(HOP(time_col=[ts], slide=[5 min], size=[1 h]))" in text


def test_a_filter_on_other_columns_than_the_partition_sees_the_whole_session(env: Any, query: Any) -> None:
    env.get_config().set("table.exec.session-windows-in-batch", "true")
    rows = query(
        "SELECT k, v, CAST(window_end AS STRING) FROM TABLE(SESSION(TABLE (SELECT * FROM (VALUES (1, 1, TIMESTAMP '2020-01-01 00:00:00'), "
        "(1, 2, TIMESTAMP '2020-01-01 00:00:30'), (2, 1, TIMESTAMP '2020-01-01 00:00:00')) AS t(k, v, ts)) PARTITION BY k, "
        "DESCRIPTOR(ts), INTERVAL '1' MINUTE)) WHERE v = 1 AND k = 1"
    )
    assert rows == [(1, 1, "2020-01-01 00:01:30.000")]
