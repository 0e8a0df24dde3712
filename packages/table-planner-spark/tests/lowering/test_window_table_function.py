"""Windows of time on Spark."""

from __future__ import annotations

from typing import Any

import pytest

TABLE = """(SELECT * FROM (VALUES
  ('a', TIMESTAMP '1969-12-31 23:58:30.123456789'), ('b', TIMESTAMP '1970-01-01 00:00:00'), ('a', TIMESTAMP '1970-01-01 00:07:00'),
  ('a', TIMESTAMP '1970-01-01 00:09:00'), (CAST(NULL AS STRING), TIMESTAMP '1970-01-01 00:09:00'), ('z', CAST(NULL AS TIMESTAMP(9)))
) AS t(k, ts))"""


def bounds(run: Any, function: str) -> list[Any]:
    """Returns for each row its key, and minute and second of start, end and time of its window."""
    columns = ", ".join(f"DATE_FORMAT({name}, 'mm:ss')" for name in ("ts", "window_start", "window_end", "window_time"))
    return sorted(map(tuple, run.rows(f"SELECT k, {columns} FROM {function.format(TABLE)}")), key=str)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            "TUMBLE({}, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' MINUTE)",
            [
                ("a", "07:00", "06:00", "11:00", "10:59"),
                ("a", "09:00", "06:00", "11:00", "10:59"),
                ("a", "58:30", "56:00", "01:00", "00:59"),
                ("b", "00:00", "56:00", "01:00", "00:59"),
                (None, "09:00", "06:00", "11:00", "10:59"),
            ],
        ),
        (
            "HOP({}, DESCRIPTOR(ts), INTERVAL '4' MINUTE, INTERVAL '6' MINUTE)",
            [
                ("a", "07:00", "04:00", "10:00", "09:59"),
                ("a", "09:00", "04:00", "10:00", "09:59"),
                ("a", "09:00", "08:00", "14:00", "13:59"),
                ("a", "58:30", "56:00", "02:00", "01:59"),
                ("b", "00:00", "00:00", "06:00", "05:59"),
                ("b", "00:00", "56:00", "02:00", "01:59"),
                (None, "09:00", "04:00", "10:00", "09:59"),
                (None, "09:00", "08:00", "14:00", "13:59"),
            ],
        ),
        (
            "CUMULATE({}, DESCRIPTOR(ts), INTERVAL '2' MINUTE, INTERVAL '4' MINUTE)",
            [
                ("a", "07:00", "04:00", "08:00", "07:59"),
                ("a", "09:00", "08:00", "10:00", "09:59"),
                ("a", "09:00", "08:00", "12:00", "11:59"),
                ("a", "58:30", "56:00", "00:00", "59:59"),
                ("b", "00:00", "00:00", "02:00", "01:59"),
                ("b", "00:00", "00:00", "04:00", "03:59"),
                (None, "09:00", "08:00", "10:00", "09:59"),
                (None, "09:00", "08:00", "12:00", "11:59"),
            ],
        ),
        (
            "SESSION(TABLE {} PARTITION BY k, DESCRIPTOR(ts), INTERVAL '2' MINUTE)",
            [
                ("a", "07:00", "07:00", "11:00", "10:59"),
                ("a", "09:00", "07:00", "11:00", "10:59"),
                ("a", "58:30", "58:30", "00:30", "00:30"),
                ("b", "00:00", "00:00", "02:00", "01:59"),
                (None, "09:00", "09:00", "11:00", "10:59"),
            ],
        ),
        (
            "SESSION({}, DESCRIPTOR(ts), INTERVAL '90' SECOND)",
            [
                ("a", "07:00", "07:00", "08:30", "08:29"),
                ("a", "09:00", "09:00", "10:30", "10:29"),
                ("a", "58:30", "58:30", "01:30", "01:29"),
                ("b", "00:00", "58:30", "01:30", "01:29"),
                (None, "09:00", "09:00", "10:30", "10:29"),
            ],
        ),
    ],
)
def test_rows_in_windows(run: Any, function: str, expected: list[Any]) -> None:
    if "SESSION" in function:
        run.environment.get_config().set("table.exec.session-windows-in-batch", "true")
    assert bounds(run, function) == expected
