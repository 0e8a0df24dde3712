"""Replacements of Hive's functions, for engines where Hive's own classes are not available or cannot run.

``EQUIVALENTS`` are built-in functions with the same results for the arguments that they take; ``proofs/hive_functions.py`` compares them
with Hive's classes. A function whose result differs in type or for some arguments is not among them.
"""

from __future__ import annotations

from collections.abc import Mapping

EQUIVALENTS: Mapping[str, str] = {
    name: built_in
    for built_in, names in {
        "ABS": "abs",
        "ACOS": "acos",
        "ASCII": "ascii",
        "ASIN": "asin",
        "ATAN": "atan",
        "BTRIM": "trim",
        "CHAR_LENGTH": "length char_length character_length",
        "COALESCE": "coalesce",
        "CONCAT": "concat",
        "COS": "cos",
        "CURRENT_DATE": "current_date",
        "DEGREES": "degrees",
        "E": "e",
        "ELT": "elt",
        "EXP": "exp",
        "GREATEST": "greatest",
        "HEX": "hex",
        "IF": "if",
        "IFNULL": "nvl",
        "INITCAP": "initcap",
        "INSTR": "instr",
        "IS_FALSE": "isfalse",
        "IS_NOT_FALSE": "isnotfalse",
        "IS_NOT_NULL": "isnotnull",
        "IS_NOT_TRUE": "isnottrue",
        "IS_NULL": "isnull",
        "IS_TRUE": "istrue",
        "LEAST": "least",
        "LOCATE": "locate",
        "LOWER": "lower lcase",
        "LPAD": "lpad",
        "LTRIM": "ltrim",
        "MAP_KEYS": "map_keys",
        "MAP_VALUES": "map_values",
        "MAX": "max",
        "MD5": "md5",
        "MIN": "min",
        "NULLIF": "nullif",
        "PI": "pi",
        "POWER": "power pow",
        "PRINTF": "printf",
        "RADIANS": "radians",
        "RAND": "rand",
        "REGEXP": "regexp rlike",
        "REPEAT": "repeat",
        "REPLACE": "replace",
        "REVERSE": "reverse",
        "RPAD": "rpad",
        "RTRIM": "rtrim",
        "SHA1": "sha1 sha",
        "SHA2": "sha2",
        "SIGN": "sign",
        "SIN": "sin",
        "SQRT": "sqrt",
        "SUBSTRING": "substr substring",
        "TAN": "tan",
        "TRANSLATE": "translate",
        "UPPER": "upper ucase",
        "UUID": "uuid",
    }.items()
    for name in names.split()
}
"""Hive's name to the name of the built-in function."""

ALWAYS_EQUIVALENT = frozenset({"greatest", "least"})
"""Functions that run as the built-in function on Spark too: Hive's class needs a Hive session if a constant is NULL."""

SUBSTITUTES: Mapping[str, str] = {
    "ceil": "ceil",
    "ceiling": "ceiling",
    "current_database": "current_database",
    "current_date": "current_date",
    "current_timestamp": "localtimestamp",
    "current_user": "current_user",
    "floor": "floor",
    "logged_in_user": "session_user",
    "mod": "mod",
    "negative": "negative",
    "pmod": "pmod",
    "positive": "positive",
    "pow": "power",
    "power": "power",
    "width_bucket": "width_bucket",
}
"""Hive's name to the Spark function that is called instead: Hive's class needs a Hive session, or PySpark does not ship it."""

_NO_HANDLER = "Spark has no way to call aggregates of the kind that Hive's class is"
_INTERVAL = "Spark does not support the intervals that Hive's class returns; write INTERVAL '…' or CAST"
_EWAH = "it needs the library javaewah, which PySpark does not ship"
_INTERNAL = "only Hive's own planner creates it"
UNRUNNABLE: Mapping[str, str] = {
    "bloom_filter": _NO_HANDLER,
    "cardinality_violation": _INTERNAL,
    "context_ngrams": _NO_HANDLER,
    "ewah_bitmap": _EWAH,
    "ewah_bitmap_and": _EWAH,
    "ewah_bitmap_empty": _EWAH,
    "ewah_bitmap_or": _EWAH,
    "get_splits": _INTERNAL,
    "internal_interval": _INTERNAL,
    "interval_day_time": _INTERVAL,
    "interval_year_month": _INTERVAL,
    "ngrams": _NO_HANDLER,
    "sq_count_check": _INTERNAL,
}
"""Hive's name to the reason, shown to users, why its class cannot run on Spark."""
