"""PRINTF: Java's format strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from table_common.exact_decimals import absolute, rounded
from table_runtime.columns.value_size import check_value_size

_CONVERSION = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")


def printf(template: str | None, *values: Any, bits: Sequence[int] = ()) -> str | None:
    """Returns the formatted text; None if the template is NULL or does not match the values.

    ``bits`` are the widths of the values that are integers (default: 64); ``%x`` and ``%o`` write the two's complement of that width.
    """
    if template is None:
        return None
    position = 0

    def fill(match: re.Match[str]) -> str:
        nonlocal position
        index, flags, width, precision, kind = match.groups()
        check_value_size("PRINTF", max(int(width or 0), int(precision or 0)))
        if kind in "n%":
            text = "\n" if kind == "n" else "%"
        else:
            if index is None:
                number, position = position, position + 1
            else:
                number = int(index) - 1
            text = _convert(values[number], flags, kind, None if precision is None else int(precision), bits[number] if bits else 64)
        return _pad(text, flags, int(width or 0), kind)

    try:
        if "%" in _CONVERSION.sub("", template):
            return None
        return _CONVERSION.sub(fill, template)
    except (IndexError, ValueError, TypeError):
        return None


def _pad(text: str, flags: str, width: int, kind: str) -> str:
    if "-" in flags:
        return text.ljust(width)
    if "0" in flags and kind in "dfexo":
        sign = text[0] if text[:1] in "+- (" and text else ""
        return sign + text[len(sign) :].rjust(width - len(sign), "0")
    return text.rjust(width)


def _convert(value: Any, flags: str, kind: str, precision: int | None, bits: int) -> str:
    if kind in "bB":
        text = "false" if value is None or value is False else "true"
    elif value is None:
        text = "null"
    elif kind in "sS":
        text = ("true" if value else "false") if isinstance(value, bool) else str(value)
        text = text if precision is None else text[:precision]
    elif kind == "d":
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError
        text = _signed(value < 0, format(abs(value), "," if "," in flags else ""), flags)
    elif kind in "xXo":
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError
        text = format(value & (1 << bits) - 1 if value < 0 else value, kind)
    elif kind in "feE":
        if not isinstance(value, (float, Decimal)):
            raise TypeError
        text = _real(Decimal(str(value)) if isinstance(value, float) else value, flags, kind, 6 if precision is None else precision)
    elif kind in "cC":
        if not isinstance(value, int) or isinstance(value, bool) or bits > 32:
            raise TypeError
        text = chr(value)
    else:
        raise ValueError
    return text.upper() if kind.isupper() else text


def _real(value: Decimal, flags: str, kind: str, precision: int) -> str:
    if not value.is_finite():
        return "NaN" if value.is_nan() else _signed(value < 0, "Infinity", flags)
    if kind in "eE":
        return _signed(value < 0, _scientific(absolute(value), precision), flags)
    digits = rounded(absolute(value), precision)
    return _signed(value < 0, format(digits, ",f" if "," in flags else "f"), flags)


def _scientific(value: Decimal, precision: int) -> str:
    if not value:
        return f"{0:.{precision}e}"
    number = rounded(value, precision - value.adjusted())
    digits = "".join(map(str, number.as_tuple().digits))[: precision + 1].ljust(precision + 1, "0")
    return f"{digits[0]}{'.' if precision else ''}{digits[1:]}e{number.adjusted():+03d}"


def _signed(negative: bool, digits: str, flags: str) -> str:
    if negative:
        return f"({digits})" if "(" in flags else f"-{digits}"
    return f"+{digits}" if "+" in flags else f" {digits}" if " " in flags else digits
