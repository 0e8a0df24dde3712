"""JSON in text: queries, predicates and constructors. Paths are strict unless they begin with ``lax``."""

from __future__ import annotations

from table_common.functions.builtin.declarations import ANY_OR_NULL, STRING_FAMILY, nullable, operator, returns, scalar
from table_common.inference.argument_types import symbol
from table_common.inference.input_strategies import or_, sig, varargs
from table_common.inference.json_arguments import json_key, json_query_type, json_serializable, json_value_type, returning
from table_common.inference.type_strategies import explicit, nullable_if
from table_common.types.logical import BooleanType, CharacterType, DoubleType, IntType, VarCharType
from table_common.types.symbols import JsonBehavior, JsonNullHandling, JsonType, JsonWrapper

_ON_EXISTS_ERROR = symbol(JsonBehavior, JsonBehavior.TRUE, JsonBehavior.FALSE, JsonBehavior.UNKNOWN, JsonBehavior.ERROR)
_VALUE_BEHAVIOR = symbol(JsonBehavior, JsonBehavior.NULL, JsonBehavior.ERROR, JsonBehavior.DEFAULT)
_QUERY_BEHAVIOR = symbol(JsonBehavior, JsonBehavior.NULL, JsonBehavior.ERROR, JsonBehavior.EMPTY_ARRAY, JsonBehavior.EMPTY_OBJECT)
_ON_NULL = symbol(JsonNullHandling)
_JSON = json_serializable()


def _value_text(args: list[str]) -> str:
    if len(args) < 7:
        return f"JSON_VALUE({', '.join(args)})"
    empty = f"DEFAULT {args[4]}" if args[3] == "DEFAULT" else args[3]
    error = f"DEFAULT {args[6]}" if args[5] == "DEFAULT" else args[5]
    return f"JSON_VALUE({args[0]}, {args[1]} RETURNING {args[2]} {empty} ON EMPTY {error} ON ERROR)"


def _query_text(args: list[str]) -> str:
    if len(args) < 6:
        return f"JSON_QUERY({', '.join(args)})"
    return f"JSON_QUERY({args[0]}, {args[1]} RETURNING {args[2]} {args[3]} {args[4]} ON EMPTY {args[5]} ON ERROR)"


def _object_text(args: list[str]) -> str:
    members = ", ".join(f"KEY {key} VALUE {value}" for key, value in zip(args[1::2], args[2::2], strict=True))
    return f"JSON_OBJECT({members} {args[0]})" if members else "JSON_OBJECT()"


IS_JSON = operator(
    "IS_JSON",
    sig(STRING_FAMILY, optional=[symbol(JsonType)]),
    explicit(BooleanType(nullable=False)),
    lambda a: f"({a[0]} IS JSON{f' {a[1]}' if len(a) > 1 else ''})",
)
"""``text IS JSON [kind]``; NULL is not. IS NOT JSON is NOT of it."""
JSON_EXISTS = scalar(
    "JSON_EXISTS",
    sig(STRING_FAMILY, STRING_FAMILY, optional=[_ON_EXISTS_ERROR]),
    nullable(BooleanType()),
    renderer=lambda a: f"JSON_EXISTS({a[0]}, {a[1]}{f' {a[2]} ON ERROR' if len(a) > 2 else ''})",
)
"""``JSON_EXISTS(json, path[, on error])``."""
JSON_VALUE = scalar(
    "JSON_VALUE",
    or_(
        sig(STRING_FAMILY, STRING_FAMILY),
        sig(
            STRING_FAMILY,
            STRING_FAMILY,
            returning(CharacterType, BooleanType, IntType, DoubleType),
            _VALUE_BEHAVIOR,
            ANY_OR_NULL,
            _VALUE_BEHAVIOR,
            ANY_OR_NULL,
        ),
    ),
    json_value_type(),
    renderer=_value_text,
)
"""``JSON_VALUE(json, path)``, or with ``returning type, on empty, its default, on error, its default`` (defaults NULL if there are none)."""
JSON_QUERY = scalar(
    "JSON_QUERY",
    or_(
        sig(STRING_FAMILY, STRING_FAMILY),
        sig(
            STRING_FAMILY,
            STRING_FAMILY,
            returning(CharacterType, arrays_of=(CharacterType,)),
            symbol(JsonWrapper),
            _QUERY_BEHAVIOR,
            _QUERY_BEHAVIOR,
        ),
    ),
    json_query_type(),
    renderer=_query_text,
)
"""``JSON_QUERY(json, path)``, or with ``returning type, wrapper, on empty, on error``."""
JSON_OBJECT = scalar(
    "JSON_OBJECT",
    varargs(_ON_NULL, repeated=(json_key(), _JSON)),
    explicit(VarCharType(nullable=False)),
    renderer=_object_text,
)
"""``JSON_OBJECT(on null, key, value, …)``."""
JSON_ARRAY = scalar(
    "JSON_ARRAY",
    varargs(_ON_NULL, repeated=_JSON),
    explicit(VarCharType(nullable=False)),
    renderer=lambda a: f"JSON_ARRAY({', '.join(a[1:])} {a[0]})" if len(a) > 1 else "JSON_ARRAY()",
)
"""``JSON_ARRAY(on null, value, …)``."""
JSON = scalar("JSON", sig(STRING_FAMILY), nullable(VarCharType()))
"""Text that is put into JSON_OBJECT or JSON_ARRAY as it is; text without characters is NULL. It has no meaning elsewhere."""
JSON_STRING = scalar("JSON_STRING", sig(_JSON), nullable_if(explicit(VarCharType()), 0))
JSON_QUOTE = scalar("JSON_QUOTE", sig(STRING_FAMILY), returns(VarCharType()))
JSON_UNQUOTE = scalar("JSON_UNQUOTE", sig(STRING_FAMILY), returns(VarCharType()))
