"""Computes cells on an engine and compares the answers of two engines."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from engine_matrix.cells import Cell
from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, TableInternalError, ValidationException

__all__ = ["Answer", "Declared", "Engine", "differs"]


@dataclass(frozen=True)
class Answer:
    """A value in a form that can be compared, or an error. ``is_raw``: the error is not one that the project explains."""

    value: Any = None
    error: str | None = None
    is_refused: bool = False
    is_raw: bool = False

    def __str__(self) -> str:
        return repr(self.value) if self.error is None else f"error: {self.error[:300]}"


@dataclass(frozen=True)
class Declared:
    """A declared difference: of these functions (empty: of all), whose cell or kind of difference matches the pattern."""

    reason: str
    functions: Sequence[str]
    matches: str = ""

    def covers(self, cell: Cell, difference: str) -> bool:
        """Returns whether the difference is declared."""
        return (not self.functions or cell.function in self.functions) and re.search(self.matches, f"{difference}: {cell}") is not None


class Engine:
    """One of the two engines."""

    def __init__(self, name: str, external: Any = None) -> None:
        settings = EnvironmentSettings.new_instance().with_planner(name).in_batch_mode().build()
        self._env = TableEnvironment.create(settings, external=external or {})

    def use_zone(self, zone: str) -> None:
        """Sets the time zone of the session."""
        self._env.get_config().set("table.local-time-zone", zone)

    def answer(self, cell: Cell) -> Answer:
        """Computes one cell."""
        try:
            return Answer(_row(self._env, [cell])[0])
        except ValidationException as error:
            return Answer(error=str(error), is_refused=True)
        except Exception as error:  # whatever it is: an error that the project does not explain is a difference
            return Answer(
                error=f"{type(error).__name__}: {error}", is_raw=not isinstance(error, TableError) or isinstance(error, TableInternalError)
            )

    def answers(self, cells: Sequence[Cell]) -> list[Answer] | None:
        """Computes cells in one query; None if it fails."""
        try:
            return [Answer(value) for value in _row(self._env, cells)]
        except Exception:  # the cells are then computed in smaller queries
            return None

    def close(self) -> None:
        """Ends the environment."""
        self._env.close()


def _row(env: TableEnvironment, cells: Sequence[Cell]) -> list[Any]:
    columns: list[str] = ["0"]
    expressions = []
    for cell in cells:
        expressions.append(f"{cell.expression(len(columns))} AS x{len(expressions)}")
        columns += cell.columns()
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    table = env.execute_sql(f"SELECT {', '.join(expressions)} FROM (VALUES ({', '.join(columns)})) AS t({names})").to_arrow()
    return [_plain(column[0]) for column in table.columns]


def _plain(value: pa.Scalar) -> Any:
    if not value.is_valid:
        return None
    type_ = value.type
    if pa.types.is_map(type_):
        return ("map", sorted(((_plain(item["key"]), _plain(item["value"])) for item in value.values), key=repr))
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return [_plain(item) for item in value.values]
    if pa.types.is_struct(type_):
        return tuple(_plain(value[i]) for i in range(type_.num_fields))
    if pa.types.is_timestamp(type_) or pa.types.is_time(type_) or pa.types.is_duration(type_) or pa.types.is_date(type_):
        return (str(type_), value.value)
    return value.as_py()


def differs(ours: Answer, theirs: Answer) -> str | None:
    """Returns what differs: ``value``, ``error``, or ``raw error``; None if both have the same value, or an error that is explained."""
    if ours.is_raw or theirs.is_raw:
        return "raw error"
    if (ours.error is None) != (theirs.error is None):
        return "error"
    return None if ours.error is not None or _same(ours.value, theirs.value) else "value"


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(left, right, rel_tol=1e-12) and math.copysign(1, left) == math.copysign(1, right)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(_same, left, right))
    return type(left) is type(right) and bool(left == right)
