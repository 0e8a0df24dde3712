"""Hash codes of Java's classes; the numbers are those of Java itself."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.types import parse_logical_type
from table_runtime.kernels.support.java_hash import hashed


@pytest.mark.parametrize(
    ("type_text", "value", "expected"),
    [
        ("BOOLEAN", True, 1231),
        ("TINYINT", -128, -128),
        ("BIGINT", 12345678901, -539222985),
        ("FLOAT", 1.5, 1069547520),
        ("DOUBLE", -0.0, -2147483648),
        ("DECIMAL(3, 1)", Decimal("-1.5"), -464),
        ("STRING", "ABCDEFGHIJKLMNOP", 1819422456),
        ("STRING", "polygenelubricants", -2147483648),
        ("DATE", 18262, 18262),
        ("TIME(6)", 43_200_123_456, 43200123),
        ("TIMESTAMP(3)", -1000, 0),
        ("TIMESTAMP(9)", 1577880000123456789, -1102068799),
    ],
)
def test_hash_code(type_text: str, value: Any, expected: int) -> None:
    type_ = parse_logical_type(type_text)
    values, hash_code = hashed(pa.array([value], to_arrow_type(type_)), type_)
    assert hash_code(values.to_pylist()[0]) == expected
