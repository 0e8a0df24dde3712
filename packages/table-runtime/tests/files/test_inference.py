"""Columns of several files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_common.exceptions import ValidationException
from table_runtime.files import inferred_schema


def _columns(path: Path, format_: str) -> tuple[str, ...] | None:
    inferred = inferred_schema(str(path), format_, {}, "__DEFAULT__")
    return None if inferred is None else inferred.row_type.field_names


def _parquet(folder: Path, **files: list[str]) -> None:
    for name, columns in files.items():
        pq.write_table(pa.table({column: [1] for column in columns}), folder / f"{name}.parquet")


def test_columns_that_only_later_files_have_are_columns(tmp_path: Path) -> None:
    _parquet(tmp_path, f1=["a", "b"], f2=["a", "c"])
    assert _columns(tmp_path / "*.parquet", "parquet") == _columns(tmp_path, "parquet") == ("a", "b", "c")


@pytest.mark.parametrize(("second", "options"), [(["b", "a"], {}), (["a"], {"missing-columns": "null"})], ids=["equal", "fewer"])
def test_a_column_that_a_file_lacks_is_null(tmp_path: Path, second: list[str], options: dict[str, str]) -> None:
    _parquet(tmp_path, f1=["a", "b"], f2=second)
    inferred = inferred_schema(str(tmp_path), "parquet", {}, "__DEFAULT__")
    assert inferred is not None
    assert inferred.options == options


def test_the_last_of_many_files_is_looked_at(tmp_path: Path) -> None:
    for number in range(100, 120):
        (tmp_path / f"{number}.json").write_text('{"a": 1}\n' if number < 119 else '{"a": 1, "b": 2}\n')
    assert _columns(tmp_path, "json") == ("a", "b")


def test_a_header_with_more_columns_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "f1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "f2.csv").write_text("a,b,c\n1,2,3\n")
    with pytest.raises(ValidationException, match=r"f2.csv' has columns that the first file, '.*f1.csv', has not: c"):
        _columns(tmp_path, "csv")


def test_columns_without_names_are_those_of_the_first_file(tmp_path: Path) -> None:
    (tmp_path / "f1.csv").write_text("1,2\n")
    (tmp_path / "f2.csv").write_text("1,2,3\n")
    assert _columns(tmp_path, "csv") == ("f0", "f1")
