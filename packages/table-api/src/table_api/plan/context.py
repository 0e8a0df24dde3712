"""What a rewrite may ask, and what it leaves behind: the session, and the trace of rules that fired."""

from __future__ import annotations

from table_api.delegation import Planner, Session
from table_common.frozen_dataclass import dataclass, field

__all__ = ["RuleContext"]


@dataclass
class RuleContext:
    """Is made for one statement."""

    session: Session
    planner: Planner | None = None
    """Who computes constants; None leaves them to the engine's own planning."""
    trace: list[str] = field(default_factory=list)
    """The names of the rules that changed the plan, in order."""
