"""Running statements: what needs no engine runs here, queries and inserts go to the planner."""

from table_api.execution.jobs import RunningJob
from table_api.execution.session import TableSession
from table_api.execution.statements import execute_operation

__all__ = ["RunningJob", "TableSession", "execute_operation"]
