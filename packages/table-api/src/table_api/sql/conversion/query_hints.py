"""Checks the hints of a SELECT: names and tables are validated even if an engine ignores the hint."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.expressions.unresolved import Span
from table_api.operations import JoinQueryOperation, JoinStrategy, QueryOperation
from table_api.resolution.scope import Scope
from table_api.sql.ast import Hint
from table_common.exceptions import SourcePosition, ValidationException
from table_common.frozen_dataclass import replace

_JOIN_STRATEGIES = ("BROADCAST", "MULTI_JOIN", "NEST_LOOP", "SHUFFLE_HASH", "SHUFFLE_MERGE")
_OF_SPARK = {
    "BROADCASTJOIN": "BROADCAST",
    "MAPJOIN": "BROADCAST",
    "MERGE": "SHUFFLE_MERGE",
    "MERGEJOIN": "SHUFFLE_MERGE",
    "SHUFFLE_REPLICATE_NL": "NEST_LOOP",
}
"""Spark's names of these hints."""
_DIVIDES = ("COALESCE", "REBALANCE", "REPARTITION", "REPARTITION_BY_RANGE")
"""Spark's hints that say into how many partitions rows are divided."""
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
        if name in _OF_SPARK:
            written = f"{_OF_SPARK[name]}({', '.join(hint.arguments) or 'table, …'})"
            raise ValidationException(f"{name} is a hint of Spark SQL.", position=position, hint=f"write {written}")
        if name in _DIVIDES:
            raise ValidationException(
                f"{name} is a hint of Spark SQL, which says into how many parts rows are divided.",
                position=position,
                hint="leave it out; on Spark, spark.sql.shuffle.partitions sets the number, or env.to_data_frame(table).repartition(n)",
            )
        if name not in _NAMES:
            raise ValidationException.unknown("Hint", hint.name, _NAMES, position=position)
        if name not in _JOIN_STRATEGIES:
            continue
        if not hint.arguments:
            raise ValidationException(f"The hint {name} names no table.", position=position, hint=f"the form is {name}(table, …)")
        for table in hint.arguments if len(scope.relations) > 1 else ():
            if not any(relation.answers_to(tuple(table.split("."))) for relation in scope.relations):
                raise ValidationException.unknown("Table", table, tables, where=f"the hint {name}", position=position)


def strategy_hints(hints: Sequence[Hint]) -> list[Hint]:
    """Returns the hints that say how to join a table."""
    return [hint for hint in hints if hint.name.upper() in JoinStrategy.__members__]


def with_strategies(join: QueryOperation, hints: Sequence[Hint], scopes: tuple[Scope, Scope]) -> QueryOperation:
    """Returns a join with the strategies that hints give for its inputs. An input that is itself a join has none; of several, the first counts."""
    if type(join) is not JoinQueryOperation:
        return join
    left, right = (_strategy(hints, scope) for scope in scopes)
    return join if left is None and right is None else replace(join, strategies=(left, right))


def _strategy(hints: Sequence[Hint], scope: Scope) -> JoinStrategy | None:
    if len(scope.relations) != 1:
        return None
    (relation,) = scope.relations
    for hint in hints:
        if any(relation.answers_to(tuple(table.split("."))) for table in hint.arguments):
            return JoinStrategy[hint.name.upper()]
    return None
