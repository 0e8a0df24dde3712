"""Execution of one operation: queries and INSERTs become jobs of the engine, all other operations run immediately."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, cast

from table_api.delegation import ProgressListener
from table_api.execution.registry import execute
from table_api.execution.session import TableSession, require_statement_text
from table_api.operations import Operation, QueryOperation
from table_api.table_result import TableResult
from table_common.exceptions import CatalogConflictException
from table_common.gate import restrictions_in_force
from table_common.redaction import secrets_hidden

if TYPE_CHECKING:
    from table_api.operations import SinkModifyOperation

_ATTEMPTS = 20
"""How often a statement is retried if others change its object concurrently."""


def execute_statement(
    text: str, session: TableSession, args: Mapping[str, object] | None = None, progress: ProgressListener | None = None
) -> TableResult:
    """Runs a statement; after a conflict with a concurrent change it is parsed and run again.

    Raises:
        TableError: it is not valid, not supported, or failed.
    """
    require_statement_text(text)
    with _logged(text, session), secrets_hidden(text), restrictions_in_force(session.configuration):
        for _ in range(_ATTEMPTS):
            try:
                return execute_operation(session.parse(text, args), session, progress)
            except CatalogConflictException:
                continue
        return execute_operation(session.parse(text, args), session, progress)


def _logged(text: str, session: TableSession) -> AbstractContextManager[None]:
    if "logging" not in sys.modules:
        return nullcontext()
    from table_api.execution.statement_log import logged_statement

    return logged_statement(text, session.configuration)


def execute_operation(operation: Operation, session: TableSession, progress: ProgressListener | None = None) -> TableResult:
    """Runs an operation.

    Raises:
        TableError: it is not valid, not supported, or failed.
    """
    if isinstance(operation, QueryOperation):
        return session.run_query(operation, progress)
    if operation.insertions:
        return session.run_inserts(cast("Sequence[SinkModifyOperation]", operation.insertions), progress)
    try:
        result: TableResult = execute(operation, session)
    except Exception as error:
        from table_api.plan.redaction import hidden_options

        hidden_options([operation]).in_error(error)
        raise
    return result
