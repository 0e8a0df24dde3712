"""Boundary values of SQL types, as SQL text."""

from __future__ import annotations

import random
import re

from sql_trees import family

__all__ = ["boundary_value"]

_INT = (
    "0",
    "-1",
    "1",
    "127",
    "-128",
    "128",
    "32767",
    "2147483647",
    "-2147483648",
    "2147483648",
    "9223372036854775807",
    "CAST('-9223372036854775808' AS BIGINT)",
)
_VALUES: dict[str, tuple[str, ...]] = {
    "INT": (*_INT, "CAST(NULL AS INT)", "CAST(NULL AS BIGINT)", "CAST(1 AS TINYINT)", "CAST(-32768 AS SMALLINT)"),
    "DOUBLE": (
        *("0e0", "-1e0", "1e308", "-1e308", "4.9e-324", "CAST('-0.0' AS DOUBLE)", "CAST('NaN' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)"),
        *("CAST('-Infinity' AS DOUBLE)", "CAST(NULL AS DOUBLE)", "CAST('NaN' AS FLOAT)", "CAST(3.4e38 AS FLOAT)", "CAST(0.1 AS FLOAT)"),
    ),
    "DECIMAL": (
        *(
            "0.0",
            "-0.1",
            "99999999999999999999999999999999999999",
            "-99999999999999999999.999999999999999999",
            "0.00000000000000000000000000000000000001",
        ),
        *("CAST(NULL AS DECIMAL(38, 18))", "CAST(1 AS DECIMAL(38, 38)) - 1", "CAST(9.9 AS DECIMAL(2, 1))", "1.5"),
    ),
    "STRING": (
        *(
            "''",
            "' '",
            "'a'",
            "CAST(NULL AS STRING)",
            "REPEAT('ab', 50000)",
            "'😀é漢'",
            "U&'\\0001'",
            "U&'\\FFFF'",
            "CAST('x' AS CHAR(10))",
            "'%'",
            "'_'",
        ),
        *(
            "'\\'",
            "'('",
            "'[a-'",
            "'(a+)+$'",
            "'NaN'",
            "'1e400'",
            "'-1'",
            "'0'",
            "'2024-02-30'",
            "'9999-12-31 23:59:59.999999999'",
            "'0001-01-01'",
        ),
        *(
            "'yyyy-MM-dd'",
            "'yyyyyyyyyyy'",
            '\'{"a": [1, {"b": null}]}\'',
            "'$.a[*]'",
            "'lax $..a'",
            "'UTC'",
            "'Nowhere/Else'",
            "'%999999999d'",
            "'null'",
            "','",
        ),
    ),
    "BYTES": ("X''", "X'00'", "X'FFFE'", "CAST(NULL AS BYTES)", "CAST(REPEAT('a', 100000) AS BYTES)", "X'80'"),
    "BOOLEAN": ("TRUE", "FALSE", "CAST(NULL AS BOOLEAN)", "(1 = 1 / 1)", "(NULL = 1)"),
    "DATE": (
        "DATE '0001-01-01'",
        "DATE '9999-12-31'",
        "DATE '1582-10-10'",
        "DATE '1970-01-01'",
        "DATE '2024-02-29'",
        "CAST(NULL AS DATE)",
        "CURRENT_DATE",
    ),
    "TIME": ("TIME '00:00:00'", "TIME '23:59:59.999'", "CAST(NULL AS TIME)", "CAST('23:59:59.999999999' AS TIME(9))"),
    "TIMESTAMP": (
        *(
            "TIMESTAMP '0001-01-01 00:00:00'",
            "TIMESTAMP '9999-12-31 23:59:59.999999999'",
            "TIMESTAMP '1677-09-21 00:12:43'",
            "TIMESTAMP '2262-04-12 00:00:00'",
        ),
        *("TIMESTAMP '1969-12-31 23:59:59.999'", "CAST(NULL AS TIMESTAMP(3))", "LOCALTIMESTAMP", "TIMESTAMP '1970-01-01 00:00:00'"),
    ),
    "TIMESTAMP_LTZ": (
        *(
            "TO_TIMESTAMP_LTZ(0, 3)",
            "TO_TIMESTAMP_LTZ(253402300799999, 3)",
            "TO_TIMESTAMP_LTZ(-62135596800000, 3)",
            "CAST(NULL AS TIMESTAMP_LTZ(3))",
        ),
        *("CURRENT_TIMESTAMP", "TO_TIMESTAMP_LTZ(9223372036854775807, 3)", "TO_TIMESTAMP_LTZ(-9223372036854775807, 0)"),
    ),
    "INTERVAL DAY": (
        *(
            "INTERVAL '0' SECOND",
            "INTERVAL '-1' DAY",
            "INTERVAL '99' DAY",
            "INTERVAL '999999' DAY(6)",
            "INTERVAL '0.001' SECOND",
            "INTERVAL '1' MINUTE",
        ),
        *("INTERVAL '1 02:03:04.567' DAY TO SECOND", "CAST(NULL AS INTERVAL DAY)", "INTERVAL '1' WEEK"),
    ),
    "INTERVAL MONTH": (
        "INTERVAL '0' MONTH",
        "INTERVAL '-1' YEAR",
        "INTERVAL '9999' YEAR(4)",
        "INTERVAL '1-11' YEAR TO MONTH",
        "CAST(NULL AS INTERVAL MONTH)",
    ),
    "NULL": ("NULL", "NULL", "1", "'a'"),
    "VARIANT": (
        "PARSE_JSON('null')",
        "PARSE_JSON('{\"a\": 1}')",
        "CAST(NULL AS VARIANT)",
        "PARSE_JSON('[1e400, []]')",
        "PARSE_JSON('\"\"')",
    ),
    "BITMAP": ("CAST(NULL AS BITMAP)", "BITMAP_BUILD(ARRAY[-1])", "BITMAP_BUILD(ARRAY[CAST(NULL AS INT)])"),
}


def boundary_value(of: str, generator: random.Random) -> str:
    """Returns a boundary value of a type or of a type family."""
    found = _VALUES.get(family(of))
    if found is not None:
        return generator.choice(found)
    null = f"CAST(NULL AS {of.removesuffix(' NOT NULL')})"
    items = re.fullmatch(r"(ARRAY|MULTISET)<(.*)>", of.removesuffix(" NOT NULL"))
    if items and items[1] == "ARRAY" and generator.random() < 0.6:
        item = boundary_value(items[2].removesuffix(" NOT NULL"), generator)
        return generator.choice((f"ARRAY[{item}]", f"ARRAY[NULL, {item}]", f"ARRAY[{', '.join([item] * 40)}]"))
    return null
