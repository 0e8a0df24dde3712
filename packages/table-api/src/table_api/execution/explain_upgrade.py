"""What a changed statement would use of the state in its checkpoints."""

from __future__ import annotations

from table_api.execution.explain import planned
from table_api.execution.session import TableSession
from table_api.operations import Operation
from table_api.plan.explain import explain_upgrade


def upgrade_text(operation: Operation, session: TableSession) -> str:
    """Returns a line per operator that keeps state.

    Raises:
        TableException: the statement would run without checkpoints.
    """
    return explain_upgrade(planned(operation), session, session.planner)
