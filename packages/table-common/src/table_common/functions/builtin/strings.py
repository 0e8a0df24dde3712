"""Functions on text. Positions count code points from 1."""

from __future__ import annotations

from table_common.functions.builtin.declarations import (
    ANY,
    ANY_OR_NULL,
    BIGINT,
    BINARY_FAMILY,
    INT,
    INTEGER_FAMILY,
    STRING_FAMILY,
    infix,
    nullable,
    operator,
    returns,
    scalar,
)
from table_common.inference.argument_types import not_negative, symbol
from table_common.inference.input_strategies import or_, sig, varargs
from table_common.inference.text import escape_character, joined_lengths, pattern_text
from table_common.inference.type_strategies import explicit, force_nullable, least_common, nullable_if, nullable_if_args, same_as, varying
from table_common.types.logical import ArrayType, BooleanType, IntType, MapType, VarBinaryType, VarCharType
from table_common.types.symbols import TrimMode

_TEXT = returns(VarCharType())
_TEXT_OR_NULL = nullable(VarCharType())
_TRUTH = returns(BooleanType())
_SURE = explicit(BooleanType(nullable=False))
_NUMBER = returns(IntType())
_LIKE = sig(STRING_FAMILY, pattern_text(is_similar=False), optional=[escape_character(is_similar=False)])
_SIMILAR = sig(STRING_FAMILY, pattern_text(is_similar=True), optional=[escape_character(is_similar=True)])
_STRINGS = sig(STRING_FAMILY, STRING_FAMILY)
_INDEX = not_negative(INTEGER_FAMILY)


def _pattern_text(word: str, args: list[str]) -> str:
    escape = f" ESCAPE {args[2]}" if len(args) > 2 else ""
    return f"({args[0]} {word} {args[1]}{escape})"


LIKE = operator("LIKE", _LIKE, _TRUTH, lambda a: _pattern_text("LIKE", a))
NOT_LIKE = operator("NOT_LIKE", _LIKE, _TRUTH, lambda a: _pattern_text("NOT LIKE", a))
SIMILAR = operator("SIMILAR", _SIMILAR, _TRUTH, lambda a: _pattern_text("SIMILAR TO", a))
NOT_SIMILAR = operator("NOT_SIMILAR", _SIMILAR, _TRUTH, lambda a: _pattern_text("NOT SIMILAR TO", a))
CONCAT_OP = operator("CONCAT_OP", _STRINGS, joined_lengths(0, 1), infix("||"))
"""``a || b``: unlike CONCAT it keeps lengths."""
CONCAT = scalar("CONCAT", varargs(repeated=STRING_FAMILY, at_least=1), _TEXT)
CONCAT_WS = scalar("CONCAT_WS", varargs(STRING_FAMILY, repeated=STRING_FAMILY, at_least=1), _TEXT)
CHAR_LENGTH = scalar("CHAR_LENGTH", sig(STRING_FAMILY), _NUMBER, aliases=("CHARACTER_LENGTH",))
UPPER = scalar("UPPER", sig(STRING_FAMILY), same_as(0))
LOWER = scalar("LOWER", sig(STRING_FAMILY), same_as(0))
INITCAP = scalar("INITCAP", sig(STRING_FAMILY), same_as(0))
POSITION = scalar(
    "POSITION",
    sig(STRING_FAMILY, STRING_FAMILY, optional=[INT]),
    _NUMBER,
    renderer=lambda a: f"POSITION({a[0]} IN {a[1]}{f' FROM {a[2]}' if len(a) > 2 else ''})",
)
"""``POSITION(searched IN text [FROM start])``."""
INSTR = scalar("INSTR", sig(STRING_FAMILY, STRING_FAMILY, optional=[INT, INT]), _NUMBER)
LOCATE = scalar("LOCATE", sig(STRING_FAMILY, STRING_FAMILY, optional=[INT]), _NUMBER)
TRIM = scalar(
    "TRIM",
    sig(symbol(TrimMode), STRING_FAMILY, STRING_FAMILY),
    nullable_if_args(varying(same_as(2))),
    renderer=lambda a: f"TRIM({a[0]} {a[1]} FROM {a[2]})",
)
"""``TRIM(mode, characters, text)``: the parser fills in BOTH and a space."""
LTRIM = scalar("LTRIM", sig(STRING_FAMILY, optional=[STRING_FAMILY]), nullable_if_args(varying(same_as(0))))
RTRIM = scalar("RTRIM", sig(STRING_FAMILY, optional=[STRING_FAMILY]), nullable_if_args(varying(same_as(0))))
BTRIM = scalar("BTRIM", sig(STRING_FAMILY, optional=[STRING_FAMILY]), _TEXT)
REPEAT = scalar("REPEAT", sig(STRING_FAMILY, INT), _TEXT)
OVERLAY = scalar(
    "OVERLAY",
    sig(STRING_FAMILY, STRING_FAMILY, INT, optional=[INT]),
    varying(joined_lengths(0, 1)),
    renderer=lambda a: f"OVERLAY({a[0]} PLACING {a[1]} FROM {a[2]}{f' FOR {a[3]}' if len(a) > 3 else ''})",
)
SUBSTRING = scalar("SUBSTRING", sig(STRING_FAMILY, INT, optional=[INT]), force_nullable(varying(same_as(0))), aliases=("SUBSTR",))
LEFT = scalar("LEFT", sig(STRING_FAMILY, INT), force_nullable(varying(same_as(0))))
RIGHT = scalar("RIGHT", sig(STRING_FAMILY, INT), force_nullable(varying(same_as(0))))
REPLACE = scalar("REPLACE", sig(STRING_FAMILY, STRING_FAMILY, STRING_FAMILY), _TEXT)
TRANSLATE = scalar(
    "TRANSLATE", sig(STRING_FAMILY, STRING_FAMILY, STRING_FAMILY), nullable_if(explicit(VarCharType()), 0), aliases=("TRANSLATE3",)
)
"""``TRANSLATE(text, searched, replacements)``: only the text gives NULL; NULL searched replaces nothing, NULL replacements remove."""
LPAD = scalar("LPAD", sig(STRING_FAMILY, INT, STRING_FAMILY), _TEXT)
RPAD = scalar("RPAD", sig(STRING_FAMILY, INT, STRING_FAMILY), _TEXT)
REVERSE = scalar("REVERSE", sig(STRING_FAMILY), _TEXT_OR_NULL)
ASCII = scalar("ASCII", sig(STRING_FAMILY), _NUMBER)
CHR = scalar("CHR", sig(BIGINT), _TEXT_OR_NULL)
FROM_BASE64 = scalar("FROM_BASE64", or_(sig(STRING_FAMILY), sig(BINARY_FAMILY)), _TEXT)
TO_BASE64 = scalar("TO_BASE64", or_(sig(STRING_FAMILY), sig(BINARY_FAMILY)), _TEXT)
DECODE = scalar("DECODE", sig(BINARY_FAMILY, STRING_FAMILY), _TEXT)
ENCODE = scalar("ENCODE", sig(STRING_FAMILY, STRING_FAMILY), returns(VarBinaryType()))
STARTSWITH = scalar("STARTSWITH", or_(_STRINGS, sig(BINARY_FAMILY, BINARY_FAMILY)), _TRUTH)
ENDSWITH = scalar("ENDSWITH", or_(_STRINGS, sig(BINARY_FAMILY, BINARY_FAMILY)), _TRUTH)
ELT = scalar(
    "ELT",
    or_(varargs(_INDEX, repeated=STRING_FAMILY, at_least=1), varargs(_INDEX, repeated=BINARY_FAMILY, at_least=1)),
    force_nullable(least_common(1)),
)
PRINTF = scalar("PRINTF", varargs(STRING_FAMILY, repeated=ANY), _TEXT_OR_NULL)
SPLIT = scalar("SPLIT", _STRINGS, returns(ArrayType(VarCharType())))
SPLIT_INDEX = scalar("SPLIT_INDEX", or_(sig(STRING_FAMILY, STRING_FAMILY, INT), sig(STRING_FAMILY, INT, INT)), _TEXT_OR_NULL)
STR_TO_MAP = scalar(
    "STR_TO_MAP",
    or_(sig(STRING_FAMILY), sig(STRING_FAMILY, STRING_FAMILY, STRING_FAMILY)),
    nullable(MapType(VarCharType(), VarCharType())),
)
REGEXP = scalar("REGEXP", _STRINGS, _TRUTH)
REGEXP_REPLACE = scalar("REGEXP_REPLACE", sig(STRING_FAMILY, STRING_FAMILY, STRING_FAMILY), _TEXT)
REGEXP_EXTRACT = scalar("REGEXP_EXTRACT", sig(STRING_FAMILY, STRING_FAMILY, optional=[INT]), _TEXT_OR_NULL)
REGEXP_EXTRACT_ALL = scalar("REGEXP_EXTRACT_ALL", sig(STRING_FAMILY, STRING_FAMILY, optional=[INT]), nullable(ArrayType(VarCharType())))
REGEXP_COUNT = scalar("REGEXP_COUNT", _STRINGS, nullable(IntType()))
REGEXP_INSTR = scalar("REGEXP_INSTR", _STRINGS, nullable(IntType()))
REGEXP_SUBSTR = scalar("REGEXP_SUBSTR", _STRINGS, _TEXT_OR_NULL)
PARSE_URL = scalar("PARSE_URL", sig(STRING_FAMILY, STRING_FAMILY, optional=[STRING_FAMILY]), _TEXT_OR_NULL)
URL_ENCODE = scalar("URL_ENCODE", sig(STRING_FAMILY), _TEXT_OR_NULL)
URL_DECODE = scalar("URL_DECODE", sig(STRING_FAMILY), _TEXT_OR_NULL)
IS_ALPHA = scalar("IS_ALPHA", sig(ANY_OR_NULL), _SURE)
IS_DECIMAL = scalar("IS_DECIMAL", sig(ANY_OR_NULL), _SURE)
IS_DIGIT = scalar("IS_DIGIT", sig(ANY_OR_NULL), _SURE)
