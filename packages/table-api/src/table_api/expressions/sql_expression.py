"""An expression written as SQL text, parsed when the table that it is used on is known."""

from __future__ import annotations

from table_api.expressions.unresolved import UnresolvedExpression
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SqlExpression(UnresolvedExpression):
    """``call_sql("a + 1")``."""

    text: str
