"""``JOIN t FOR SYSTEM_TIME AS OF o.proc_time``, and the LOOKUP hint that says how such a table is asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from table_api.operations import JoinQueryOperation, JoinType, LookupHint, QueryOperation, TemporalJoinQueryOperation, contains_subquery
from table_api.resolution.scope import Scope
from table_api.sql.ast import Hint, JoinRef, TableNameRef
from table_common.configuration import ConfigOptions
from table_common.exceptions import TableException, ValidationException, closest
from table_common.expressions import FieldReferenceExpression
from table_common.factories import validate_options
from table_common.types import LocalZonedTimestampType, TimestampKind, TimestampType

if TYPE_CHECKING:
    from table_api.sql.conversion.from_clause import FromClause

__all__ = ["LookupHints", "refuse_time_travel", "temporal_join"]

TABLE = ConfigOptions.key("table").string_type().no_default_value()
ASYNC = ConfigOptions.key("async").boolean_type().no_default_value()
OUTPUT_MODE = ConfigOptions.key("output-mode").enum_type("ordered", "allow_unordered").no_default_value()
CAPACITY = ConfigOptions.key("capacity").int_type().no_default_value()
TIMEOUT = ConfigOptions.key("timeout").duration_type().no_default_value()
RETRY_PREDICATE = ConfigOptions.key("retry-predicate").enum_type("lookup_miss").no_default_value()
RETRY_STRATEGY = ConfigOptions.key("retry-strategy").enum_type("fixed_delay").no_default_value()
FIXED_DELAY = ConfigOptions.key("fixed-delay").duration_type().no_default_value()
MAX_ATTEMPTS = ConfigOptions.key("max-attempts").int_type().no_default_value()
SHUFFLE = ConfigOptions.key("shuffle").boolean_type().no_default_value()
_RETRY = (RETRY_PREDICATE, RETRY_STRATEGY, FIXED_DELAY, MAX_ATTEMPTS)
_OPTIONAL = (ASYNC, OUTPUT_MODE, CAPACITY, TIMEOUT, *_RETRY, SHUFFLE)


class LookupHints:
    """The LOOKUP hints of one SELECT: each is taken by the table that it names."""

    def __init__(self, clause: FromClause, hints: Sequence[Hint]) -> None:
        self._clause = clause
        self._by_table: dict[str, tuple[Hint, LookupHint]] = {}
        for hint in hints:
            if hint.name.upper() != "LOOKUP":
                continue
            try:
                table, read = _read(hint)
            except ValidationException as error:
                raise error.at(clause.converter.position(hint.span)) from error.__cause__
            self._by_table.setdefault(table, (hint, read))
        self._open = set(self._by_table)

    def take(self, names: Sequence[str]) -> LookupHint:
        """Returns the hint for a table with one of the names."""
        for name in names:
            if name in self._by_table:
                self._open.discard(name)
                return self._by_table[name][1]
        return LookupHint()

    def require_taken(self, scope: Scope) -> None:
        """Raises a ``ValidationException`` if a hint names no table that is looked up."""
        for name in sorted(self._open):
            tables = sorted({relation.path[-1] for relation in scope.relations if relation.path})
            meant = closest(name, tables, 1)
            raise ValidationException(
                f"The LOOKUP hint names '{name}', but no table of that name is joined FOR SYSTEM_TIME AS OF."
                + (f" Did you mean '{meant[0]}'?" if meant and meant[0] != name else ""),
                position=self._clause.converter.position(self._by_table[name][0].span),
                hint="'table' is the alias of the table, if it has one",
            )


def _read(hint: Hint) -> tuple[str, LookupHint]:
    options = dict(hint.options)
    if hint.arguments:
        raise ValidationException(
            f"The LOOKUP hint takes options, but got '{hint.arguments[0]}'.", hint="LOOKUP('table'='d', 'async'='true', …)"
        )
    config = validate_options(options, (TABLE,), _OPTIONAL, "the hint LOOKUP")
    given = [option.key for option in _RETRY if option.key in options]
    if given and len(given) < len(_RETRY):
        missing = ", ".join(f"'{option.key}'" for option in _RETRY if option.key not in options)
        raise ValidationException(f"The hint LOOKUP takes the options of retries all together; {missing} is missing.")
    for option in (CAPACITY, MAX_ATTEMPTS):
        count = config.get_optional(option)
        if count is not None and count < 1:
            raise ValidationException(f"The option '{option.key}' of the hint LOOKUP takes 1 or more, but got {count}.")
    for duration in (TIMEOUT, FIXED_DELAY):
        time = config.get_optional(duration)
        if time is not None and time <= timedelta(0):
            raise ValidationException(f"The option '{duration.key}' of the hint LOOKUP takes a time above zero.")
    mode = config.get_optional(OUTPUT_MODE)
    return config.get(TABLE), LookupHint(
        config.get_optional(ASYNC),
        mode == "allow_unordered" if mode is not None else None,
        config.get_optional(CAPACITY),
        config.get_optional(TIMEOUT),
        config.get_optional(FIXED_DELAY),
        config.get_optional(MAX_ATTEMPTS),
    )


def temporal_join(clause: FromClause, node: JoinRef, table: TableNameRef, left: Scope, join: QueryOperation) -> QueryOperation:
    """Returns the join of a table as it is when the left rows are processed, given the plain join.

    Raises:
        ValidationException: the time is no processing time of the left side, or the kind of join is none of INNER and LEFT.
    """
    assert table.as_of is not None
    assert isinstance(join, JoinQueryOperation)
    position = clause.converter.position(table.as_of.expression.span or table.span)
    if join.join_type not in (JoinType.INNER, JoinType.LEFT_OUTER):
        raise ValidationException(
            f"A table FOR SYSTEM_TIME AS OF is joined by INNER or LEFT JOIN, but here by {node.kind.value} JOIN.", position=position
        )
    time = clause.converter.builder.resolver(left, "FOR SYSTEM_TIME AS OF").resolve(table.as_of.expression)
    kind = time.output_type.kind if isinstance(time.output_type, (TimestampType, LocalZonedTimestampType)) else None
    if not isinstance(time, FieldReferenceExpression) or kind in (None, TimestampKind.REGULAR):
        raise ValidationException(
            f"FOR SYSTEM_TIME AS OF takes a time attribute of the table on the left, but {time} is {time.output_type}.",
            position=position,
            hint="declare a column 'proc_time AS PROCTIME()' in the left table and write FOR SYSTEM_TIME AS OF o.proc_time",
        )
    if kind is TimestampKind.ROWTIME:
        reason = "is not supported in this version" if clause.converter.session.is_streaming_mode else "has no meaning in batch mode"
        raise ValidationException(
            f"Joining versions of a table by event time ('{time.name}') {reason}.",
            position=position,
            hint="look rows up as they are now with FOR SYSTEM_TIME AS OF a PROCTIME() column, or join the newest version at each time "
            "with ROW_NUMBER() OVER (… ORDER BY version time DESC) and a condition on the times",
        )
    if join.condition is not None and contains_subquery(join.condition):
        raise TableException("The condition of a join FOR SYSTEM_TIME AS OF cannot contain a query.", position=position)
    names = (table.alias,) if table.alias is not None else (table.path[-1], ".".join(table.path))
    hint = clause.lookup_hints.take(names) if clause.lookup_hints is not None else LookupHint()
    return TemporalJoinQueryOperation(join.left, join.right, join.join_type, join.condition, hint)


def refuse_time_travel(clause: FromClause, node: TableNameRef) -> None:
    """Raises: a table that is not joined stands FOR SYSTEM_TIME AS OF."""
    assert node.as_of is not None
    raise TableException(
        f"{'.'.join(node.path)} cannot be read as it was: its catalog keeps no older versions of a table.",
        position=clause.converter.position(node.as_of.expression.span or node.span),
        hint="behind JOIN, FOR SYSTEM_TIME AS OF with a PROCTIME() column of the left table looks rows up by key",
    )
