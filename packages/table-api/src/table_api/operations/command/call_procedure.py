"""CALL."""

from __future__ import annotations

from table_api.expressions.unresolved import Span, UnresolvedExpression
from table_api.operations.operation import Operation
from table_common.catalog import ObjectIdentifier
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class CallProcedureOperation(Operation):
    """``CALL procedure(arguments)``. The arguments are resolved when it runs, because only the procedure knows their types.

    ``text`` is the statement, and ``path_span`` the place of the name in it.
    """

    identifier: ObjectIdentifier
    args: tuple[UnresolvedExpression, ...]
    text: str = field(compare=False)
    path_span: Span | None = field(default=None, compare=False)
