"""The text of floating point numbers."""

from __future__ import annotations


def double_text(shortest: str) -> str:
    """Returns Java's text for the shortest digits of a floating point number: ``1.0``, ``1.0E10``, ``NaN``, ``-Infinity``."""
    sign, digits = ("-", shortest[1:]) if shortest.startswith("-") else ("", shortest)
    if digits in ("nan", "inf"):
        return "NaN" if digits == "nan" else f"{sign}Infinity"
    mantissa, _, exponent_text = digits.partition("e")
    whole, _, fraction = mantissa.partition(".")
    significant = (whole + fraction).lstrip("0")
    if not significant:
        return f"{sign}0.0"
    # The number is 0.significant times 10 to the power of point.
    point = len(whole) + int(exponent_text or 0) - (len(whole + fraction) - len(significant))
    significant = significant.rstrip("0")
    if -2 <= point <= 7:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{significant}"
        padded = significant.ljust(point, "0")
        return f"{sign}{padded[:point]}.{padded[point:] or '0'}"
    return f"{sign}{significant[0]}.{significant[1:] or '0'}E{point - 1}"
