"""``Period``: the Python value of a year–month interval."""

from __future__ import annotations

from typing import Self

from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A number of months; ``str`` is years and months, such as ``+1-02`` or ``-0-11``.

    Example:
        >>> str(Period.of(1, 2))
        '+1-02'
    """

    months_total: int

    @classmethod
    def of(cls, years: int = 0, months: int = 0) -> Self:
        """Returns a period of years and months."""
        return cls(years * 12 + months)

    @property
    def years(self) -> int:
        """The whole years, with the period's sign."""
        return self._sign * (abs(self.months_total) // 12)

    @property
    def months(self) -> int:
        """The months beyond whole years, with the period's sign."""
        return self._sign * (abs(self.months_total) % 12)

    @property
    def _sign(self) -> int:
        return -1 if self.months_total < 0 else 1

    def __neg__(self) -> Period:
        return Period(-self.months_total)

    def __str__(self) -> str:
        years, months = divmod(abs(self.months_total), 12)
        return f"{'-' if self.months_total < 0 else '+'}{years}-{months:02d}"
