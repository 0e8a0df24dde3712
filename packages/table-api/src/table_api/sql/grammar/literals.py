"""Literals: numbers, strings, dates and times, intervals, parameters. Types are Flink's."""

from __future__ import annotations

import re
import sys
from datetime import date
from decimal import Decimal
from math import isinf

from table_api.expressions.unresolved import Literal, Span, UnresolvedExpression
from table_api.sql.grammar.lexer import IDENTIFIER, NUMBER, STRING
from table_api.sql.grammar.types import TypeRules
from table_common.exact_decimals import negated
from table_common.types import (
    MAX_LENGTH,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DayTimeResolution,
    DecimalType,
    DoubleType,
    IntType,
    LogicalType,
    NullType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
    YearMonthResolution,
)

_INT = IntType(nullable=False)
_BIGINT = BigIntType(nullable=False)
_DOUBLE = DoubleType(nullable=False)
_BOOLEAN = BooleanType(nullable=False)
_NULLABLE_BOOLEAN = BooleanType()
_NULL = NullType()
_DATE = DateType(nullable=False)
# At run time Flink has two interval types, whatever the units of the literal: months and milliseconds.
_MONTHS = YearMonthIntervalType(YearMonthResolution.MONTH, nullable=False)
_SECONDS = DayTimeIntervalType(DayTimeResolution.SECOND, fractional_precision=3, nullable=False)

_NANOS = 1_000_000_000
_EPOCH = date(1970, 1, 1).toordinal()
_DATE_TEXT = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DECIMAL_TEXT = re.compile(r"([-+]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([-+]?\d{1,4}))?")
_TIME_TEXT = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d*))?")

INTERVAL_UNITS = {
    "YEAR": "YEAR",
    "YEARS": "YEAR",
    "QUARTER": "QUARTER",
    "QUARTERS": "QUARTER",
    "MONTH": "MONTH",
    "MONTHS": "MONTH",
    "WEEK": "WEEK",
    "WEEKS": "WEEK",
    "DAY": "DAY",
    "DAYS": "DAY",
    "HOUR": "HOUR",
    "HOURS": "HOUR",
    "MINUTE": "MINUTE",
    "MINUTES": "MINUTE",
    "SECOND": "SECOND",
    "SECONDS": "SECOND",
}
"""The keywords of interval units, singular and plural, to their unit."""

_UNIT_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_UNIT_NANOS = {"WEEK": 604_800 * _NANOS, "DAY": 86_400 * _NANOS, "HOUR": 3_600 * _NANOS, "MINUTE": 60 * _NANOS, "SECOND": _NANOS}
_DAY_TIME_ORDER = ("DAY", "HOUR", "MINUTE", "SECOND")
_LARGEST = {"MONTH": 11, "HOUR": 23, "MINUTE": 59, "SECOND": 59}
_SEPARATORS = {"HOUR": " ", "MINUTE": ":", "SECOND": ":"}


class LiteralRules(TypeRules):
    """The rules for literals."""

    __slots__ = ()

    def number(self, *, negative: bool = False) -> Literal:
        """Consumes an unsigned number; ``negative`` if a minus was consumed before."""
        start = self.index
        text = self.values[start]
        self.advance()
        if text.isdecimal() and len(text) < 10 and not negative:
            return Literal(int(text), _INT, span=Span(self.starts[start], self.ends[start]))
        first = start - 1 if negative else start
        if "e" in text or "E" in text:
            approximate = float(text)
            if isinf(approximate):
                raise self.invalid(f"The number {text} is out of the range of DOUBLE.", first)
            # A literal has no negative zero.
            return Literal(-approximate if negative and approximate else approximate, _DOUBLE, span=self.span(first))
        return self._exact_number(text, first, negative=negative)

    def _exact_number(self, text: str, first: int, *, negative: bool) -> Literal:
        """Returns the literal of a decimal number that begins at the token ``first``."""
        whole, point, fraction = text.partition(".")
        if point and fraction:
            exact = Decimal(f"{whole or 0}.{fraction}")
            if len(whole) + len(fraction) > 38:
                raise self.invalid(f"The number {text} has more than 38 digits.", first, hint="write it with an exponent for a DOUBLE")
            type_ = DecimalType(len(whole) + len(fraction), len(fraction), nullable=False)
            return Literal(negated(exact) if negative else exact, type_, span=self.span(first))
        if len(whole) > 38:
            raise self.invalid(f"The number {whole[:10]}… has more than 38 digits.", first)
        value = -int(whole) if negative else int(whole)
        if -(2**31) <= value < 2**31:
            return Literal(value, _INT, span=self.span(first))
        if -(2**63) <= value < 2**63:
            return Literal(value, _BIGINT, span=self.span(first))
        raise self.invalid(f"The number {value} is out of the range of BIGINT.", first, hint=f"write {value}.0 for a DECIMAL")

    def decimal_literal(self) -> Literal:
        """Consumes ``DECIMAL '12.3'``, which is the number 12.3."""
        start = self.index
        self.advance()
        text = self.string()
        match = _DECIMAL_TEXT.fullmatch(text.strip())
        if match is None:
            raise self.invalid(f"'{text}' is not a DECIMAL.", start, hint="the form is DECIMAL '12.3'")
        sign, digits, exponent = match[1], match[2], match[3]
        if exponent is not None:
            if abs(int(exponent)) > 76:
                raise self.invalid(f"The number {text.strip()} has more than 38 digits.", start)
            digits = format(Decimal(f"{digits}e{exponent}"), "f")
        return self._exact_number(digits, start, negative=sign == "-")

    def string_literal(self) -> Literal:
        """Consumes a string; strings on lines of their own are parts of one."""
        start = self.index
        value = self._string_part()
        while self.kind == STRING:
            if "\n" not in self.text[self.ends[self.index - 1] : self.starts[self.index]]:
                raise self.unexpected()
            value += self._string_part()
        return Literal(value, CharType(len(value), nullable=False), span=self.span(start))

    def _string_part(self) -> str:
        value = self.values[self.index]
        self.advance()
        if len(value) > MAX_LENGTH:
            raise self.invalid("The text is too long.", self.index - 1)
        return value[1:-1].replace("''", "'")

    def prefixed_string(self) -> Literal:
        """Consumes ``X'0F'``, ``U&'\\00e4' [UESCAPE 'c']``, ``N'…'`` or ``_charset'…'``."""
        start = self.index
        prefix, _, rest = self.values[start].partition("'")
        body = rest[:-1].replace("''", "'")
        self.advance()
        if prefix in ("x", "X"):
            try:
                value = bytes.fromhex(body if not re.search(r"\s", body) else "?")
            except ValueError:
                raise self.error(
                    f"X'{body}' is not a binary literal.", at=start, hint="X'…' contains pairs of the digits 0-9 and A-F"
                ) from None
            return Literal(value, BinaryType(len(value), nullable=False), span=self.span(start))
        if prefix in ("u&", "U&"):
            escape = "\\"
            if self.accept("UESCAPE"):
                escape = self.string()
                if len(escape) != 1 or escape in "+'\"" or escape.isspace() or escape in "0123456789abcdefABCDEF":
                    raise self.error(
                        "UESCAPE requires one character other than a digit, a letter from A to F, +, a quote or a space.", at=self.index - 1
                    )
            body = self._unescape(body, escape, start)
        return Literal(body, CharType(len(body), nullable=False), span=self.span(start))

    def _unescape(self, text: str, escape: str, start: int) -> str:
        def character(match: re.Match[str]) -> str:
            digits = match[1] or match[2]
            if digits is not None:
                code = int(digits, 16)
                if code > sys.maxunicode or 0xD800 <= code <= 0xDFFF:
                    raise self.error(f"{match[0]} is not a character of Unicode.", at=start)
                return chr(code)
            if match[0] == escape * 2:
                return escape
            raise self.error(f"After {escape} four hexadecimal digits must follow.", at=start)

        return re.sub(f"{re.escape(escape)}(?:{re.escape(escape)}|([0-9A-Fa-f]{{4}})|\\+([0-9A-Fa-f]{{6}}))?", character, text)

    def constant_word(self) -> Literal:
        """Consumes TRUE, FALSE, UNKNOWN or NULL."""
        start = self.index
        word = self.kind
        self.advance()
        if word == "NULL":
            return Literal(None, _NULL, span=self.span(start))
        if word == "UNKNOWN":
            return Literal(None, _NULLABLE_BOOLEAN, span=self.span(start))
        return Literal(word == "TRUE", _BOOLEAN, span=self.span(start))

    def parameter(self) -> UnresolvedExpression:
        """Consumes ``:name`` and returns the value of the parameter as an expression (an extension)."""
        start = self.index
        if self.parameters is None:
            raise self.error("Parameters (:name) need values.", hint="pass them with args: execute_sql(text, args={'name': value})")
        self.expect(":")
        name = self.values[self.index]
        if self.kind != IDENTIFIER and not name.isidentifier():
            raise self.unexpected("parameter name")
        self.advance()
        from table_api.sql.grammar.parameters import parameter_expression  # few statements have parameters

        return parameter_expression(name, self.parameters, self.span(start), self.place(start, self.index - 1))

    # --- dates and times ----------------------------------------------------------------------------------------------------------

    def temporal_literal(self) -> Literal:
        """Consumes ``DATE '…'``, ``TIME '…'`` or ``TIMESTAMP '…'``."""
        start = self.index
        kind = self.kind
        self.advance()
        text = self.string()
        return self.temporal_value(kind, text, start)

    def temporal_value(self, kind: str, text: str, start: int) -> Literal:
        """Returns the literal for the text of a date or a time."""
        try:
            value, type_ = _TEMPORAL[kind](text.strip())
        except OverflowError:
            raise self.invalid(
                f"{kind} '{text}' has more than six digits of the second, which only the years 1677 to 2262 may have.",
                start,
                hint="remove the digits after the sixth",
            ) from None
        except ValueError:
            raise self.invalid(f"'{text}' is not a {kind}.", start, hint=f"the form is {kind} {_FORMS[kind]}") from None
        return Literal(value, type_, span=self.span(start))

    # --- intervals ----------------------------------------------------------------------------------------------------------------

    def interval_literal(self, start: int, *, negative: bool) -> Literal:
        """Consumes ``'…' unit [TO unit]``; INTERVAL and perhaps a sign were consumed from ``start`` on."""
        text = self.string()
        first, last, precision = self.interval_qualifier()
        try:
            value, is_months = _interval_value(text.strip(), first, last, precision)
        except ValueError as error:
            hint = f"the form is {_interval_form(first, last)}"
            message = f"'{text}' is not an interval of {first}{f' TO {last}' if last else ''}"
            raise self.invalid(f"{message}{f': {error}' if str(error) else ''}.", start, hint=hint) from None
        return Literal(-value if negative else value, _MONTHS if is_months else _SECONDS, span=self.span(start))

    def interval_qualifier(self) -> tuple[str, str | None, int | None]:
        """Consumes ``unit [(precision)] [TO unit [(precision)]]``; returns the units and the precision of the first."""
        first = self._interval_unit(tuple(INTERVAL_UNITS))
        precision: int | None = None
        if self.kind == "(" and self.peek() == NUMBER:
            self.advance()
            precision = self.unsigned_integer()
            if first == "SECOND" and self.accept(","):
                self.unsigned_integer()
            self.expect(")")
        if first not in ("YEAR", "DAY", "HOUR", "MINUTE") or not self.accept("TO"):
            return first, None, precision
        if first == "YEAR":
            return first, self._interval_unit(("MONTH", "MONTHS")), precision
        later = _DAY_TIME_ORDER[_DAY_TIME_ORDER.index(first) + 1 :]
        last = self._interval_unit(tuple(word for word, unit in INTERVAL_UNITS.items() if unit in later))
        if last == "SECOND" and self.accept("("):
            self.unsigned_integer()
            self.expect(")")
        return first, last, precision

    def _interval_unit(self, words: tuple[str, ...]) -> str:
        if self.kind not in words:
            raise self.unexpected(*(word for word in words if INTERVAL_UNITS[word] == word))
        unit = INTERVAL_UNITS[self.kind]
        self.advance()
        return unit

    def interval_type(self) -> LogicalType:
        """Consumes the units of an interval as the target of CAST."""
        first, _, _ = self.interval_qualifier()
        return (_MONTHS if first in _UNIT_MONTHS else _SECONDS).with_nullability(True)


def interval_of_one(unit: str) -> Literal:
    """Returns the interval literal of one unit."""
    return Literal(_UNIT_MONTHS[unit], _MONTHS) if unit in _UNIT_MONTHS else Literal(_UNIT_NANOS[unit], _SECONDS)


def _days(text: str) -> int:
    match = _DATE_TEXT.fullmatch(text)
    if match is None:
        raise ValueError
    return date(int(match[1]), int(match[2]), int(match[3])).toordinal()


def _date_value(text: str) -> tuple[object, LogicalType]:
    return date.fromordinal(_days(text)), _DATE


def _nanos_of_day(text: str) -> tuple[int, int]:
    match = _TIME_TEXT.fullmatch(text)
    if match is None or int(match[1]) > 23 or int(match[2]) > 59 or int(match[3]) > 59:
        raise ValueError
    digits = (match[4] or "")[:9]
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
    return seconds * _NANOS + int(digits.ljust(9, "0")), len(digits)


def _time_value(text: str) -> tuple[object, LogicalType]:
    nanos, precision = _nanos_of_day(text)
    return nanos, TimeType(precision, nullable=False)


def _timestamp_value(text: str) -> tuple[object, LogicalType]:
    day, space, time = text.partition(" ")
    nanos, precision = _nanos_of_day(time) if space else (0, 0)
    value = (_days(day) - _EPOCH) * 86_400 * _NANOS + nanos
    if precision > 6 and not -(1 << 63) < value < 1 << 63:
        raise OverflowError
    return value, TimestampType(precision, nullable=False)


_TEMPORAL = {"DATE": _date_value, "TIME": _time_value, "TIMESTAMP": _timestamp_value}
_FORMS = {"DATE": "'yyyy-MM-dd'", "TIME": "'HH:mm:ss[.fraction]'", "TIMESTAMP": "'yyyy-MM-dd[ HH:mm:ss[.fraction]]'"}


def _interval_value(text: str, first: str, last: str | None, precision: int | None) -> tuple[int, bool]:
    """Returns months or nanoseconds, and whether it is months."""
    sign = -1 if text.startswith("-") else 1
    text = text[1:] if text[:1] in ("-", "+") else text
    match = _interval_pattern(first, last).fullmatch(text)
    if match is None:
        raise ValueError
    fields = [int(group) for group in match.groups()[: _field_count(first, last)]]
    if precision is not None and len(match[1].lstrip("0")) > precision:
        raise ValueError(f"{first}({precision}) takes {precision} digits")
    if first in _UNIT_MONTHS:
        months = fields[0] * _UNIT_MONTHS[first]
        if last is not None:
            _check("MONTH", fields[1])
            months += fields[1]
        return sign * months, True
    if first == "WEEK":
        return sign * fields[0] * _UNIT_NANOS["WEEK"], False
    units = _DAY_TIME_ORDER[_DAY_TIME_ORDER.index(first) :]
    nanos = 0
    for position, (unit, field) in enumerate(zip(units, fields, strict=False)):
        if position:
            _check(unit, field)
        nanos += field * _UNIT_NANOS[unit]
    if (last or first) == "SECOND":
        # An interval has a precision of milliseconds.
        nanos += int((match[len(fields) + 1] or "")[:3].ljust(3, "0")) * 1_000_000
    return sign * nanos, False


def _check(unit: str, value: int) -> None:
    if value > _LARGEST[unit]:
        raise ValueError(f"{unit} goes up to {_LARGEST[unit]} here, but is {value}")


def _field_count(first: str, last: str | None) -> int:
    if last is None:
        return 1
    return 2 if first == "YEAR" else _DAY_TIME_ORDER.index(last) - _DAY_TIME_ORDER.index(first) + 1


def _interval_pattern(first: str, last: str | None) -> re.Pattern[str]:
    if first == "YEAR" and last is not None:
        return re.compile(r"(\d+)-(\d+)")
    pattern = r"(\d+)"
    if last is not None:
        for unit in _DAY_TIME_ORDER[_DAY_TIME_ORDER.index(first) + 1 : _DAY_TIME_ORDER.index(last) + 1]:
            pattern += _SEPARATORS[unit] + r"(\d{1,2})"
    if (last or first) == "SECOND":
        pattern += r"(?:\.(\d{1,9}))?"
    return re.compile(pattern)


def _interval_form(first: str, last: str | None) -> str:
    if first == "YEAR" and last is not None:
        return "'years-months'"
    if last is None:
        return f"'{first.lower()}s'" if first != "SECOND" else "'seconds[.fraction]'"
    parts = {"DAY": "days", "HOUR": "hours", "MINUTE": "minutes", "SECOND": "seconds[.fraction]"}
    text = parts[first]
    for unit in _DAY_TIME_ORDER[_DAY_TIME_ORDER.index(first) + 1 : _DAY_TIME_ORDER.index(last) + 1]:
        text += _SEPARATORS[unit] + parts[unit]
    return f"'{text}'"
