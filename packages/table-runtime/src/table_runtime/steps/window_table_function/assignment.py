"""Window assignment over whole columns; times are int64 milliseconds since 1970-01-01 00:00 in local time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.aggregates.lists import positions
from table_runtime.columns.batches import concat_arrays

Integers = TypeVar("Integers", bound=Any)
"""A column of integers with Python's operators: an array of numpy, or ``_Column``."""


class Assignment(NamedTuple):
    """Pairs of row and window: position of the row (None: each row once, in order), start and end of the window."""

    rows: pa.Array | None
    starts: pa.Array
    ends: pa.Array


class AlignedWindows(ABC):
    """Windows that depend on the row's time only.

    Windows have numbers, which ascend with their ends: each time is in windows with consecutive numbers.
    """

    latest_first: ClassVar[bool] = False
    """Whether the windows of a row are in descending order."""

    @property
    @abstractmethod
    def most(self) -> int:
        """Maximum number of windows per row."""

    @abstractmethod
    def numbers(self, times: Integers) -> tuple[Integers, Integers]:
        """Returns the numbers of the first and the last window of each time: one object if each time is in one window.

        A time without windows has a last one before the first.
        """

    @abstractmethod
    def bounds(self, numbers: Integers) -> tuple[Integers, Integers]:
        """Returns the starts and the ends of windows."""

    def assign(self, times: pa.Array) -> Assignment:
        """Returns the windows of the rows with these times (no NULLs), in the order of the rows."""
        first, last = self.numbers(_Column(times))
        if first is last:
            starts, ends = self.bounds(first)
            return Assignment(None, starts.values, ends.values)
        rows, behind = _repeated((last - first + 1).values)
        starts, ends = self.bounds(last.take(rows) - behind if self.latest_first else first.take(rows) + behind)
        return Assignment(rows, starts.values, ends.values)


class _Column:
    """A column of int64 with the arithmetic of Python's integers: division rounds down, also below zero."""

    __slots__ = ("values",)

    def __init__(self, values: pa.Array) -> None:
        self.values = values

    def take(self, rows: pa.Array) -> Self:
        return type(self)(pc.take(self.values, rows))

    def __add__(self, other: _Column | int) -> _Column:
        return self if _is(other, 0) else _Column(pc.add(self.values, _operand(other)))

    def __sub__(self, other: _Column | int) -> _Column:
        return self if _is(other, 0) else _Column(pc.subtract(self.values, _operand(other)))

    def __mul__(self, factor: int) -> _Column:
        return self if factor == 1 else _Column(pc.multiply(self.values, _operand(factor)))

    def __floordiv__(self, divisor: int) -> _Column:
        if divisor == 1:
            return self
        quotient = pc.divide(self.values, _operand(divisor))  # rounds towards zero
        is_above = pc.less(self.values, pc.multiply(quotient, _operand(divisor)))
        return _Column(pc.subtract(quotient, pc.cast(is_above, pa.int64())))


def _is(other: _Column | int, number: int) -> bool:
    return isinstance(other, int) and other == number


def _operand(other: _Column | int) -> Any:
    return pa.scalar(other, pa.int64()) if isinstance(other, int) else other.values


def _repeated(counts: pa.Array) -> tuple[pa.Array, _Column]:
    """Returns the positions 0, 1, 2, …, each repeated as often as its count (0, if that is less), and the number of the repetition, from 0."""
    counts = pc.max_element_wise(counts, pa.scalar(0, pa.int64()))
    offsets = concat_arrays([pa.array([0], type=pa.int64()), pc.cumulative_sum(counts)], pa.int64())
    numbers = positions(offsets[len(offsets) - 1].as_py())
    rows = pc.list_parent_indices(pa.LargeListArray.from_arrays(offsets, numbers))
    return rows, _Column(pc.subtract(numbers, pc.take(offsets, rows)))
