"""Columns of text as values: by kernels what the parsers of single texts give, whatever else is in the column."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.types import parse_logical_type
from table_runtime.formats.text.columns import converted, parse_column
from table_runtime.formats.text.forms import CSV, JSON_ISO, JSON_SQL, PARTITIONS, TextForms
from table_runtime.formats.text.values import parser_of

FORMS = {"csv": CSV, "sql": JSON_SQL, "iso": JSON_ISO, "partitions": PARTITIONS}
TYPES = [
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10, 2)", "DECIMAL(38, 38)", "DECIMAL(38, 0)", "BYTES"),
    *("DATE", "TIME(0)", "TIME(3)", "TIME(9)", "TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(3)"),
    *("TIMESTAMP_LTZ(9)", "STRING", "DECIMAL(5, 5)"),
]
CLOCKS = ["12:34:56", "12:34:56.", "12:34:56.1", "12:34:56.123456789", "23:59:59.999", "24:00:00", "12:60:00", "12:34:60", "12:34", "1:2:3"]
DAYS = ["2020-02-29", "2019-02-29", "2020-02-30", "2020-04-31", "2020-12-31", "2020-1-1", "0000-01-01", "0001-01-01", "9999-12-31"]
NUMBERS = [
    "0",
    "-0",
    "1",
    "-1",
    "+1",
    "007",
    " 5 ",
    "127",
    "128",
    "32768",
    "2147483647",
    "2147483648",
    "9223372036854775807",
    "0x1F",
    "1_0",
]
FRACTIONS = ["1.5", "1.005", "-1.005", "0.125", "99999999.994", "99999999.995", ".5", "5.", "1e2", "1E-7", "1e400", "-0.0", "nan", "NaN"]
LONG = [
    "0." + "3" * 38,
    "0." + "9" * 40,
    "9" * 38,
    "9" * 39,
    "1" * 30 + "." + "5" * 30,
    "16777217.000000001",
    "inf",
    "-Infinity",
    "0.000005",
]
WIDE_DECIMALS = ["9" * 256, "5" + "0" * 300, "-" + "9" * 1000, "1" + "9" * 31 + ".99", "9" * 27 + "." + "9" * 11, "9" * 28 + "." + "9" * 24]
WIDE_DECIMALS += ["1e-10000000", "1E-3000000", "-1e-999", "1e9999999"]
"""Arrow wraps around at the first, rounds the next ones to wrong digits, and ends the process at small exponents."""
OTHERS = ["", " ", "abc", "é", "true", "TRUE", "False", "YQ==", "YWI=", "YWJj", "YQ", "YQ==YQ==", "YWJj\r\nYWJj", "====", "YW==Jj", "+/+/"]
MOMENTS = [f"{day}{middle}{clock}{zone}" for day in DAYS for clock in CLOCKS for middle in " T" for zone in ("", "Z")]
TEXTS = [
    *CLOCKS,
    *DAYS,
    *NUMBERS,
    *FRACTIONS,
    *LONG,
    *OTHERS,
    *(f"{day} {clock}" for day in ("1677-01-01", "2262-12-01") for clock in CLOCKS),
]


def one_by_one(texts: list[str | None], type_: str, forms: TextForms) -> tuple[list[Any], list[int]]:
    parse, values, failures = parser_of(parse_logical_type(type_), forms), [], []
    for position, text in enumerate(texts):
        try:
            values.append(None if text is None else parse(text))
        except ValueError:
            values.append(None)
            failures.append(position)
    return pa.array(values, to_arrow_type(parse_logical_type(type_))), failures


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("type_", TYPES)
def test_a_column_has_the_values_of_its_texts(type_: str, form: str) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for pool in [TEXTS + MOMENTS, *[[text] for text in random_.sample(TEXTS + MOMENTS, 15)]]:
        texts: list[str | None] = [*pool, None]
        random_.shuffle(texts)
        padded = pa.array(["cut off", *texts, "cut off"], pa.string()).slice(1, len(texts))
        values, failures = converted(padded, parse_logical_type(type_), FORMS[form])
        expected, failed = one_by_one(texts, type_, FORMS[form])
        assert values.type == expected.type
        values.validate(full=True)
        # By repr, so that NaN equals NaN, and -0.0 does not equal 0.0.
        view = pa.int64() if pa.types.is_temporal(values.type) and values.type.bit_width == 64 else values.type
        assert repr(values.view(view).to_pylist()) == repr(expected.view(view).to_pylist()), texts
        assert (failures.to_pylist() if failures is not None else []) == failed, texts


USUAL = {
    **{key: ["0", "-5", "100", "7"] for key in ("TINYINT", "SMALLINT", "INT", "BIGINT")},
    **{key: ["1.5", "-0.0", "1e2", "0.1", "12"] for key in ("DOUBLE", "FLOAT")},
    **{key: ["1.25", "-3", "0.5", "123456.78"] for key in ("DECIMAL(10, 2)", "DECIMAL(38, 18)")},
    "DATE": ["2020-02-29", "1969-12-31", "0001-01-01", "9999-12-31"],
    **{key: ["12:34:56", "00:00:00", "23:59:59"] for key in ("TIME(0)", "TIME(3)", "TIME(9)")},
    **{key: ["2020-02-29 12:34:56", "1969-12-31 23:59:59"] for key in ("TIMESTAMP(0)", "TIMESTAMP(9)")},
    **{key: ["2020-02-29 12:34:56", "1969-12-31 23:59:59.5", "0001-01-01 00:00:00.125"] for key in ("TIMESTAMP(3)", "TIMESTAMP(6)")},
    "TIMESTAMP_LTZ(3)": ["2020-02-29 12:34:56Z", "1969-12-31 23:59:59.125Z"],
    "BOOLEAN": ["true", "false"],
    "BYTES": ["YQ==", "", "YWI=", "YWJj"],
}
CHARACTERS = "0123456789-+.:eExTZ ='é"
ROUNDS = 12


def damaged(random_: random.Random, text: str) -> str:
    """Returns the text with another character at some place, or with one more or less."""
    at = random_.randrange(len(text) + 1)
    return text[:at] + random_.choice(CHARACTERS) * random_.randrange(2) + text[at + random_.randrange(2) :]


@pytest.mark.parametrize("type_", USUAL)
def test_few_damaged_texts_do_not_change_the_other_values(type_: str) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for _ in range(ROUNDS):
        texts: list[str | None] = [random_.choice([*USUAL[type_], None]) for _ in range(random_.choice([1, 40, 200]))]
        for _ in range(random_.randrange(3)):
            at = random_.randrange(len(texts))
            texts[at] = damaged(random_, texts[at] or random_.choice(USUAL[type_]))
        values, failures = converted(pa.array(["x", *texts, "x"], pa.string()).slice(1, len(texts)), parse_logical_type(type_), JSON_SQL)
        expected, failed = one_by_one(texts, type_, JSON_SQL)
        view = pa.int64() if pa.types.is_temporal(values.type) and values.type.bit_width == 64 else values.type
        assert repr(values.view(view).to_pylist()) == repr(expected.view(view).to_pylist()), texts
        assert (failures.to_pylist() if failures is not None else []) == failed, texts


def test_the_first_failure_has_position_text_and_reason() -> None:
    texts = pa.array(["1", None, "x", "y"])
    column, failure = parse_column(texts, parse_logical_type("INT"), CSV)
    assert (column.to_pylist(), failure) == ([1, None, None, None], (2, "x", "it is not an integer"))
    assert parse_column(texts, parse_logical_type("INT"), CSV, ignore_errors=True)[1] is None


def test_few_texts_of_unusual_lengths_do_not_change_the_other_instants() -> None:
    texts = [f"2024-02-28 10:00:{number % 60:02}.5" for number in range(300)]
    texts[7:9] = ["2024-02-29 10:00:00.1234", "2024-99-01-01 00:00:00"]
    for some in (texts, texts[7:9], [None] * 200 + texts[7:8]):
        values, failures = converted(pa.array(some, pa.string()), parse_logical_type("TIMESTAMP(3)"))
        for text, value in zip(some, values.to_pylist(), strict=True):
            (expected,), _ = converted(pa.array([text], pa.string()), parse_logical_type("TIMESTAMP(3)"))
            assert value == expected.as_py(), text
        assert (failures is not None) == ("2024-99-01-01 00:00:00" in some)


def test_an_x_outside_of_a_slice_of_whole_numbers_does_not_matter_and_one_inside_is_refused() -> None:
    texts = pa.array(["0x1", "12", None, "3", "0X2"])
    assert converted(texts.slice(1, 3), parse_logical_type("INT"))[0].to_pylist() == [12, None, 3]
    for number in (0, 4):
        values, failures = converted(texts.slice(number, 1), parse_logical_type("INT"))
        assert failures is not None
        assert (values.to_pylist(), failures.to_pylist()) == ([None], [0])


@pytest.mark.parametrize("type_", ["DECIMAL(5, 0)", "DECIMAL(10, 2)", "DECIMAL(38, 0)", "DECIMAL(38, 10)", "DECIMAL(38, 38)"])
@pytest.mark.parametrize("text", WIDE_DECIMALS, ids=lambda text: text[:12])
def test_a_column_has_the_values_of_decimals_with_many_digits(text: str, type_: str) -> None:
    for texts in ([text], [text, "1"], [None, text, "0.125", "abc"]):
        values, failures = converted(pa.array(texts), parse_logical_type(type_), CSV)
        expected, failed = one_by_one(texts, type_, CSV)
        assert values.to_pylist() == expected.to_pylist()
        assert (failures.to_pylist() if failures is not None else []) == failed
