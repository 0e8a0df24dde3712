from __future__ import annotations

import pytest

from table_common.types import parse_logical_type
from table_common.types.injective_casts import is_injective_cast


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("INT", "INT NOT NULL"),
        ("CHAR(1)", "STRING"),
        ("VARCHAR(5)", "VARCHAR(5)"),
        ("VARCHAR(5)", "STRING"),
        ("INT", "BIGINT"),
        ("INT", "STRING"),
        ("TINYINT", "VARCHAR(4)"),
        ("BOOLEAN", "STRING"),
        ("INT", "DOUBLE"),
        ("SMALLINT", "FLOAT"),
        ("FLOAT", "DOUBLE"),
        ("INT", "DECIMAL(10, 0)"),
        ("DECIMAL(10, 2)", "DECIMAL(12, 4)"),
        ("DECIMAL(10, 2)", "STRING"),
        ("DATE", "TIMESTAMP(3)"),
        ("TIMESTAMP(3)", "TIMESTAMP(6)"),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP_LTZ(6)"),
        ("BYTES", "BYTES"),
        ("VARBINARY(3)", "BYTES"),
    ],
)
def test_casts_that_keep_different_values_different(source: str, target: str) -> None:
    assert is_injective_cast(parse_logical_type(source), parse_logical_type(target))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("BIGINT", "INT"),
        ("STRING", "VARCHAR(5)"),
        ("VARCHAR(3)", "CHAR(3)"),
        ("BINARY(3)", "BINARY(4)"),
        ("STRING", "INT"),
        ("TINYINT", "VARCHAR(3)"),
        ("BOOLEAN", "VARCHAR(4)"),
        ("BIGINT", "DOUBLE"),
        ("INT", "FLOAT"),
        ("DOUBLE", "FLOAT"),
        ("DOUBLE", "STRING"),
        ("DECIMAL(10, 2)", "DECIMAL(12, 1)"),
        ("DECIMAL(10, 2)", "DOUBLE"),
        ("DECIMAL(10, 2)", "VARCHAR(30)"),
        ("TIMESTAMP(6)", "TIMESTAMP(3)"),
        ("TIMESTAMP(3)", "DATE"),
        ("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)"),
        ("TIMESTAMP_LTZ(3)", "STRING"),
    ],
)
def test_casts_that_may_make_two_values_equal(source: str, target: str) -> None:
    assert not is_injective_cast(parse_logical_type(source), parse_logical_type(target))
