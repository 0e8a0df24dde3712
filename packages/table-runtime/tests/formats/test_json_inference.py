"""Dates and timestamps of JSON files whose columns are inferred: as the format reads them."""

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
