"""Random values, and how they are written as literals."""

from __future__ import annotations

import datetime as dt
import math
import random
from decimal import Context, Decimal
from typing import Any

from random_sql.sql_types import SqlType

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_STRINGS = ("", "a", "b", "ab", "abc", "A", " a", "a ", "ä", "é", "%", "_", "0", "12", "-1", "x'y", "日本", "😀", "NULL", "zz")
_DATES = ("1970-01-01", "1969-12-31", "2020-02-29", "2019-12-30", "2000-01-01", "0001-01-01", "9999-12-31", "1900-03-01")
_TIMES = ("00:00:00", "23:59:59", "12:34:56")
_CLOCK = ("00:00:00", "23:59:59.999", "12:34:56.789", "00:00:00.001")
_EXACT = Context(prec=100)


def is_special(value: Any) -> bool:
    """Returns whether a value is NaN, infinite, or a number with which arithmetic may overflow."""
    if isinstance(value, float):
        return not math.isfinite(value) or abs(value) > 1e6 or (value != 0 and abs(value) < 1e-6)
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool) and abs(value) > 100


def random_value(rng: random.Random, of: SqlType, *, tame: bool = False) -> Any:
    """Returns a value, never NULL; ``tame`` numbers are small, and their sums are exact also as floats."""
    match of.kind:
        case "bool":
            return rng.random() < 0.5
        case "int":
            bits = _BITS[of.name]
            small = rng.choice((-2, -1, 0, 1, 1, 2, 3, 7, 100))
            edges = (-(1 << bits - 1), (1 << bits - 1) - 1, (1 << bits - 1) - 2, 1 << bits // 2)
            edges += ((1 << 53) + 1, (1 << 24) + 1) if bits == 64 else ()
            return small if tame or rng.random() < 0.6 else rng.choice(edges)
        case "dec":
            return _random_decimal(rng, of, tame)
        case "float":
            number = rng.choice((-2.5, -1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 3.0, 100.75))
            if tame or rng.random() < 0.6:
                return number
            wild = (math.nan, math.inf, -math.inf, -0.0, 1e30, -1e30, 1.4, 16777217.0)
            double = (1.7976931348623157e308, 5e-324, 9007199254740993.0, 0.1)
            return rng.choice(wild + double if of.name == "DOUBLE" else tuple(map(_as_float, wild)))
        case "str":
            return rng.choice(_STRINGS)
        case "bytes":
            return rng.choice((b"", b"a", b"\x00", b"\xff\x00", b"ab", b"abc"))
        case "date":
            return dt.date.fromisoformat(rng.choice(_DATES))
        case "time":
            return dt.time.fromisoformat(rng.choice(_TIMES))
        case "ts":
            micros = rng.choice(("", "123")) if of.precision == 6 else ""
            clock = rng.choice(_CLOCK)
            return dt.datetime.fromisoformat(f"{rng.choice(_DATES)} {clock}{micros if '.' in clock else ''}")
        case "list":
            return [rng.choice((None, 0, 1, 2)) for _ in range(rng.choice((0, 1, 2, 3)))]
        case "row":
            return {"x": rng.choice((None, 0, 1)), "y": rng.choice((None, "", "a"))}
    raise AssertionError(of)


def _as_float(number: float) -> float:
    import struct

    return float(struct.unpack("f", struct.pack("f", number))[0])


def _random_decimal(rng: random.Random, of: SqlType, tame: bool) -> Decimal:
    unit = Decimal(1).scaleb(-of.scale, _EXACT)
    if not tame and rng.random() < 0.3:
        return _EXACT.multiply(Decimal(rng.choice((1, -1)) * (10**of.precision - 1)), unit)
    number = rng.choice(("0", "1", "-1", "2", "1.4", "-1.5", "2.5", "0.01", "99.99", "-0.5", "1.000001", "3", "7"))
    rounded = Decimal(number).quantize(unit, context=_EXACT)
    return rounded if len(rounded.as_tuple().digits) <= of.precision else unit


def literal(value: Any, of: SqlType, dialect: str) -> str:
    """Returns the literal of a value; NULL has its type."""
    name = of.name if dialect == "flink" else of.duck
    if value is None:
        return f"CAST(NULL AS {name})"
    match of.kind:
        case "bool":
            return "TRUE" if value else "FALSE"
        case "int":
            is_plain = dialect == "flink" and ((of.name == "INT") or (of.name == "BIGINT" and abs(value) >= 1 << 31))
            text = str(value) if value >= 0 else f"({value})"
            return text if is_plain and value != -(1 << 63) and value != -(1 << 31) else f"CAST({_quoted(str(value))} AS {name})"
        case "dec":
            text = f"{value:f}"
            return f"({text})" if dialect == "flink" and of.precision < 38 and of.scale else f"CAST({_quoted(text)} AS {name})"
        case "float":
            if dialect == "flink" and of.name == "DOUBLE" and math.isfinite(value):
                return f"({_scientific(value)})"
            return f"CAST({_quoted(_float_text(value))} AS {name})"
        case "str":
            return _quoted(value)
        case "bytes":
            return f"X'{value.hex()}'" if dialect == "flink" else f"unhex('{value.hex()}')"
        case "date":
            return f"DATE '{value}'"
        case "time":
            return f"TIME '{value}'"
        case "ts":
            digits = f".{value.microsecond:06d}"[: of.precision + 1]
            return f"TIMESTAMP '{value:%H:%M:%S}'".replace("'", f"'{value.date()} ", 1)[:-1] + f"{digits}'"
        case "list" if dialect == "flink":
            return f"CAST({_array(value)} AS {name})"
        case "list":
            return f"CAST([{', '.join('NULL' if one is None else str(one) for one in value)}] AS {name})"
    raise AssertionError(of)


def _array(value: list[Any]) -> str:
    return f"ARRAY[{', '.join('CAST(NULL AS INT)' if one is None else str(one) for one in value)}]"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _scientific(value: float) -> str:
    text = repr(value)
    return text if "e" in text else f"{text}E0"


def _float_text(value: float) -> str:
    return "NaN" if math.isnan(value) else repr(value).replace("inf", "Infinity")
