"""Checks the hints of a SELECT: names and tables are validated even if an engine ignores the hint."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.expressions.unresolved import Span
from table_api.resolution.scope import Scope
from table_api.sql.ast import Hint
from table_common.exceptions import SourcePosition, ValidationException

__all__ = ["check_query_hints"]

_JOIN_STRATEGIES = ("BROADCAST", "MULTI_JOIN", "NEST_LOOP", "SHUFFLE_HASH", "SHUFFLE_MERGE")
_NAMES = (*_JOIN_STRATEGIES, "LOOKUP", "STATE_TTL")


def check_query_hints(hints: Sequence[Hint], scope: Scope, position_of: Callable[[Span | None], SourcePosition | None]) -> None:
    """Checks the hints of a SELECT against the tables of its FROM.

    As in Flink, table names are checked only if the query has a join.

    Raises:
        ValidationException: a hint does not exist, names no table, or names a table that is not in FROM.
    """
    tables = sorted({relation.path[-1] for relation in scope.relations if relation.path})
    for hint in hints:
        name, position = hint.name.upper(), position_of(hint.span)
        if name not in _NAMES:
            raise ValidationException.unknown("Hint", hint.name, _NAMES, position=position)
        if name not in _JOIN_STRATEGIES:
            continue
        if not hint.arguments:
            raise ValidationException(f"The hint {name} names no table.", position=position, hint=f"the form is {name}(table, …)")
        for table in hint.arguments if len(scope.relations) > 1 else ():
            if not any(relation.answers_to(tuple(table.split("."))) for relation in scope.relations):
                raise ValidationException.unknown("Table", table, tables, where=f"the hint {name}", position=position)
