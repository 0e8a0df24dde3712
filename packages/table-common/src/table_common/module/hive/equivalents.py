"""What stands for Hive's functions where Hive's own classes are not at hand, or cannot run.

``EQUIVALENTS`` are built-in functions with the same results for the arguments that they take; ``proofs/hive_functions.py`` compares them
with Hive's classes. A function whose result differs in type or for some arguments is not among them: ``DIFFERENCES`` says why, in words
that users read, for those that one would look for.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["DIFFERENCES", "EQUIVALENTS", "SUBSTITUTES"]

EQUIVALENTS: Mapping[str, str] = {
    name: built_in
    for built_in, names in {
        "ABS": "abs",
        "ACOS": "acos",
        "ASCII": "ascii",
        "ASIN": "asin",
        "ATAN": "atan",
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
        "STR_TO_MAP": "str_to_map",
        "SUBSTRING": "substr substring",
        "TAN": "tan",
        "TRANSLATE": "translate",
        "TRIM": "trim",
        "UPPER": "upper ucase",
        "UUID": "uuid",
    }.items()
    for name in names.split()
}
"""Hive's name to the name of the built-in function."""

SUBSTITUTES: Mapping[str, str] = {
    "current_database": "current_database",
    "current_date": "current_date",
    "current_timestamp": "localtimestamp",
    "current_user": "current_user",
    "logged_in_user": "session_user",
    "width_bucket": "width_bucket",
}
"""Hive's name to the function of Spark that is called instead, where Spark cannot run the class, or the wheel does not have it."""

DIFFERENCES: Mapping[str, str] = {}
"""Hive's name to how the built-in function that looks like it differs."""
