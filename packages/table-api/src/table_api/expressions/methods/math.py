"""Arithmetic functions."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder, call_of
from table_api.expressions.symbols import TimeIntervalUnit


class MathMethods(NodeHolder):
    """Functions of numbers."""

    __slots__ = ()

    @property
    def abs(self) -> Self:
        """Returns the absolute value."""
        return self._call("ABS")

    @property
    def sign(self) -> Self:
        """Returns -1, 0 or 1 in the number's type."""
        return self._call("SIGN")

    @property
    def sqrt(self) -> Self:
        """Returns the square root."""
        return self._call("SQRT")

    @property
    def exp(self) -> Self:
        """Returns e to the power of this."""
        return self._call("EXP")

    @property
    def ln(self) -> Self:
        """Returns the natural logarithm."""
        return self._call("LN")

    @property
    def log10(self) -> Self:
        """Returns the logarithm to base 10."""
        return self._call("LOG10")

    @property
    def log2(self) -> Self:
        """Returns the logarithm to base 2."""
        return self._call("LOG2")

    def log(self, base: object = None) -> Self:
        """Returns the logarithm to ``base``; without one the natural logarithm."""
        return self._call("LOG") if base is None else self._of(call_of("LOG", base, self))

    @property
    def sin(self) -> Self:
        """Returns the sine of radians."""
        return self._call("SIN")

    @property
    def cos(self) -> Self:
        """Returns the cosine of radians."""
        return self._call("COS")

    @property
    def tan(self) -> Self:
        """Returns the tangent of radians."""
        return self._call("TAN")

    @property
    def cot(self) -> Self:
        """Returns the cotangent of radians."""
        return self._call("COT")

    @property
    def asin(self) -> Self:
        """Returns the arc sine in radians."""
        return self._call("ASIN")

    @property
    def acos(self) -> Self:
        """Returns the arc cosine in radians."""
        return self._call("ACOS")

    @property
    def atan(self) -> Self:
        """Returns the arc tangent in radians."""
        return self._call("ATAN")

    @property
    def sinh(self) -> Self:
        """Returns the hyperbolic sine."""
        return self._call("SINH")

    @property
    def cosh(self) -> Self:
        """Returns the hyperbolic cosine."""
        return self._call("COSH")

    @property
    def tanh(self) -> Self:
        """Returns the hyperbolic tangent."""
        return self._call("TANH")

    @property
    def degrees(self) -> Self:
        """Converts radians to degrees."""
        return self._call("DEGREES")

    @property
    def radians(self) -> Self:
        """Converts degrees to radians."""
        return self._call("RADIANS")

    def round(self, places: object) -> Self:
        """Rounds half away from zero to ``places`` decimal places; negative places are left of the decimal point."""
        return self._call("ROUND", places)

    def truncate(self, n: object = 0) -> Self:
        """Truncates to ``n`` decimal places; negative places are left of the decimal point."""
        return self._call("TRUNCATE", n)

    def floor(self, time_interval_unit: TimeIntervalUnit | None = None) -> Self:
        """Rounds a number down, or a point in time down to a unit."""
        return self._call("FLOOR", optional=[time_interval_unit])

    def ceil(self, time_interval_unit: TimeIntervalUnit | None = None) -> Self:
        """Rounds a number up, or a point in time up to a unit."""
        return self._call("CEIL", optional=[time_interval_unit])

    @property
    def bin(self) -> Self:
        """Returns an integer as text in binary."""
        return self._call("BIN")

    @property
    def hex(self) -> Self:
        """Returns an integer or text in hexadecimal."""
        return self._call("HEX")

    @property
    def unhex(self) -> Self:
        """Converts hexadecimal text to bytes; NULL if it is not valid."""
        return self._call("UNHEX")

    def inet_aton(self) -> Self:
        """Converts an IPv4 address as text to a BIGINT; NULL if it is not valid."""
        return self._call("INET_ATON")

    def inet_ntoa(self) -> Self:
        """Converts a number to an IPv4 address as text; NULL if it is out of range."""
        return self._call("INET_NTOA")
