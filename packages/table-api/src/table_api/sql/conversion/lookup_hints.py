"""The LOOKUP hint: options of the lookup join with a table FOR SYSTEM_TIME AS OF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from table_api.expressions.unresolved import Span
from table_api.operations import LookupHint
from table_api.resolution.scope import Scope
from table_api.sql.ast import Hint
from table_common.configuration import ConfigOptions
from table_common.exceptions import SourcePosition, ValidationException, closest
from table_common.factories import validate_options

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
    """The LOOKUP hints of a SELECT, by the table that each names."""

    def __init__(self, hints: Sequence[Hint], position: Callable[[Span | None], SourcePosition | None]) -> None:
        self._position = position
        self._by_table: dict[str, tuple[Hint, LookupHint]] = {}
        for hint in hints:
            if hint.name.upper() != "LOOKUP":
                continue
            try:
                table, read = _read(hint)
            except ValidationException as error:
                raise error.at(position(hint.span)) from error.__cause__
            self._by_table.setdefault(table, (hint, read))
        self._open = set(self._by_table)

    def take(self, names: Sequence[str]) -> LookupHint:
        """Returns the hint for a table with one of these names, and marks it as used."""
        for name in names:
            if name in self._by_table:
                self._open.discard(name)
                return self._by_table[name][1]
        return LookupHint()

    def require_taken(self, scope: Scope) -> None:
        """Checks that each hint names a table that is used in a lookup join.

        Raises:
            ValidationException: a hint names another table.
        """
        for name in sorted(self._open):
            tables = sorted({relation.path[-1] for relation in scope.relations if relation.path})
            meant = closest(name, tables, 1)
            raise ValidationException(
                f"The LOOKUP hint names '{name}', but no table of that name is joined FOR SYSTEM_TIME AS OF."
                + (f" Did you mean '{meant[0]}'?" if meant and meant[0] != name else ""),
                position=self._position(self._by_table[name][0].span),
                hint="'table' is the alias of the table, if it has one",
            )


def _read(hint: Hint) -> tuple[str, LookupHint]:
    options = dict(hint.options)
    if hint.arguments:
        raise ValidationException(
            f"The LOOKUP hint accepts options only, but got '{hint.arguments[0]}'.", hint="LOOKUP('table'='d', 'async'='true', …)"
        )
    config = validate_options(options, (TABLE,), _OPTIONAL, "the hint LOOKUP")
    given = [option.key for option in _RETRY if option.key in options]
    if given and len(given) < len(_RETRY):
        missing = ", ".join(f"'{option.key}'" for option in _RETRY if option.key not in options)
        raise ValidationException(f"The hint LOOKUP needs all retry options or none; {missing} is missing.")
    for option in (CAPACITY, MAX_ATTEMPTS):
        count = config.get_optional(option)
        if count is not None and count < 1:
            raise ValidationException(f"The option '{option.key}' of the hint LOOKUP must be at least 1, but got {count}.")
    for duration in (TIMEOUT, FIXED_DELAY):
        time = config.get_optional(duration)
        if time is not None and time <= timedelta(0):
            raise ValidationException(f"The option '{duration.key}' of the hint LOOKUP must be positive.")
    mode = config.get_optional(OUTPUT_MODE)
    return config.get(TABLE), LookupHint(
        config.get_optional(ASYNC),
        mode == "allow_unordered" if mode is not None else None,
        config.get_optional(CAPACITY),
        config.get_optional(TIMEOUT),
        config.get_optional(FIXED_DELAY),
        config.get_optional(MAX_ATTEMPTS),
    )
