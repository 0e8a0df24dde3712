from __future__ import annotations

from table_common.types import length_limits, parse_logical_type, without_lengths

NESTED = parse_logical_type("ROW<a ARRAY<CHAR(3)>, m MAP<VARCHAR(2), BINARY(4) NOT NULL>, s STRING, b BYTES>")


def test_parts_with_a_length_are_found_in_rows_arrays_and_maps() -> None:
    found = [(limit.steps, limit.path, limit.type.summary(), limit.length, limit.is_exact) for limit in length_limits(NESTED, "r")]
    assert found == [
        ((0, "element"), "r.a[element]", "CHAR(3)", 3, True),
        ((1, "key"), "r.m[key]", "VARCHAR(2)", 2, False),
        ((1, "value"), "r.m[value]", NESTED.fields[1].type.value_type.summary(), 4, True),  # type: ignore[attr-defined]
    ]


def test_a_type_without_lengths_keeps_the_rest() -> None:
    plain = parse_logical_type("ROW<a ARRAY<STRING>, m MAP<STRING, BYTES NOT NULL>, s STRING, b BYTES>")
    assert without_lengths(NESTED) == plain
    assert without_lengths(plain) == plain
