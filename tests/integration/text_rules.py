"""Texts in JSON and CSV and their values by type: the rules of docs/guide/formats.md as cases. Each was compared with Flink 2.3; ``# not Flink's`` marks differences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple

REFUSED = object()
"""The value is an error, NULL where errors are ignored."""

JSON_VALUES: dict[str, list[tuple[str, Any]]] = {
    "BOOLEAN": [
        *[("true", True), ('"true"', True), ('"TRUE"', True), ('" false "', False), ("null", None)],
        *[("1", REFUSED), ("0", REFUSED), ('""', REFUSED), ('"yes"', REFUSED), ("[true]", REFUSED)],  # not Flink's: FALSE
    ],
    "TINYINT": [("127", 127), ('"-5"', -5), ("128", REFUSED), ("1.7", REFUSED), ("true", REFUSED)],
    "SMALLINT": [("32767", 32767), ("32768", REFUSED), ("1e2", REFUSED)],
    "INT": [
        *[("1", 1), ("-0", 0), ("1.9", 1), ("-1.5", -1), ("1e2", 100), ('"1"', 1), ('" +1 "', 1)],
        *[('"1.5"', REFUSED), ('"1e2"', REFUSED), ('""', REFUSED), ('"0x1"', REFUSED), ('"1_0"', REFUSED), ("true", REFUSED)],
        *[("2147483648", REFUSED), ("2147483647.5", REFUSED), ("1e400", REFUSED), ("[1]", REFUSED), ("{}", REFUSED)],
    ],
    "BIGINT": [("9223372036854775807", 2**63 - 1), ("1e18", 10**18), ("9223372036854775808", REFUSED), ("1e999999999", REFUSED)],
    "FLOAT": [("1.5", 1.5), ("16777217", 16777216.0), ("1e39", inf), ('"-Infinity"', -inf), ('"inf"', REFUSED), ("true", REFUSED)],
    "DOUBLE": [
        *[("1", 1.0), ("1e400", inf), ("-1e400", -inf), ("1e-400", 0.0), ('"Infinity"', inf), ('" 1.5 "', 1.5)],
        *[('"nan"', REFUSED), ('"INF"', REFUSED), ('"1_0"', REFUSED), ('""', REFUSED), ("[]", REFUSED)],
    ],
    "DECIMAL(10, 2)": [
        *[("1.005", Decimal("1.01")), ('"1.005"', Decimal("1.01")), ("1e2", Decimal("100.00")), ('" 1 "', Decimal("1.00"))],
        *[("99999999.995", REFUSED), ("12345678901", REFUSED), ("1e400", REFUSED)],  # not Flink's: NULL
        *[('"NaN"', REFUSED), ('"1_0"', REFUSED), ("true", REFUSED), ('""', REFUSED)],
    ],
    "DECIMAL(38, 18)": [
        ("1234567890123456789.0123456789", Decimal("1234567890123456789.012345678900000000")),
        ("123456789012345678901234567890.5", REFUSED),  # not Flink's: NULL
    ],
    "STRING": [
        *[('"a"', "a"), ("1.50", "1.50"), ("1E+2", "1E+2"), ("-0", "-0"), ("1.23456789012345678901", "1.23456789012345678901")],
        *[("true", "true"), ("null", None), ('"null"', "null"), ('"\\u00e9"', "é"), ('"\\ud83d\\ude00"', "\U0001f600"), ('""', "")],
        ('{"a": 1.50, "b": [1e2, null]}', '{"a":1.50,"b":[1e2,null]}'),  # not Flink's: 1.5 and 100.0
    ],
    "CHAR(3)": [('"a"', "a"), ('"abcd"', "abcd"), ('""', "")],
    "VARCHAR(3)": [('"abcd"', "abcd"), ("1234", "1234")],
    "BYTES": [('"YQ=="', b"a"), ('""', b""), ('"YWJj\\r\\nYWJj"', b"abcabc"), ('"YQ"', REFUSED), ('"-_8="', REFUSED), ("1", REFUSED)],
    "BINARY(2)": [('"YWJj"', b"abc")],
    "DATE": [
        ('"2020-01-31"', date(2020, 1, 31)),
        *[('"2020-1-1"', REFUSED), ('"2020-01-01T00:00:00"', REFUSED), ('"20200101"', REFUSED), ('" 2020-01-01"', REFUSED)],
        *[("18262", REFUSED), ('"2020-02-30"', REFUSED), ('"0000-01-01"', REFUSED)],  # not Flink's: year 0
    ],
    "TIME(3)": [
        *[('"12:34:56"', time(12, 34, 56)), ('"12:34:56.123456"', time(12, 34, 56, 123_000))],
        *[
            ('"12:34"', REFUSED),
            ('"1:2:3"', REFUSED),
            ('"12:34:56Z"', REFUSED),
            ('"24:00:00"', REFUSED),
        ],  # not Flink's: 24:00:00 is 00:00:00
    ],
    "TIMESTAMP(3)": [
        ('"2020-01-01 12:34:56"', datetime(2020, 1, 1, 12, 34, 56)),
        ('"2020-01-01 12:34:56."', datetime(2020, 1, 1, 12, 34, 56)),
        ('"2020-01-01 12:34:56.123456"', datetime(2020, 1, 1, 12, 34, 56, 123_000)),  # not Flink's: six digits
        *[('"2020-01-01T12:34:56"', REFUSED), ('"2020-01-01 12:34"', REFUSED), ('"2020-01-01"', REFUSED), ("1577880896", REFUSED)],
        *[('"2020-01-01 12:34:56Z"', REFUSED), ('"2020-01-01 12:34:56.1234567891"', REFUSED)],
        *[('"2020-02-30 00:00:00"', REFUSED), ('"2020-01-01 24:00:00"', REFUSED)],  # not Flink's: the next possible one
    ],
    "TIMESTAMP_LTZ(3)": [
        ('"2020-01-01 12:34:56Z"', datetime(2020, 1, 1, 12, 34, 56, tzinfo=UTC)),
        *[('"2020-01-01 12:34:56"', REFUSED), ('"2020-01-01 12:34:56+01:00"', REFUSED)],
    ],
    "ARRAY<INT>": [("[1, null]", [1, None]), ("[]", []), ('["1"]', [1]), ("1", REFUSED), ("{}", REFUSED), ('""', REFUSED)],
    "ARRAY<DECIMAL(38, 10)>": [("[1234567890123456789.0123456789]", [Decimal("1234567890123456789.0123456789")])],
    "MAP<STRING, INT>": [('{"a": 1, "b": null}', [("a", 1), ("b", None)]), ("[]", REFUSED), ('"a"', REFUSED)],
    "MULTISET<STRING>": [('{"a": 2}', [("a", 2)])],
    "ROW<a INT, b DECIMAL(38, 10)>": [
        ('{"a": 1, "b": 1234567890123456789.0123456789}', {"a": 1, "b": Decimal("1234567890123456789.0123456789")}),
        *[('{"c": 1}', {"a": None, "b": None}), ("[1, 2]", REFUSED), ('"x"', REFUSED)],
    ],
}
JSON_LINES: dict[str, list[int | None] | str] = {
    '{"m":1}{"m":2}': "Extra data",  # not Flink's, which leaves out what follows, here and below
    '{"m":1} x': "Extra data",
    '{"m":1},': "Extra data",
    '{"m":1}]': "Extra data",
    '[{"m":1},{"m":2}]': [1, 2],
    "[]": [],
    "[1]": "it is not an object",
    "null": "it is not an object",
    "1": "it is not an object",
    '"a"': "it is not an object",
    "": [],
    "  \r": [],  # not Flink's: blanks are an error
    '\ufeff{"m":1}': [1],
    '{"m":1}\r': [1],
    '{"M":1}': [None],
    "{}": [None],
    '{"m":1,"m":2}': [2],
    '{"m":1,"z":{"a":[1,{}]}}': [1],
    '{"m":NaN}': "NaN is not a JSON number",
    '{"m":1,"z":-Infinity}': "-Infinity is not a JSON number",
    '{"m":01}': "not a JSON object",
    '{"m":+1}': "not a JSON object",
    "{'m':1}": "not a JSON object",
    '{"m":1,}': "not a JSON object",
    '{"m":1': "not a JSON object",
    '{"m":1,"z":"\\ud800"}': "half of a surrogate pair",
}

CSV_VALUES: dict[str, list[tuple[str, Any]]] = {
    "BOOLEAN": [("true", True), (" TRUE ", True), ("false", False), ("", None), ("1", REFUSED), ("yes", REFUSED)],  # not Flink's: FALSE
    "TINYINT": [("127", 127), ("\t127 ", 127), ("128", REFUSED)],
    "INT": [
        (" +1 ", 1),
        (" \x01" + "1", 1),
        ('" 1 "', 1),
        ("\u00a01", REFUSED),
        ("\u20031", REFUSED),
        (' "1"', REFUSED),
        ("007", 7),
        ("", None),
        ("1.5", REFUSED),
        ("1e2", REFUSED),
        (" ", REFUSED),
        ("0x1", REFUSED),
        ("1_0", REFUSED),
    ],
    "BIGINT": [(" 1 ", 1), ("9223372036854775808", REFUSED)],
    "FLOAT": [("1e39", inf), ("0.1", 0.10000000149011612)],
    "DOUBLE": [
        ("1e400", inf),
        (" 1.5\t", 1.5),
        ("\u00a01.5", REFUSED),
        ("-Infinity", -inf),
        (".5", 0.5),
        ("nan", REFUSED),
        ("inf", REFUSED),
    ],
    "DECIMAL(10, 2)": [
        ("1.005", Decimal("1.01")),
        ("1e2", Decimal("100.00")),
        ("12345678901", REFUSED),
        ("NaN", REFUSED),
        (" 1.5 ", Decimal("1.50")),
    ],  # blanks: not Flink's
    "DECIMAL(38, 18)": [("1234567890123456789.0123456789", Decimal("1234567890123456789.0123456789"))],
    "STRING": [("", ""), (" a ", " a "), ("é", "é")],
    "CHAR(3)": [("", ""), ("a", "a"), ("abcd", "abcd")],
    "BYTES": [
        ("", b""),
        ("YQ==", b"a"),
        (" YQ==\t", b"a"),
        ("  ", b""),
        ("\u00a0YQ==", REFUSED),
        ('"YWJj\r\nYWJj"', b"abcabc"),
        ("YQ", REFUSED),
        ("!!", REFUSED),
    ],
    "DATE": [
        *[("2020-01-31", date(2020, 1, 31)), ("2020-1-1", date(2020, 1, 1)), ("", None)],
        *[("2020-01-01T00:00:00", REFUSED), ("2020-01-01 00:00:00", REFUSED), ("20200101", REFUSED), (" 2020-01-01", REFUSED)],
        *[("2020-01-01 ", REFUSED), ('"2020-01-01" ', date(2020, 1, 1))],
        ("2020-02-30", REFUSED),  # not Flink's: March 1
    ],
    "TIME(3)": [
        (" 12:34:56", REFUSED),
        ("12:34:56 ", REFUSED),
        ("12:34:56.123456", time(12, 34, 56, 123_000)),
        ("12:34", time(12, 34)),
        ("24:00:00", REFUSED),
        ("1:2:3", REFUSED),
    ],
    "TIMESTAMP(3)": [
        ("2020-01-01 12:34:56.123", datetime(2020, 1, 1, 12, 34, 56, 123_000)),
        (" 2020-01-01 12:34:56.123", datetime(2020, 1, 1, 12, 34, 56, 123_000)),
        ("2020-01-01 12:34:56\t\x01 ", datetime(2020, 1, 1, 12, 34, 56)),
        ('"  2020-01-01 12:34:56.5  "', datetime(2020, 1, 1, 12, 34, 56, 500_000)),
        *[("\u00a02020-01-01 12:34:56", REFUSED), ("2020-01-01  12:34:56", REFUSED), (" ", REFUSED)],
        *[("2020-01-01T12:34:56", REFUSED), ("2020-01-01 12:34", REFUSED), ("2020-01-01", REFUSED), ("2020-1-1 1:2:3", REFUSED)],
    ],
    "TIMESTAMP_LTZ(3)": [("2020-01-01 12:34:56Z", datetime(2020, 1, 1, 12, 34, 56, tzinfo=UTC)), ("2020-01-01 12:34:56", REFUSED)],
    "TIMESTAMP_LTZ(6)": [
        (" 2020-01-01 12:34:56Z ", datetime(2020, 1, 1, 12, 34, 56, tzinfo=UTC)),
        *[("2020-01-01 12:34:56 Z", REFUSED), ("\u20032020-01-01 12:34:56Z", REFUSED)],
    ],
    "ARRAY<TIMESTAMP(3)>": [("2020-01-01 12:34:56; 2020-01-02 00:00:00 ", [datetime(2020, 1, 1, 12, 34, 56), datetime(2020, 1, 2)])],
    "ROW<a INT, b TIMESTAMP_LTZ(3)>": [("1; 2020-01-01 12:34:56Z", {"a": 1, "b": datetime(2020, 1, 1, 12, 34, 56, tzinfo=UTC)})],
    "ARRAY<INT>": [("1;2", [1, 2]), ("", []), ("1;;2", [1, None, 2])],  # not Flink's: an empty element of numbers is an error
    "ARRAY<STRING>": [("a;;b", ["a", "", "b"]), ("", [])],
    "ROW<a INT, b STRING>": [("1;x", {"a": 1, "b": "x"}), ("", None), ("1;x;y", REFUSED)],  # not Flink's: the third part is left out
}


class CsvText(NamedTuple):
    """A file with two text columns ``a`` and ``b``, and its rows or a part of the error."""

    text: str
    expected: list[tuple[str | None, ...]] | str
    options: Mapping[str, str] = MappingProxyType({})


_ESCAPE = {"escape-character": "\\"}
_COMMENTS = {"allow-comments": "true"}
_LENIENT = {"ignore-parse-errors": "true"}
CSV_TEXTS = [
    CsvText('1,"open\n2,b\n3,c\n', "line 1: the record cannot be read: a quote is opened and never closed"),
    CsvText('1,"open\n2,b\n3,c\n', [("2", "b"), ("3", "c")], _LENIENT),  # not Flink's, which leaves out the rest of the file
    CsvText('x,y\n"a" b,c\n', "line 2: the record cannot be read: the closing quote is followed by 'b'"),
    CsvText('"a" b,c\n2,d\n', [("2", "d")], _LENIENT),
    CsvText('"a" ,c\n', [("a", "c")]),
    CsvText(' "a",b"c"\n', [(' "a"', 'b"c"')]),
    CsvText('"a""b","x\ny"\n', [('a"b', "x\ny")]),
    CsvText('"x\r\ny",b\r\nc,d\r\n', [("x\r\ny", "b"), ("c", "d")]),
    CsvText("a,b\rc,d\r", [("a", "b"), ("c", "d")]),
    CsvText("\ufeffa,b\n", [("a", "b")]),
    CsvText("a\n", "it has 1 fields, but the table has 2 columns: 'a'"),
    CsvText("a\n", [("a", None)], _LENIENT),
    CsvText("a,b,c\n", "it has 3 fields, but the table has 2 columns: 'a,b,c'"),
    CsvText("a,b,c\nd,e\n", [("d", "e")], _LENIENT),
    CsvText("a,b,\n", [("a", "b")]),
    CsvText("a,b\n\nc,d\n\n", [("a", "b"), ("c", "d")]),  # not Flink's: an empty line is an error
    CsvText(",\n", [("", "")]),
    CsvText('a, b \n"", c\n', [("a", " b "), ("", " c")]),
    CsvText("#c\n", "it has 1 fields"),
    CsvText(' #c\na,#b\n"#x","y\n#z"\n', [("a", "#b"), ("#x", "y\n#z")], _COMMENTS),
    CsvText('n/a,"n/a"\n', [(None, None)], {"null-literal": "n/a"}),
    CsvText(',""\n', [(None, None)], {"null-literal": ""}),
    CsvText("'a,b';c\n", [("a,b", "c")], {"quote-character": "''", "field-delimiter": ";"}),
    CsvText('"a",b\n', [('"a"', "b")], {"disable-quote-character": "true"}),
    CsvText('a\\,b,"c\\"d"\n', [("a,b", 'c"d')], _ESCAPE),
    CsvText("a\\nb,c\\\\\n", [("a\nb", "c\\")], _ESCAPE),
    CsvText("a\\\nb,c\n", [("a\nb", "c")], _ESCAPE),
    CsvText("a,b\\", "the record ends with an escape character", _ESCAPE),
    CsvText("a§b\n", [("a", "b")], {"field-delimiter": "§"}),
]
