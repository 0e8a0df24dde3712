"""Text and digests; the expected results are Flink's."""

from __future__ import annotations

from typing import Any, cast

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import hash as digests
from table_common.functions.builtin import strings as fn
from table_common.types.symbols import TrimMode
from table_runtime.kernels import strings as kernels

_URL = "http://user:pw@facebook.com:80/path1/p.php?k1=v1&k2=v2#Ref1"


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (fn.LIKE, ("abc", "a%"), True),
        (fn.LIKE, ("abc", "%bc"), True),
        (fn.LIKE, ("abc", "a_c"), True),
        (fn.LIKE, ("a\nc", "a%c"), True),
        (fn.LIKE, ("a%c", r"a\%c"), False),
        (fn.LIKE, (r"a\bc", r"a\%c"), True),
        (fn.LIKE, ("a%c", "a#%c", ("#", "CHAR(1)")), True),
        (fn.NOT_LIKE, ("abc", "b%"), True),
        (fn.LIKE, ("", "_"), False),
        (fn.SIMILAR, ("abc", "(a|b)%"), True),
        (fn.SIMILAR, ("abc", "a[b-c]+"), True),
        (fn.NOT_SIMILAR, ("abc", "b"), True),
        (fn.CONCAT, ("AA", "BB", "CC"), "AABBCC"),
        (fn.CONCAT_WS, (",", "a", (None, "STRING"), "b"), "a,b"),
        (fn.CONCAT_WS, (",", (None, "STRING"), (None, "STRING")), ""),
        (fn.CHAR_LENGTH, ("日本",), 2),
        (fn.UPPER, ("aé1",), "AÉ1"),
        (fn.UPPER, ("straße",), "STRASSE"),
        (fn.LOWER, ("ΟΔΟΣ",), "οδος"),
        (fn.INITCAP, ("hello wORLD foo1bar c_d",), "Hello World Foo1bar C_D"),
        (fn.POSITION, ("b", "abcb", 3), 4),
        (fn.POSITION, ("", "abc"), 1),
        (fn.INSTR, ("abcabc", "c", 1, 2), 6),
        (fn.INSTR, ("abcabc", "c", -1, 2), 3),
        (fn.LOCATE, ("bar", "foobarbar", 5), 7),
        (fn.LOCATE, ("bar", "foobarbar", 100), 0),
        (fn.TRIM, (TrimMode.BOTH, "xy", "xyaxyy"), "a"),
        (fn.TRIM, (TrimMode.LEADING, "x", "xxaxx"), "axx"),
        (fn.RTRIM, (" a  ",), " a"),
        (fn.LTRIM, ("xxa", "x"), "a"),
        (fn.BTRIM, ("abcab", "ab"), "c"),
        (fn.REPEAT, ("ab", 2), "abab"),
        (fn.REPEAT, ("ab", -1), ""),
        (fn.OVERLAY, ("xxxxxtest", "xxxx", 6, 2), "xxxxxxxxxst"),
        (fn.OVERLAY, ("abc", "Z", 10), "abc"),
        (fn.SUBSTRING, ("hello", 2), "ello"),
        (fn.SUBSTRING, ("hello", 0, 2), "he"),
        (fn.SUBSTRING, ("hello", -3, 2), "ll"),
        (fn.SUBSTRING, ("hello", 2, -1), None),
        (fn.LEFT, ("hello", -1), ""),
        (fn.RIGHT, ("hello", 2), "lo"),
        (fn.REPLACE, ("abc", "", "z"), "zazbzcz"),
        (fn.REPLACE, ("ababab", "abab", "z"), "zab"),
        (fn.TRANSLATE, ("abcba", "abc", "x"), "xx"),
        (fn.LPAD, ("hi", 5, "ab"), "abahi"),
        (fn.LPAD, ("hi", 1, "??"), "h"),
        (fn.RPAD, ("hi", 4, "??"), "hi??"),
        (fn.LPAD, ("hi", -1, "?"), None),
        (fn.REVERSE, ("日本",), "本日"),
        (fn.ASCII, ("abc",), 97),
        (fn.CHR, (353,), "a"),
        (fn.FROM_BASE64, ("aGVsbG8gd29ybGQ=",), "hello world"),
        (fn.TO_BASE64, (b"\x01\x02\xff",), "AQL/"),
        (fn.ENCODE, ("abc", "UTF-16LE"), b"a\x00b\x00c\x00"),
        (fn.DECODE, (b"\xfe\xff\x00h\x00\xe9", "UTF-16"), "hé"),
        (fn.STARTSWITH, ("hello", ""), True),
        (fn.ENDSWITH, (b"\x01\x02", b"\x02"), True),
        (fn.ELT, (2, "a", "b", "c"), "b"),
        (fn.ELT, (0, "a", "b"), None),
        (fn.PRINTF, ("%d-%s", 5, "x"), "5-x"),
        (fn.PRINTF, ("%05d|%-4s|%.2f|%%", -42, "a", 2.345), "-0042|a   |2.35|%"),
        (fn.SPLIT, ("a,,c", ","), ["a", "", "c"]),
        (fn.SPLIT, ("", "x"), []),
        (fn.SPLIT_INDEX, ("a||b", "|", 1), ""),
        (fn.SPLIT_INDEX, ("a,b", ",", 7), None),
        (fn.STR_TO_MAP, ("k1,k2=v2",), [("k1", None), ("k2", "v2")]),
        (fn.REGEXP, ("hello", "l+"), True),
        (fn.REGEXP_REPLACE, ("foobar", "oo|ar", ""), "fb"),
        (fn.REGEXP_REPLACE, ("foobar", "(o+)", "<$1>"), "f<$1>bar"),
        (fn.REGEXP_EXTRACT, ("foothebar", "foo(.*?)(bar)", 2), "bar"),
        (fn.REGEXP_EXTRACT, ("abc", "(", 1), None),
        (fn.REGEXP_EXTRACT_ALL, ("100-200, 300-400", r"(\d+)-(\d+)", 2), ["200", "400"]),
        (fn.REGEXP_COUNT, ("banana", "an"), 2),
        (fn.REGEXP_INSTR, ("hello", "[0-9]+"), 0),
        (fn.REGEXP_SUBSTR, ("hello 123 456", r"\p{Digit}+"), "123"),
        (fn.PARSE_URL, (_URL, "AUTHORITY"), "user:pw@facebook.com:80"),
        (fn.PARSE_URL, (_URL, "HOST"), "facebook.com"),
        (fn.PARSE_URL, (_URL, "QUERY", "k2"), "v2"),
        (fn.PARSE_URL, ("not a url", "HOST"), None),
        (fn.URL_ENCODE, ("a b&ä",), "a+b%26%C3%A4"),
        (fn.URL_DECODE, ("a+b%26c",), "a b&c"),
        (fn.URL_DECODE, ("%zz",), None),
        (fn.IS_ALPHA, ("ab1",), False),
        (fn.IS_ALPHA, ((None, "STRING"),), False),
        (fn.IS_DECIMAL, ("-1e5",), True),
        (fn.IS_DIGIT, ("123",), True),
        (digests.MD5, ("",), "d41d8cd98f00b204e9800998ecf8427e"),
        (digests.SHA1, (b"abc",), "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (digests.SHA2, ("abc", 256), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (fn.UPPER, ((None, "STRING"),), None),
    ],
)
def test_fact(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    needs_constants = function in (digests.SHA2,) or (function is fn.LIKE and len(args) > 2)
    assert outcome(function, *args, columns=not needs_constants) == expected


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (fn.FROM_BASE64, ("!!",), "is not Base64"),
        (fn.DECODE, (b"abc", "NOPE"), "'NOPE' is not supported"),
        (fn.LPAD, (("hi", "STRING NOT NULL"), (5, "INT NOT NULL"), ("", "STRING NOT NULL")), "type is NOT NULL"),
    ],
)
def test_what_fails(outcome: Any, function: Any, args: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        outcome(function, *args, columns=False)


@pytest.mark.parametrize(
    "args",
    [(pa.array(["a"]), pa.scalar(None, pa.int32())), (pa.scalar(None, pa.string()), pa.array([3], pa.int32()))],
    ids=["count", "text"],
)
def test_repeat_of_a_null_constant_is_null(args: Any) -> None:
    # Arrow's own result has no data buffer: reading its size ends the process.
    assert kernels._repeat(args, cast("Any", None), cast("Any", None), 1) == pa.scalar(None, pa.string())
