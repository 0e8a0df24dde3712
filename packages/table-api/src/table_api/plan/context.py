"""The context of rewrite rules: the session, the planner, and the trace of rules that changed the plan."""

from __future__ import annotations

from table_api.delegation import Planner, Session
from table_common.frozen_dataclass import dataclass, field


@dataclass
class RuleContext:
    """The context of one statement's planning."""

    session: Session
    planner: Planner | None = None
    """The planner that evaluates constants; None leaves constants to the engine."""
    trace: list[str] = field(default_factory=list)
    """The names of the rules that changed the plan, in order."""
    folded_size: int = 0
    """Characters and bytes of the values that constant expressions were replaced by."""
