from __future__ import annotations

import json
from collections.abc import Callable

import pytest

Render = Callable[..., str]


def test_json_is_an_object_per_row(shown: Render) -> None:
    assert shown("SELECT * FROM (VALUES (1, 'ä'), (2, 'b')) AS t (n, s)", "json") == '{"n": 1, "s": "ä"}\n{"n": 2, "s": "b"}\n'


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("CAST(NULL AS INT)", None),
        ("TRUE", True),
        ("CAST(0.1 AS FLOAT)", 0.1),
        ("CAST(2.5 AS DOUBLE)", 2.5),
        ("CAST('NaN' AS DOUBLE)", "NaN"),
        ("CAST('-Infinity' AS DOUBLE)", "-Infinity"),
        ("1.50", "1.50"),
        ("DATE '2020-01-02'", "2020-01-02"),
        ("TIMESTAMP '2020-01-02 03:04:05.600'", "2020-01-02 03:04:05.600"),
        ("INTERVAL '1' DAY", "+1 00:00:00.000"),
        ("X'0aff'", "0aff"),
        ("ARRAY[1, CAST(NULL AS INT)]", [1, None]),
        ("MAP[1, 'x']", {"1": "x"}),
        ("CAST(ROW(1, 'x') AS ROW<a INT, b STRING>)", {"a": 1, "b": "x"}),
        ("ARRAY[CAST(ROW(1.5) AS ROW<a DECIMAL(2, 1)>)]", [{"a": "1.5"}]),
    ],
)
def test_json_writes_values_without_a_json_type_as_text(shown: Render, expression: str, value: object) -> None:
    assert json.loads(shown(f"SELECT {expression} AS v", "json")) == {"v": value}
