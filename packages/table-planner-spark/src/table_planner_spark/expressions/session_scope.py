"""The session for which expressions are translated: a context variable that the planner sets while it translates a query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class SessionScope:
    """The session, in which functions may be registered, and the options that change what an expression means."""

    spark: SparkSession | None = None
    legacy_casts: bool = False
    time_zone: str = "UTC"
    avoids_time: bool = False
    """Whether the text has no TIME that the statement does not ask for: in a streaming query, Spark needs an option for that type."""


_NOWHERE = SessionScope()
_CURRENT: ContextVar[SessionScope | None] = ContextVar("session_scope", default=None)


def current_scope() -> SessionScope:
    """Returns the current scope; outside a translation it has no session."""
    return _CURRENT.get() or _NOWHERE


@contextmanager
def session_scope(scope: SessionScope) -> Iterator[None]:
    """Sets the scope for all expressions that are translated in the block."""
    token = _CURRENT.set(scope)
    try:
        yield
    finally:
        _CURRENT.reset(token)
