"""Edge values of SQL types, as SQL text."""

from __future__ import annotations

from dataclasses import dataclass

from table_common.types import (
    ArrayType,
    BigIntType,
    BitmapType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
)

__all__ = ["POOL", "ZONES", "Kind"]

ZONES = ("America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo")
"""Zones whose clocks are put forward at 2 o'clock, by half an hour, and at midnight."""


@dataclass(frozen=True)
class Kind:
    """A type and texts from which its edge values are cast; a text that begins with ``=`` is SQL."""

    type: LogicalType
    texts: tuple[str, ...]

    def sql(self, text: str | None) -> str:
        """Returns the value as SQL; None is NULL."""
        name = str(self.type)
        if text is None:
            return f"CAST(NULL AS {name})"
        if isinstance(self.type, (BitmapType, DayTimeIntervalType, YearMonthIntervalType, ArrayType, MapType)):
            return text
        if text.startswith("="):
            return f"CAST({text[1:]} AS {name})"
        if isinstance(self.type, VarBinaryType):
            return f"X'{text}'"
        return f"CAST('{text.replace(chr(39), chr(39) * 2)}' AS {name})"


_INTEGERS = ("0", "1", "-1", "2")
_REALS = ("0", "-0.0", "1.5", "-2.5", "NaN", "Infinity", "-Infinity")
_BEYOND = ("=(DATE '9999-12-31' + INTERVAL '1' DAY)", "=(DATE '0001-01-01' - INTERVAL '1' DAY)")
"""Days that Python's ``datetime`` has not."""
_DATES = ("0001-01-01", "9999-12-31", "2024-02-29", "1969-12-31", "2024-03-10", "1582-10-10", *_BEYOND)
_LOCAL_TIMES = (
    *("0001-01-01 00:00:00", "9999-12-31 23:59:59.999", "2024-02-29 12:34:56.789", "1969-12-31 23:59:59.5"),
    *("2024-03-10 02:30:00", "2024-11-03 01:30:00", "2024-03-31 02:30:00", "2024-10-27 02:30:00"),
    *("2024-10-06 02:15:00", "2024-04-07 01:45:00", "2018-11-04 00:30:00", "2018-02-17 23:30:00"),
)
_TEXTS = (
    *("", " ", "a", "Hello World", "😀é漢", "%", "_", "\\", "12", "-1.5", "1e3", "NaN", "true", "2024-02-29", "2021-3-28", " 2021-03-28 "),
    *("2024-03-10 02:30:00", "2021-03-28 01:02:03.5", "12:34:56", '{"a": [1, {"b": null}], "c": 1.50}', "[1, 2]", "null", "yyyy-MM-dd"),
    *("$.a", "America/New_York", "UTC", "a,b,,c", "00ff", "zz"),
)
POOL: tuple[Kind, ...] = (
    Kind(BooleanType(), ("true", "false")),
    Kind(TinyIntType(), (*_INTEGERS, "127", "-128")),
    Kind(SmallIntType(), (*_INTEGERS, "32767", "-32768")),
    Kind(IntType(), (*_INTEGERS, "3", "2147483647", "-2147483648")),
    Kind(BigIntType(), (*_INTEGERS, "9223372036854775807", "-9223372036854775808")),
    Kind(FloatType(), (*_REALS, "3.4028235E38", "1.4E-45")),
    Kind(DoubleType(), (*_REALS, "1.7976931348623157E308", "4.9E-324", "0.1")),
    Kind(DecimalType(10, 2), ("0", "1.50", "-2.55", "99999999.99")),
    Kind(DecimalType(38, 0), ("0", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999")),
    Kind(DecimalType(38, 38), ("0", "0.99999999999999999999999999999999999999", "-0.00000000000000000000000000000000000001")),
    Kind(DecimalType(38, 18), ("0", "1.000000000000000001", "-99999999999999999999.999999999999999999")),
    Kind(VarCharType(), _TEXTS),
    Kind(CharType(5), ("", "ab", "😀é")),
    Kind(VarBinaryType(), ("", "00", "FFFE", "61F09F9880")),
    Kind(DateType(), _DATES),
    Kind(TimeType(0), ("00:00:00", "23:59:59", "12:34:56")),
    Kind(TimeType(3), ("00:00:00.001", "23:59:59.999")),
    Kind(TimestampType(3), (*_LOCAL_TIMES, *_BEYOND)),
    Kind(TimestampType(6), _LOCAL_TIMES),
    Kind(TimestampType(9), ("1970-01-01 00:00:00.000000001", "2024-03-10 02:30:00.123456789", "1969-12-31 23:59:59.999999999")),
    Kind(LocalZonedTimestampType(3), (*_LOCAL_TIMES, *_BEYOND)),
    Kind(LocalZonedTimestampType(9), ("1970-01-01 00:00:00.000000001", "2024-03-10 02:30:00.123456789")),
    Kind(DayTimeIntervalType(), ("INTERVAL '1' DAY", "INTERVAL '-1.5' SECOND", "INTERVAL '0' SECOND")),
    Kind(YearMonthIntervalType(), ("INTERVAL '1' MONTH", "INTERVAL '-13' MONTH")),
    Kind(ArrayType(IntType()), ("ARRAY[1, CAST(NULL AS INT), 3, 1]", "ARRAY[2147483647]")),
    Kind(ArrayType(VarCharType()), ("ARRAY[CAST('a' AS STRING), CAST(NULL AS STRING), CAST('😀' AS STRING)]",)),
    Kind(ArrayType(DoubleType()), ("ARRAY[CAST('NaN' AS DOUBLE), CAST('-0.0' AS DOUBLE), CAST('0' AS DOUBLE)]",)),
    Kind(BitmapType(), ("BITMAP_BUILD(ARRAY[1, -1, 2147483647])",)),
    Kind(MapType(VarCharType(), IntType()), ("MAP[CAST('a' AS STRING), 1, CAST('' AS STRING), CAST(NULL AS INT)]",)),
)
