"""Columns of JSON files that are inferred: dates and timestamps are as the format reads them, and numbers keep their digits."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.files.inference import inferred_schema
from table_runtime.formats import ReadTask, file_format


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        (['"2024-02-29"', "null", '"0001-01-01"'], {}, "DATE"),
        (['"2024-01-01 10:00:00"', '"1969-12-31 23:59:59"'], {}, "TIMESTAMP(3)"),
        (['"2024-01-01 10:00:00Z"'], {}, "TIMESTAMP_LTZ(3)"),
        (['"2024-01-01T10:00:00"'], {}, "STRING"),
        (['"2024-01-01T10:00:00Z"'], {}, "STRING"),
        (['"2024-01-01T10:00:00"'], {"timestamp-format.standard": "ISO-8601"}, "TIMESTAMP(3)"),
        (['"2024-01-01T10:00:00Z"'], {"timestamp-format.standard": "ISO-8601"}, "TIMESTAMP_LTZ(3)"),
        (['"2024-01-01T10:00:00+02:00"'], {"timestamp-format.standard": "ISO-8601"}, "STRING"),
        (['"2024-01-01"', '"2024-01-01 10:00:00"'], {}, "STRING"),
        (['["2024-01-01"]', "[null]", "[]", "null"], {}, "ARRAY<DATE>"),
        (['{"x":[{"y":"2024-01-01T10:00:00Z"}]}', '{"z":"2024-01-01","n":null}'], {}, None),
    ],
)
def test_times_are_inferred_as_they_are_read(tmp_path: Path, values: list[str], options: dict[str, str], expected: str | None) -> None:
    path = tmp_path / "x.json"
    path.write_text("".join(f'{{"a":{value},"b":null}}\n' for value in values))
    row_type = file_format("json").infer_type(path, options)
    assert row_type is not None
    summary = row_type.fields[0].type.summary()
    assert summary == (expected or "ROW<`x` ARRAY<ROW<`y` STRING>>, `z` DATE, `n` STRING>")
    pieces = list(file_format("json").read(ReadTask(path, row_type, ("a",), options)))
    assert sum(piece().num_rows for piece in pieces) == len(values)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "18446744073709551615", "null"], "DECIMAL(38, 0)"),
        (["9223372036854775807"], "BIGINT"),
        (["12345678901234567890", "0.5"], "DOUBLE"),
        (["1e20"], "DOUBLE"),
        (["1" * 39], "DOUBLE"),
    ],
)
def test_whole_numbers_beyond_bigint_keep_their_digits(tmp_path: Path, values: list[str], expected: str) -> None:
    (tmp_path / "x.json").write_text("".join(f'{{"a":{value}}}\n' for value in values))
    row_type = file_format("json").infer_type(tmp_path / "x.json", {})
    assert row_type is not None
    assert row_type.fields[0].type.summary() == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (['{"b":18446744073709551615,"c":0.5}', '{"b":1}', "null"], "ROW<`b` DECIMAL(38, 0), `c` DOUBLE>"),
        (["[18446744073709551615, 1]", "[]", "null"], "ARRAY<DECIMAL(38, 0)>"),
        (['[{"b":[18446744073709551615]}]'], "ARRAY<ROW<`b` ARRAY<DECIMAL(38, 0)>>>"),
        (['{"b":18446744073709551615}', '{"b":0.5}'], "ROW<`b` DOUBLE>"),
    ],
)
def test_nested_whole_numbers_keep_their_digits(tmp_path: Path, values: list[str], expected: str) -> None:
    path = tmp_path / "x.json"
    path.write_text("".join(f'{{"a":{value}}}\n' for value in values))
    row_type = file_format("json").infer_type(path, {})
    assert row_type is not None
    assert row_type.fields[0].type.summary() == expected
    (piece,) = file_format("json").read(ReadTask(path, row_type, ("a",), {}))
    assert ("18446744073709551615" in str(piece().column(0).to_pylist())) == ("DECIMAL" in expected)


@pytest.mark.parametrize(("format_", "line", "rest"), [("json", '{"a":%s}\n', "0.5"), ("csv", "%s\n", "0.5")])
def test_long_numbers_are_text_if_a_later_one_may_have_a_fraction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_: str, line: str, rest: str
) -> None:
    monkeypatch.setattr("table_runtime.formats.lines.BLOCK_BYTES", 256)
    monkeypatch.setattr("table_runtime.formats.csv.blocks.BLOCK_BYTES", 256)
    path = tmp_path / f"x.{format_}"
    path.write_text(line % "18446744073709551615" * 100 + line % rest)
    row_type = file_format(format_).infer_type(path, {})
    assert row_type is not None
    assert row_type.fields[0].type.summary() == "STRING"
    values = [
        value
        for piece in file_format(format_).read(ReadTask(path, row_type, row_type.field_names, {}))
        for value in piece().column(0).to_pylist()
    ]
    assert values == ["18446744073709551615"] * 100 + [rest]


def test_long_numbers_are_text_if_there_are_other_files(tmp_path: Path) -> None:
    for name, value in (("a", "[18446744073709551615]"), ("b", "[0.5]")):
        (tmp_path / f"{name}.json").write_text(f'{{"a":{value},"b":1}}\n')
    schema = inferred_schema(str(tmp_path), "json", {}, "")
    assert schema is not None
    assert [field.type.summary() for field in schema.row_type.fields] == ["ARRAY<STRING>", "BIGINT"]


def test_with_ignored_errors_the_columns_are_those_of_the_lines_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    deep = '{"z": ' + "[" * 1_000 + "]" * 1_000 + "}"
    path.write_bytes(b'{"a": 1}\n{"b":\n[{"c": 2}]\n\xff\n' + deep.encode() + b'\n{"a": 2, "d": "x"}\n')
    found = file_format("json").infer_type(path, {"ignore-parse-errors": "true"})
    assert found is not None
    assert found.field_names == ("a", "c", "d")  # the reader takes the objects of an array as rows, too
    with pytest.raises(TableRuntimeException, match="line 2"):
        file_format("json").infer_type(path, {})


@pytest.mark.parametrize(
    ("values", "expected", "needed"),
    [
        (['"2024-01-02T03:04:05Z"', "null"], "TIMESTAMP_LTZ(3)", True),
        (['"2024-01-02T03:04:05"'], "TIMESTAMP(3)", True),
        (['"2024-01-02T03:04:05.123Z"', '"2024-01-02T03:04:05Z"'], "TIMESTAMP_LTZ(3)", True),
        (['"2024-01-02T03:04:05.123456"'], "TIMESTAMP(6)", True),
        (['"2024-01-02 03:04:05.5"'], "TIMESTAMP(3)", False),
        (['{"x":["2024-01-02T03:04:05.123456789Z"]}'], "ROW<`x` ARRAY<TIMESTAMP_LTZ(9)>>", True),
        (['"2024-01-02"'], "DATE", False),
        (['"2024-01-02T03:04:05.123Z"', '"soon"'], "STRING", False),
        (['"2024-01-02T03:04:05+02:00"'], "STRING", False),
        (['"2024-01-02T03:04:05Z"', '"2024-01-02 03:04:05Z"'], "STRING", False),
    ],
)
def test_a_file_with_iso_times_is_read_in_that_form(tmp_path: Path, values: list[str], expected: str, needed: bool) -> None:
    path = tmp_path / "x.json"
    path.write_text("".join(f'{{"a":{value}}}\n' for value in values))
    schema = inferred_schema(str(path), "json", {}, "-")
    assert schema is not None
    assert schema.row_type.fields[0].type.summary() == expected
    assert schema.options == ({"json.timestamp-format.standard": "ISO-8601"} if needed else {})
    options = {key.removeprefix("json."): value for key, value in schema.options.items()}
    pieces = list(file_format("json").read(ReadTask(path, schema.row_type, ("a",), options)))
    assert sum(piece().num_rows for piece in pieces) == len(values)


def test_times_in_both_forms_keep_the_form_of_sql(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a":"2024-01-02 03:04:05","b":"2024-01-02T03:04:05"}\n')
    schema = inferred_schema(str(path), "json", {}, "-")
    assert schema is not None
    assert [field.type.summary() for field in schema.row_type.fields] == ["TIMESTAMP(3)", "STRING"]
    assert schema.options == {}
