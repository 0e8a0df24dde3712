"""Columns of JSON files that are inferred: dates and timestamps are as the format reads them, and numbers keep their digits."""

from __future__ import annotations

from pathlib import Path

import pytest

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
