from __future__ import annotations

from pathlib import Path

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.formats.csv.detection import detected_options, inferred_type


@pytest.mark.parametrize(
    ("content", "options", "columns"),
    [
        ("a,b\n1,x\n", {"header": "true"}, ["a BIGINT", "b STRING"]),
        ("1,x\n2,y\n", {}, ["f0 BIGINT", "f1 STRING"]),
        ("a,b\nc,d\n", {"header": "true"}, ["a STRING", "b STRING"]),  # nothing tells that it is a header, but most are
        ("a,b\nc,d\na,e\n", {}, ["f0 STRING", "f1 STRING"]),  # a value that is there twice
        ("a,b\n", {"header": "true"}, ["a STRING", "b STRING"]),
        (f"a,{'b' * 65}\nc,d\n", {}, ["f0 STRING", "f1 STRING"]),
        ("1,2\n3,4\n", {}, ["f0 BIGINT", "f1 BIGINT"]),
        ("a,a\n1,2\n", {"header": "true"}, ["a BIGINT", "a_2 BIGINT"]),
        ("a,a\nb,c\n", {}, ["f0 STRING", "f1 STRING"]),
        ("id;n\n1;2,5\n", {"field-delimiter": ";", "header": "true"}, ["id BIGINT", "n STRING"]),
        ("id\tn\n1\t2\n", {"field-delimiter": "\t", "header": "true"}, ["id BIGINT", "n BIGINT"]),
        ("id,day\n1,NA\nNA,2013-01-02\n", {"header": "true", "null-literal": "NA"}, ["id BIGINT", "day DATE"]),
        (
            "day,at,time,ok,x\n2013-01-02,2013-01-02 03:04:05,03:04:05,true,1.5\n",
            {"header": "true"},
            ["day DATE", "at TIMESTAMP(3)", "time TIME(0)", "ok BOOLEAN", "x DOUBLE"],
        ),
        ("at\n2013-01-02T03:04:05\n", {"header": "true"}, ["at STRING"]),  # the format has no T between date and time
        ("a,b\n,x\n,y\n", {"header": "true"}, ["a STRING", "b STRING"]),
        ("2024-1-1\t1e5\n2024-1-2\t2024-01-01\n", {"field-delimiter": "\t"}, ["f0 STRING", "f1 STRING"]),  # values, not names
        (",a,b\n0,1,x\n1,2,y\n", {"header": "true"}, ["f0 BIGINT", "a BIGINT", "b STRING"]),  # the index of pandas
        ("a,b,\n1,x,\n2,y,\n", {"header": "true"}, ["a BIGINT", "b STRING", "f2 STRING"]),
        (",x\n1,y\n2,z\n", {}, ["f0 BIGINT", "f1 STRING"]),  # the first row may have a NULL
        ("\n\na,b\n1,x\n", {"header": "true"}, ["a BIGINT", "b STRING"]),
        ("x,NA\ny,1\nz,2\n", {"null-literal": "NA"}, ["f0 STRING", "f1 BIGINT"]),  # NA is no name
        ('"x\ny",1\n"z\ny",2\n', {}, ["f0 STRING", "f1 BIGINT"]),
        ('a,b\n1,"x\ny"\n2,"x\ny"\n', {"header": "true"}, ["a BIGINT", "b STRING"]),
    ],
)
def test_options_and_types_are_detected(tmp_path: Path, content: str, options: dict[str, str], columns: list[str]) -> None:
    (tmp_path / "x.csv").write_text(content)
    assert detected_options(tmp_path / "x.csv", {}) == options
    row_type = inferred_type(tmp_path / "x.csv", options)
    assert row_type is not None
    assert [f"{field.name} {field.type.summary()}" for field in row_type.fields] == columns


def test_options_of_the_table_are_not_detected(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a;b\n1;NA\n")
    assert detected_options(tmp_path / "x.csv", {"header": "false", "field-delimiter": ",", "null-literal": "-"}) == {}


def test_an_empty_file_has_no_columns(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("")
    assert inferred_type(tmp_path / "x.csv", {}) is None


def test_a_value_far_behind_the_first_rows_is_considered(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n" + "1\n" * 500_000 + "x\n")
    row_type = inferred_type(tmp_path / "x.csv", {"header": "true"})
    assert row_type is not None
    assert row_type.fields[0].type.summary() == "STRING"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["01234", "2"], "STRING"),
        (["00", "07"], "STRING"),
        (["0", "10"], "BIGINT"),
        (["1", "9223372036854775808"], "DECIMAL(38, 0)"),
        (["18446744073709551615", "-5"], "DECIMAL(38, 0)"),
        (["1" * 39], "STRING"),
        (["012345678901234567890", "1"], "STRING"),
        (["1e20", "1"], "DOUBLE"),
        (["12345678901234567890", "0.5"], "DOUBLE"),
        (["+491701234567890123", "+12"], "STRING"),
        (["+5", "7"], "STRING"),
        (["+0.5", "-0.25"], "DOUBLE"),
        (["+5", "0.25"], "DOUBLE"),
        (["01.10", "10.3"], "STRING"),
        (["0.5", "-0.25"], "DOUBLE"),
        (["5.0", "7.0"], "DOUBLE"),
    ],
)
def test_numbers_keep_their_digits(tmp_path: Path, values: list[str], expected: str) -> None:
    (tmp_path / "x.csv").write_text("".join(f"{value},{position}\n" for position, value in enumerate(["a", *values])))
    row_type = inferred_type(tmp_path / "x.csv", {"header": "true"})
    assert row_type is not None
    assert row_type.fields[0].type.summary() == expected


@pytest.mark.parametrize("delimiter", [" ", "-", ",", ";"])
def test_codes_keep_their_digits_beside_other_numbers(tmp_path: Path, delimiter: str) -> None:
    (tmp_path / "x.csv").write_text(f"a{delimiter}b\n5{delimiter}007\n6{delimiter}8\n")
    row_type = inferred_type(tmp_path / "x.csv", {"header": "true", "field-delimiter": delimiter})
    assert row_type is not None
    assert [field.type.summary() for field in row_type.fields] == ["BIGINT", "STRING"]


def test_negative_codes_and_codes_beside_dates(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,c\n-007,2026-03-01,01.5\n-8,2026-03-02 09:00:00,2\n")
    row_type = inferred_type(tmp_path / "x.csv", {"header": "true"})
    assert row_type is not None
    assert [field.type.summary() for field in row_type.fields] == ["STRING", "STRING", "STRING"]


def test_numbers_with_leading_zeros_are_below_a_header(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("zip\n01234\n02345\n")
    assert detected_options(tmp_path / "x.csv", {}) == {"header": "true"}


def test_a_line_break_in_quotes_at_the_end_of_the_sample(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('"' + "x\n" * 200_000 + '",1\n"y",2\n')
    row_type = inferred_type(tmp_path / "x.csv", {})
    assert row_type is not None
    assert [field.type.summary() for field in row_type.fields] == ["STRING", "BIGINT"]


def test_a_header_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("\ufeffa,b\n1,2\n", encoding="utf-16-le")
    with pytest.raises(TableRuntimeException, match="is not UTF-8"):
        detected_options(tmp_path / "x.csv", {})
    assert detected_options(tmp_path / "x.csv", {"encoding": "utf-16"}) == {"header": "true"}


def test_records_of_other_widths(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3\n4,5,6\n")
    with pytest.raises(TableRuntimeException, match=r"Expected 2 columns, got 1: 3\n.*ignore_parse_errors => TRUE"):
        detected_options(tmp_path / "x.csv", {})
    assert detected_options(tmp_path / "x.csv", {"ignore-parse-errors": "true"}) == {"header": "true"}
    row_type = inferred_type(tmp_path / "x.csv", {"ignore-parse-errors": "true", "header": "true"})
    assert row_type is not None
    assert [str(field) for field in row_type.fields] == ["`a` BIGINT", "`b` BIGINT"]
