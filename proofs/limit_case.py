"""The cases of ``limits.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CASES", "ERROR", "RESULT", "Case", "add", "joined", "read", "sized", "sql"]

EITHER = frozenset({"result", "error"})
RESULT = frozenset({"result"})
ERROR = frozenset({"error"})


@dataclass(frozen=True)
class Case:
    """A case: ``prepare`` receives an environment, and whether to use the short form, and returns the function that is timed."""

    prepare: Callable[[Any, bool], Callable[[], object]]
    seconds: float = 10
    ends: frozenset[str] = EITHER
    engine_seconds: Mapping[str, float] = field(default_factory=dict)

    def seconds_on(self, engine: str) -> float:
        """Returns the time limit on an engine."""
        return self.engine_seconds.get(engine, self.seconds)


CASES: dict[str, Case] = {}


def add(
    name: str, prepare: Callable[[Any, bool], Callable[[], object]], seconds: float = 10, ends: frozenset[str] = EITHER, **engines: float
) -> None:
    CASES[name] = Case(prepare, seconds, ends, engines)


def read(environment: Any, sql: str) -> int:
    with environment.execute_sql(sql).collect() as rows:
        return sum(1 for _ in rows)


def sql(name: str, text: str | Callable[[], str], seconds: float = 10, ends: frozenset[str] = EITHER, **engines: float) -> None:
    """Adds a case that runs one statement to its end."""

    def prepare(environment: Any, is_short: bool) -> Callable[[], object]:
        sql = text if isinstance(text, str) else text()
        return lambda: read(environment, sql)

    add(name, prepare, seconds, ends, **engines)


def sized(
    name: str, text: Callable[[int], str], full: int, short: int, seconds: float = 10, ends: frozenset[str] = EITHER, **engines: float
) -> None:
    """Adds a case that runs one statement of a given size."""

    def prepare(environment: Any, is_short: bool) -> Callable[[], object]:
        sql = text(short if is_short else full)
        return lambda: read(environment, sql)

    add(name, prepare, seconds, ends, **engines)


def joined(separator: str, item: str) -> Callable[[int], str]:
    return lambda count: separator.join(item.format(number) for number in range(count))
