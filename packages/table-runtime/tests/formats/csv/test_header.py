from __future__ import annotations

from pathlib import Path

import pytest

from table_common.exceptions import ValidationException
from table_common.types import BigIntType, RowType, VarCharType
from table_runtime.formats.csv.header import column_names, read_header, type_by_header
from table_runtime.formats.csv.records import CsvDialect

ID = RowType.of([("id", BigIntType())])


def test_names_are_trimmed_and_unique() -> None:
    assert column_names([" a ", "", "a", "a"]) == ["a", "f1", "a_2", "a_3"]


@pytest.mark.parametrize(
    ("content", "fields", "size"),
    [
        (b"a,b\n1,2\n", ["a", "b"], 4),
        (b"\xef\xbb\xbf\n\na\r\n1", ["a"], 5),
        (b'"x\ny",b', ["x\ny", "b"], 7),
        (b"", [], 0),
        (b"\n\n", [], 2),
    ],
)
def test_the_header_is_the_first_record_that_is_not_empty(tmp_path: Path, content: bytes, fields: list[str], size: int) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    assert read_header(tmp_path / "x.csv", CsvDialect()) == (fields, size)


def test_columns_of_the_header_have_the_declared_types() -> None:
    found = type_by_header(Path("x.csv"), ["other", "id"], ID, ID)
    assert found == RowType.of([("other", VarCharType()), ("id", BigIntType())]).with_nullability(False)


def test_a_column_that_the_header_lacks_is_refused_with_the_closest_name() -> None:
    with pytest.raises(ValidationException, match="Did you mean 'ids'"):
        type_by_header(Path("x.csv"), ["ids"], ID, ID)
