"""What the translation of an expression knows of the session at hand: the planner says it for as long as it translates a query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from pyspark.sql import SparkSession

__all__ = ["SessionScope", "current_scope", "session_scope"]


@dataclass(frozen=True, slots=True)
class SessionScope:
    """The session, in which functions may be registered, and the options that change what an expression means."""

    spark: SparkSession | None = None
    legacy_casts: bool = False


_NOWHERE = SessionScope()
_CURRENT: ContextVar[SessionScope | None] = ContextVar("session_scope", default=None)


def current_scope() -> SessionScope:
    """Returns what was last said; outside of a translation there is no session."""
    return _CURRENT.get() or _NOWHERE


@contextmanager
def session_scope(scope: SessionScope) -> Iterator[None]:
    """Says it for all expressions that are translated in the block."""
    token = _CURRENT.set(scope)
    try:
        yield
    finally:
        _CURRENT.reset(token)
