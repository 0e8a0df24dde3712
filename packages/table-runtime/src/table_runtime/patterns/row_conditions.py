"""Conditions over several rows, evaluated for many partial matches at once, by numpy and kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import make_batch
from table_runtime.expressions import Evaluator
from table_runtime.patterns.pattern import ABSENT, ANY, Navigation

Integers = np.ndarray[Any, np.dtype[np.int64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
AskRows = Callable[[Integers, Integers, Integers], Bools]
"""Maps the arguments of ``Ask``, for many partial matches, to its results. The first rows of the variables are a matrix with a row per match."""


def ask_rows(
    variable: int, navigations: Sequence[Navigation], columns: Sequence[tuple[pa.Array, pa.Array]], remaining: Evaluator, schema: pa.Schema
) -> AskRows:
    """Returns the condition of the variable for many partial matches.

    Args:
        variable: the variable at a position of the pattern.
        navigations: which row each column of ``schema`` is taken from.
        columns: the values of each column for all rows of the batch, and the one without a row.
        remaining: the condition over rows of ``schema``.
        schema: the columns.
    """
    values = [pa.concat_arrays([column, missing]) for column, missing in columns]

    def ask(firsts: Integers, starts: Integers, rows: Integers) -> Bools:
        taken = []
        for navigation, column in zip(navigations, values, strict=True):
            places = _places(navigation, variable, firsts, starts, rows)
            places[places < 0] = len(column) - 1
            taken.append(pc.take(column, pa.array(places)))
        holds: Bools = remaining.evaluate_filter(make_batch(taken, schema, len(rows))).to_numpy(zero_copy_only=False)
        return holds

    return ask


def _places(navigation: Navigation, current: int, firsts: Integers, starts: Integers, rows: Integers) -> Integers:
    """Returns the row that the navigation leads to in each partial match, -1 if there is none; compare ``rows_in_condition``."""
    variable, offset = navigation.variable, navigation.offset
    if variable == ABSENT:
        return np.full(len(rows), -1, np.int64)
    if variable in (ANY, current):
        first = starts if variable == ANY else np.where(firsts[:, current] >= 0, firsts[:, current], rows)
        end = rows + 1
    else:
        first, end = firsts[:, variable], rows
        for later in reversed(range(variable + 1, firsts.shape[1])):
            end = np.where(firsts[:, later] >= 0, firsts[:, later], end)
    places = first + offset if navigation.from_first else end - 1 - offset
    return np.where((first >= 0) & (places >= first) & (places < end), places, -1)
