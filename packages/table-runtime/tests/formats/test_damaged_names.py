"""Names of fields that are no text, in files that are damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc, parquet

from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats import ReadTask, file_format

WRITERS: dict[str, Any] = {
    "parquet": lambda table, path: parquet.write_table(
        table, path, compression="none", store_schema=False, column_encoding="PLAIN", use_dictionary=False
    ),
    "orc": lambda table, path: orc.write_table(table, path, compression="uncompressed"),
}


@pytest.mark.parametrize("format_", ["parquet", "orc"])
@pytest.mark.parametrize("name", ["inner_field", "outer_field"])
def test_a_name_that_is_no_text_is_a_damaged_file(tmp_path: Path, format_: str, name: str) -> None:
    file = tmp_path / "file"
    WRITERS[format_](pa.table({"outer_field": [{"inner_field": 1}], "id": [1]}), file)
    damaged = file.read_bytes().replace(name.encode(), b"\xa7" + name.encode()[1:])
    file.write_bytes(damaged)
    row_type = RowType.of(
        [("id", parse_logical_type("BIGINT")), ("outer_field", parse_logical_type("ROW<inner_field BIGINT>"))], nullable=False
    )
    task = ReadTask(file, row_type, row_type.field_names, {}, nulls_for_missing_columns=True)
    with pytest.raises(TableRuntimeException, match="cannot be read: 'utf-8' codec"):
        [piece() for piece in file_format(format_).read(task)]
