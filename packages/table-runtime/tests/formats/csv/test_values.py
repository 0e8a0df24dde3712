"""Fields of CSV as values of the column's type."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableException, ValidationException
from table_common.types import ArrayType, LogicalType, RowType, parse_logical_type
from table_runtime.formats.csv.options import ARRAY_ELEMENT_DELIMITER
from table_runtime.formats.csv.values import parse_field, parts_of, refuse_types
from table_runtime.formats.text.forms import CSV
from table_runtime.formats.text.values import parser_of


def parsed(type_: str, texts: list[str | None], *, ignore: bool = False, **options: str) -> tuple[list[Any], tuple[int, str, str] | None]:
    column, failure = parse_field(pa.array(texts, pa.string()), parse_logical_type(type_), ReadableConfig(options), ignore)
    return column.to_pylist(), failure


@pytest.mark.parametrize(
    ("type_", "texts", "expected"),
    [
        ("INT", ["", None, "7"], [None, None, 7]),
        ("STRING", ["", None, " "], ["", None, " "]),
        ("BYTES", ["", "YQ=="], [b"", b"a"]),
        ("ARRAY<INT>", ["", None, "1", "1;;2"], [[], None, [1], [1, None, 2]]),
        ("ARRAY<STRING>", [";", "a;"], [["", ""], ["a", ""]]),
        ("ROW<a INT, b STRING>", ["", "1;x", ";"], [None, {"a": 1, "b": "x"}, {"a": None, "b": ""}]),
    ],
)
def test_an_empty_field_is_null_unless_it_can_be_a_value(type_: str, texts: list[str | None], expected: list[Any]) -> None:
    assert parsed(type_, texts) == (expected, None)


def test_options_say_what_is_between_parts_and_which_part_is_null() -> None:
    options = {"array-element-delimiter": "::", "null-literal": "-"}
    assert parsed("ARRAY<STRING>", ["a::-::;", "-"], **options) == ([["a", None, ";"], [None]], None)


@pytest.mark.parametrize(
    ("type_", "text", "reason"),
    [
        ("INT", "x", "it is not an integer"),
        ("ARRAY<TINYINT>", "1;300", "it is out of range"),
        ("ROW<a INT, b INT>", "1", "it has 1 elements, but the row has 2 fields"),
        ("ROW<a INT, b INT>", "1;2;3", "it has 3 elements, but the row has 2 fields"),
    ],
)
def test_the_first_text_that_is_no_value_is_reported_with_its_position(type_: str, text: str, reason: str) -> None:
    _, failure = parsed(type_, [None, text, text + "!"])
    assert failure == (1, text, reason)


@pytest.mark.parametrize(
    ("type_", "text", "expected"),
    [
        ("INT", "x", None),
        ("ARRAY<INT>", "1;x", [1, None]),
        ("ROW<a INT, b INT>", "x;2", {"a": None, "b": 2}),
        ("ROW<a INT, b INT>", "1", {"a": 1, "b": None}),
        ("ROW<a INT, b INT>", "1;2;3", None),
    ],
)
def test_errors_that_are_ignored_give_null_for_the_smallest_part(type_: str, text: str, expected: Any) -> None:
    assert parsed(type_, [text], ignore=True) == ([expected], None)


@pytest.mark.parametrize("type_", ["MAP<STRING, INT>", "ARRAY<ARRAY<INT>>", "ROW<a MULTISET<INT>>", "INTERVAL DAY TO SECOND(3)"])
def test_a_type_without_a_text_is_refused_with_the_column(type_: str) -> None:
    row_type = RowType.of([("a", parse_logical_type("INT")), ("b", parse_logical_type(type_))])
    with pytest.raises(TableException, match="does not support column 'b' of the type"):
        refuse_types(row_type)


def test_only_arrays_and_rows_have_parts() -> None:
    assert [str(part) for part in parts_of(parse_logical_type("ROW<a INT, b STRING>"))] == ["INT", "STRING"]
    assert [str(part) for part in parts_of(parse_logical_type("ARRAY<DATE>"))] == ["DATE"]
    assert parts_of(parse_logical_type("STRING")) == ()


def read_one(text: str | None, type_: LogicalType, *, ignore: bool) -> Any:
    """Reads a text of parts one part after the other."""
    if text is None:
        return None
    items = text.split(";") if text else []

    def part(item: str, inner: LogicalType) -> Any:
        if item == "null" or (not item and inner.summary() not in ("STRING", "BYTES")):
            return None
        try:
            return parser_of(inner, CSV)(item)
        except ValueError:
            if ignore:
                return None
            raise

    if isinstance(type_, ArrayType):
        return [part(item, type_.element_type) for item in items]
    fields = type_.fields  # type: ignore[attr-defined]
    if not items:
        return None
    if len(items) > len(fields) or (len(items) < len(fields) and not ignore):
        if ignore:
            return None
        raise ValueError(f"it has {len(items)} elements, but the row has {len(fields)} fields")
    read = [part(item, field.type) for item, field in zip(items, fields, strict=False)]
    return dict(zip((field.name for field in fields), read + [None] * (len(fields) - len(read)), strict=True))


@pytest.mark.parametrize("ignore", [False, True])
@pytest.mark.parametrize(
    "type_", ["ARRAY<INT>", "ARRAY<STRING>", "ARRAY<TIMESTAMP(3)>", "ROW<a INT, b STRING, c DECIMAL(5, 2)>", "ROW<a BYTES>"]
)
def test_parts_are_read_together_as_one_by_one(type_: str, *, ignore: bool) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    logical = parse_logical_type(type_)
    for _ in range(60):
        parts = random_.choice(
            [
                ["1", "2", "", "null"],
                ["1", "2.5", "x", "", "YQ=="],
                ["2020-01-01 00:00:00", "2020-02-30 00:00:00", "é", "null"],
                ["12.345", "7"],
            ]
        )
        texts = [
            random_.choice([None, "", *(";".join(random_.choices(parts, k=random_.choice([1, 2, 3, 3, 4]))) for _ in range(8))])
            for _ in range(5)
        ]
        values, failure, expected = [], None, None
        for position, text in enumerate(texts):
            try:
                values.append(read_one(text, logical, ignore=ignore))
            except ValueError as error:
                expected = (position, text, str(error))
                break
        column, failure = parse_field(pa.array(texts, pa.string()), logical, ReadableConfig({"null-literal": "null"}), ignore)
        column.validate(full=True)
        assert failure == expected, texts
        if failure is None:
            assert column.equals(pa.array(values, type=to_arrow_type(logical))), texts


def test_an_empty_separator_of_elements_is_refused() -> None:
    with pytest.raises(ValidationException, match="'array-element-delimiter' takes text that is not empty, but got ''"):
        ReadableConfig({"array-element-delimiter": ""}).get(ARRAY_ELEMENT_DELIMITER)
