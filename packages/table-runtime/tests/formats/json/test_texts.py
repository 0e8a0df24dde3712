"""Columns as JSON text: what a writer of single values gives."""

from __future__ import annotations

import base64
import json
import math
import random
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException
from table_common.types import parse_logical_type
from table_runtime.formats.json.texts import JsonStyle, quoted_texts, text_writer

TEXTS = ["", "x", "é😀", 'a"b', "\\", "\n\t\r\b\f", "\x00\x1f\x7f", "\u2028", "a" * 300, "null"]
NUMBERS = [
    0.0,
    -0.0,
    1.0,
    1.5,
    -100000.0,
    0.1,
    1e-4,
    9.9e-5,
    1e9,
    1e10,
    123456789012.5,
    1e16,
    1e22,
    1e-300,
    math.nan,
    math.inf,
    -math.inf,
    5e-324,
]
VALUES: dict[str, list[Any]] = {
    "STRING": TEXTS,
    "BOOLEAN": [True, False],
    "INT": [0, -1, 2**31 - 1],
    "BIGINT": [-(2**63), 2**63 - 1, 7],
    "DOUBLE": NUMBERS,
    "DECIMAL(10, 2)": [Decimal("0.00"), Decimal("-0.01"), Decimal("12345678.90")],
    "DECIMAL(38, 30)": [Decimal("0E-30"), Decimal("1E-30"), Decimal("12345678.9" + "0" * 29)],
    "DATE": [date(1, 1, 1), date(2020, 2, 29), date(9999, 12, 31)],
    "TIME(3)": [time(0), time(12, 34, 56, 789_000), time(23, 59, 59, 100_000)],
    "TIMESTAMP(6)": [
        datetime(1970, 1, 1),
        datetime(2020, 2, 29, 1, 2, 3, 120_000),
        datetime(1, 1, 1),
        datetime(9999, 12, 31, 23, 59, 59, 999_999),
    ],
    "TIMESTAMP_LTZ(3)": [datetime(2020, 2, 29, 1, 2, 3, 120_000, UTC), datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)],
    "BYTES": [b"", b"a", b"ab", b"abc", bytes(range(256))],
}
SHAPES = ["{}", "ARRAY<{}>", "ROW<a {}, b INT>", "MAP<STRING, {}>", "ARRAY<ROW<x ARRAY<{}>>>", "ROW<r ROW<m MAP<INT, {}>>>"]


def style(**options: Any) -> JsonStyle:
    return JsonStyle(**{
        "format_name": "json", "standard": "SQL", "null_key_mode": "FAIL", "null_key": "null", "ignore_null_fields": False, "plain_decimals": False, **options
    })  # fmt: skip


def written(value: Any, type_: pa.DataType, style_: JsonStyle) -> str:
    """Writes one value."""
    match value:
        case None:
            return "null"
        case list() if pa.types.is_map(type_):
            entries = {json.dumps(str(key), ensure_ascii=False): written(item, type_.item_type, style_) for key, item in value}
            return "{" + ",".join(f"{key}:{item}" for key, item in entries.items()) + "}"
        case list():
            return "[" + ",".join(written(item, type_.value_type, style_) for item in value) + "]"
        case dict():
            members = [
                (name, item, type_.field(name).type) for name, item in value.items() if item is not None or not style_.ignore_null_fields
            ]
            return "{" + ",".join(f"{json.dumps(name)}:{written(item, inner, style_)}" for name, item, inner in members) + "}"
        case float() if not math.isfinite(value):
            return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
        case Decimal():
            return format(value, "f") if style_.plain_decimals else str(value)
        case datetime():
            text = value.replace(tzinfo=None).isoformat(" " if style_.standard == "SQL" else "T")
            return f'"{text.rstrip("0") if "." in text else text}{"Z" if value.tzinfo else ""}"'
        case time():
            text = value.isoformat()
            return f'"{text.rstrip("0") if "." in text else text}"'
        case date():
            return f'"{value.isoformat()}"'
        case bytes():
            return f'"{base64.b64encode(value).decode()}"'
        case _:
            return json.dumps(value, ensure_ascii=False)


def random_value(random_: random.Random, type_: pa.DataType, leaves: list[Any]) -> Any:
    if random_.random() < 0.15:
        return None
    if pa.types.is_map(type_):
        keys = random_.sample(range(9), k=random_.randrange(4))
        return [(k if pa.types.is_int32(type_.key_type) else f"{k}\n", random_value(random_, type_.item_type, leaves)) for k in keys]
    if pa.types.is_list(type_):
        return [random_value(random_, type_.value_type, leaves) for _ in range(random_.randrange(4))]
    if pa.types.is_struct(type_):
        return {
            field.name: random_.choice([None, 5]) if field.name == "b" else random_value(random_, field.type, leaves) for field in type_
        }
    return random_.choice(leaves)


@pytest.mark.parametrize("options", [{}, {"standard": "ISO-8601", "plain_decimals": True, "ignore_null_fields": True}])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_column_is_written_as_its_values_are(shape: str, options: dict[str, Any]) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for leaf, leaves in VALUES.items():
        logical = parse_logical_type(shape.format(leaf))
        type_ = to_arrow_type(logical)
        values = [random_value(random_, type_, leaves) for _ in range(30)]
        texts = text_writer(logical, style(**options))(pa.array([None, *values], type_).slice(1))
        texts.validate(full=True)
        assert [text or "null" for text in texts.to_pylist()] == [written(value, type_, style(**options)) for value in values]


def test_a_32_bit_number_has_its_own_shortest_text() -> None:
    values = pa.array([0.1, 16777216.0, 1e20, None, 2.0], pa.float32())
    assert text_writer(parse_logical_type("FLOAT"), style())(values).to_pylist() == ["0.1", "16777216.0", "1e+20", None, "2.0"]


def test_of_equal_keys_the_last_value_takes_the_place_of_the_first() -> None:
    maps = pa.array([[("a", 1), ("b", 2), ("a", 3)], [("a", 4)], None], pa.map_(pa.string(), pa.int32()))
    write = text_writer(parse_logical_type("MAP<STRING, INT>"), style())
    assert write(maps).to_pylist() == ['{"a":3,"b":2}', '{"a":4}', None]


def test_special_characters_are_escaped() -> None:
    assert quoted_texts(pa.array(TEXTS)).to_pylist() == [json.dumps(text, ensure_ascii=False) for text in TEXTS]


def test_a_type_without_a_form_is_refused() -> None:
    with pytest.raises(TableException, match="does not support values of the type INTERVAL DAY"):
        text_writer(parse_logical_type("INTERVAL DAY TO SECOND(3)"), style())


def test_no_rows_of_a_batch_with_maps_are_written() -> None:
    write = text_writer(parse_logical_type("MAP<STRING, INT>"), style())
    maps = pa.array([[("a", 1)], [("b", 2)]], pa.map_(pa.string(), pa.int32()))
    assert write(maps.slice(1, 0)).to_pylist() == []
