"""The STATE_TTL hint: how long the joins and the aggregate of a SELECT keep untouched state, by the tables of its FROM."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.expressions.unresolved import Span
from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    JoinQueryOperation,
    QueryOperation,
    StateTtl,
)
from table_api.resolution.scope import Scope
from table_api.sql.ast import Hint, JoinRef, ParenthesizedRef, TableRef
from table_common.exceptions import SourcePosition, ValidationException, closest
from table_common.frozen_dataclass import replace
from table_common.tree import children_of, map_children_of

_FORM = "the form is STATE_TTL('table' = '1 d')"


class StateTtlHints:
    """The STATE_TTL hints of one SELECT. ``has_effect`` is false in batch mode, where hints are only checked.

    Each side of a join that is one table gets the duration of the table. If FROM is one table, the aggregate of the SELECT gets it: that of GROUP BY,
    or that of DISTINCT if there is no other. As in Flink, names must match only if the SELECT has a join or an aggregate.
    """

    def __init__(self, hints: Sequence[Hint], position: Callable[[Span | None], SourcePosition | None], *, has_effect: bool) -> None:
        self._position = position
        self._has_effect = has_effect
        self._by_name: dict[str, tuple[StateTtl, Hint]] = {}
        self._open: set[str] = set()
        self._has_joins = False
        for hint in hints:
            if hint.name.upper() != "STATE_TTL":
                continue
            try:
                read = _read(hint)
            except ValidationException as error:
                raise error.at(position(hint.span)) from error.__cause__
            for name, ttl in read.items():  # of several hints for one table the first counts, of several options of one hint the last
                self._by_name.setdefault(name, (ttl, hint))
        self._open = set(self._by_name)

    def on_join(self, join: QueryOperation, sides: tuple[TableRef, TableRef], scopes: tuple[Scope, Scope]) -> QueryOperation:
        """Returns a join with the durations of its sides. Lookup joins and LATERAL keep no state that could expire, joins with versions what is still needed."""
        self._has_joins = True
        left, right = (None if _is_join(side) else self._take(scope) for side, scope in zip(sides, scopes, strict=True))
        if type(join) is not JoinQueryOperation or (left is None and right is None):
            return join
        return replace(join, state_ttl=(left, right)) if self._has_effect else join

    def on_aggregate(self, query: QueryOperation, source: QueryOperation, scope: Scope) -> QueryOperation:
        """Returns the query with the duration at its aggregate over ``source``, the rows of FROM and WHERE.

        Raises:
            ValidationException: a hint names no table of FROM.
        """
        aggregate = _aggregate_over(source, query)
        ttl = self._take(scope) if aggregate is not None and not self._has_joins else None
        if self._open and (aggregate is not None or self._has_joins):
            raise self._unknown(min(self._open), scope)
        return query if aggregate is None or ttl is None or not self._has_effect else _with_state_ttl(query, aggregate, ttl)

    def _take(self, scope: Scope) -> StateTtl | None:
        """Returns the duration for a scope of one table, and marks its names as used; None if there is none."""
        if len(scope.relations) != 1:
            return None
        # Differs from Flink: STATE_TTL may also name VALUES, a sample or a window by its alias; it does not reach aggregates within a view.
        path = scope.relations[0].path
        names = [name for name in self._by_name if path[-1:] == (name,) or scope.relations[0].answers_to(tuple(name.split(".")))]
        self._open.difference_update(names)
        return self._by_name[names[0]][0] if names else None

    def _unknown(self, name: str, scope: Scope) -> ValidationException:
        tables = sorted({relation.path[-1] for relation in scope.relations if relation.path})
        meant = closest(name, tables, 1)
        return ValidationException(
            f"The hint STATE_TTL names '{name}', which is no table or view that a join or the aggregate of this SELECT reads."
            + (f" Did you mean '{meant[0]}'?" if meant and meant[0] != name else "")
            + (f" Available: {', '.join(tables)}" if tables else ""),
            position=self._position(self._by_name[name][1].span),
            hint="a table with an alias is named by the alias; of a view, name the view and not its tables",
        )


def _read(hint: Hint) -> dict[str, StateTtl]:
    if hint.arguments:
        raise ValidationException(f"The hint STATE_TTL takes key-value options only, but got '{hint.arguments[0]}'.", hint=_FORM)
    if not hint.options:
        raise ValidationException("The hint STATE_TTL names no table.", hint=_FORM)
    return {name: StateTtl(text) for name, text in hint.options}


def _is_join(node: TableRef) -> bool:
    while isinstance(node, ParenthesizedRef) and isinstance(node.query, TableRef) and node.alias is None:
        node = node.query
    return isinstance(node, JoinRef)


def _aggregate_over(source: QueryOperation, query: QueryOperation) -> AggregateQueryOperation | DistinctQueryOperation | None:
    """Returns the aggregate, or else the DISTINCT, between the rows of FROM and the result of a SELECT."""
    found: AggregateQueryOperation | DistinctQueryOperation | None = None
    node = query
    while node is not source:
        if isinstance(node, (AggregateQueryOperation, DistinctQueryOperation)):
            found = node
        children = children_of(node, QueryOperation)
        if not children:
            return None
        node = children[0]  # GROUP BY with repeated grouping sets joins the aggregate with constant rows on the right
    return found


def _with_state_ttl(query: QueryOperation, aggregate: AggregateQueryOperation | DistinctQueryOperation, ttl: StateTtl) -> QueryOperation:
    if query is aggregate:
        return replace(aggregate, state_ttl=ttl)
    first = children_of(query, QueryOperation)[0]
    return map_children_of(query, QueryOperation, lambda child: _with_state_ttl(child, aggregate, ttl) if child is first else child)
