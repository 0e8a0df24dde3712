"""SET and RESET."""

from __future__ import annotations

from table_api.execution.local_result import ok, rows_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.command import ResetOperation, SetOptionOperation
from table_api.table_result import TableResult
from table_common.restrictions import ALLOWED_MODULES_KEY, ALLOWED_PATHS_KEY, Restrictions, current_restrictions
from table_common.secrets import mask_options
from table_common.types import VarCharType


@execute.register(SetOptionOperation)
def _set(operation: SetOptionOperation, session: TableSession) -> TableResult:
    if operation.key is None:
        shown = mask_options(session.config.to_map())
        return rows_of([("key", VarCharType()), ("value", VarCharType())], sorted(shown.items()))
    _check_key(operation.key, operation.value or "")
    session.config.set(operation.key, operation.value or "")
    return ok()


@execute.register(ResetOperation)
def _reset(operation: ResetOperation, session: TableSession) -> TableResult:
    if operation.key is not None:
        _check_key(operation.key)
    session.reset_option(operation.key)
    return ok()


def _check_key(key: str, value: str | None = None) -> None:
    """Refuses a key that statements must not change, and a path that they must not use.

    Raises:
        ValidationException: the option limits what statements may do, or the session is restricted.
    """
    restrictions = current_restrictions()
    if key in (ALLOWED_MODULES_KEY, ALLOWED_PATHS_KEY) or restrictions != Restrictions():
        restrictions.check_setting(key, value)
