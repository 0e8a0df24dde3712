"""JSON functions through Spark's VARIANT: the text is parsed once, and paths distinguish a missing value from NULL."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import AggregateCall
from table_common.expressions import CallExpression, JsonBehavior, JsonNullHandling, JsonType, JsonWrapper, ResolvedExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates
from table_common.functions.builtin import json as fn
from table_common.types import ArrayType, BooleanType, CharacterType, DoubleType, IntType, LogicalType
from table_planner_spark.expressions.functions.json_path import spark_path_of
from table_planner_spark.expressions.functions.translation import AggregateArguments, AggregateTranslation, Translation, literal_of
from table_planner_spark.expressions.json_text import json_quoted, to_json_text
from table_planner_spark.expressions.names import quote_text, to_type_sql
from table_planner_spark.expressions.value_sizes import guarded, guarded_result, is_repeatable, most_octets, octets_of_all, refused
from table_planner_spark.expressions.worker_kernels import through_kernel

_FAILURE = quote_text("The JSON is malformed, or its path finds no value that the function can return.")
_KINDS = {JsonType.OBJECT: "OBJECT%", JsonType.ARRAY: "ARRAY%"}


def _parsed(json: str) -> str:
    """Returns the value as the only element of an array: Spark ignores text after a JSON value, except inside brackets."""
    return f"try_parse_json(concat('[', {json}, ']'))"


def _is_one_value(text: str, doc: str) -> str:
    return f"({doc} IS NOT NULL AND {text} RLIKE '\\\\S' AND try_variant_get({doc}, '$[1]', 'variant') IS NULL)"


def _let(name: str, text: str, body: str) -> str:
    return f"element_at(transform(array({text}), {name} -> {body}), 1)"


def _is_compound(variant: str) -> str:
    return f"(schema_of_variant({variant}) LIKE 'OBJECT%' OR schema_of_variant({variant}) LIKE 'ARRAY%')"


def _is_json(call: CallExpression, args: Sequence[str]) -> str:
    kind = literal_of(call, 1)
    value = "try_variant_get(__doc, '$[0]', 'variant')"
    if kind in (None, JsonType.VALUE):
        test = "true"
    elif kind is JsonType.SCALAR:
        test = _let("__value", value, f"NOT {_is_compound('__value')}")
    else:
        assert isinstance(kind, JsonType)
        test = f"schema_of_variant({value}) LIKE '{_KINDS[kind]}'"
    body = f"coalesce({_is_one_value('__text', '__doc')} AND {test}, false)"
    return _let("__text", args[0], _let("__doc", _parsed("__text"), body))


def _behavior(behavior: object, type_: LogicalType, default: str | None = None) -> str:
    match behavior:
        case JsonBehavior.ERROR:
            return f"raise_error({_FAILURE})"
        case JsonBehavior.DEFAULT if default is not None:
            return f"CAST({default} AS {to_type_sql(type_)})"
        case JsonBehavior.TRUE | JsonBehavior.FALSE:
            return str(behavior.value).lower()
        case JsonBehavior.EMPTY_ARRAY:
            return "'[]'"
        case JsonBehavior.EMPTY_OBJECT:
            return "'{}'"
        case _:
            return f"CAST(NULL AS {to_type_sql(type_)})"


def _find(json: str, path: object, empty: str, error: str, found: str) -> str:
    """Returns ``found``, which uses ``__value``, the VARIANT at the path; ``empty`` or ``error`` if there is none, ``error`` for malformed JSON."""
    spark_path = spark_path_of(path)
    assert spark_path is not None, "paths that Spark cannot evaluate go through a kernel"
    text, is_strict = spark_path
    missing = error if is_strict else empty
    value = f"try_variant_get(__doc, {quote_text('$[0]' + text[1:])}, 'variant')"
    at_path = _let("__value", value, f"(CASE WHEN __value IS NULL THEN {missing} ELSE {found} END)")
    body = f"(CASE WHEN {_is_one_value('__text', '__doc')} THEN {at_path} WHEN __text IS NOT NULL THEN {error} END)"
    return _let("__text", json, _let("__doc", _parsed("__text"), body))


def _exists(call: CallExpression, args: Sequence[str]) -> str:
    behavior = literal_of(call, 2) or JsonBehavior.FALSE
    error = "CAST(NULL AS BOOLEAN)" if behavior is JsonBehavior.UNKNOWN else _behavior(behavior, call.output_type)
    return _find(args[0], literal_of(call, 1), "false", error, "NOT is_variant_null(__value)")


def _value(call: CallExpression, args: Sequence[str]) -> str:
    type_ = call.output_type
    empty = _behavior(literal_of(call, 3), type_, args[4] if len(args) > 4 else None)
    error = _behavior(literal_of(call, 5), type_, args[6] if len(args) > 6 else None)
    text = "try_variant_get(__value, '$', 'string')"
    converted = _let("__scalar", text, _as_scalar("__scalar", type_))
    return _find(args[0], literal_of(call, 1), empty, error, f"if({_is_compound('__value')}, {error}, {converted})")


_FOUND = "JSON_VALUE found '"
_NUMBER_TEXTS = {
    IntType: quote_text(r"^[+-]?[0-9]{1,18}$"),
    DoubleType: quote_text(r"^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"),
}


def _as_scalar(text: str, type_: LogicalType) -> str:
    """Returns the text as the type of RETURNING, with the embedded engine's syntax: Spark's own cast also reads 1 and yes as TRUE."""
    if isinstance(type_, CharacterType):
        return text
    reason = quote_text(f"', which is not a valid {type_.summary()}.")
    failure = f"raise_error(concat({quote_text(_FOUND)}, {text}, {reason}))"
    if isinstance(type_, BooleanType):
        value = f"CASE lower({text}) WHEN 'true' THEN true WHEN 'false' THEN false END"
    else:
        value = f"if({text} RLIKE {_NUMBER_TEXTS[type(type_)]}, try_cast({text} AS {to_type_sql(type_)}), NULL)"
    return f"if({text} IS NULL, NULL, coalesce({value}, {failure}))"


def _query(call: CallExpression, args: Sequence[str]) -> str:
    type_ = call.output_type
    wrapper = literal_of(call, 3) or JsonWrapper.WITHOUT_ARRAY
    empty, error = _behavior(literal_of(call, 4), type_), _behavior(literal_of(call, 5), type_)
    text = "to_json(__value)"
    array = f"schema_of_variant(__value) LIKE '{_KINDS[JsonType.ARRAY]}'"
    match wrapper:
        case JsonWrapper.UNCONDITIONAL_ARRAY:
            found = f"concat('[', {text}, ']')"
        case JsonWrapper.CONDITIONAL_ARRAY:
            found = f"if({array}, {text}, concat('[', {text}, ']'))"
        case _:
            found = f"if({_is_compound('__value')}, {text}, {error})"
    return _find(args[0], literal_of(call, 1), empty, error, found)


_FRACTION = "[0-9][.eE]|[0-9]{16}"
"""Found in texts that may have a number with a fraction, an exponent or at least 16 digits."""


def _at_path(translate: Translation) -> Translation:
    def at_path(call: CallExpression, args: Sequence[str]) -> str:
        if spark_path_of(literal_of(call, 1)) is None or isinstance(call.output_type, ArrayType):
            return through_kernel(call, args)
        native = translate(call, args)
        if not isinstance(call.output_type, CharacterType):
            return native
        # A VARIANT does not keep the digits of a number as they were written: 1.50 becomes 1.5.
        keeps = f"coalesce({args[0]} RLIKE {quote_text(_FRACTION)}, false)"
        exact = through_kernel(call, [f"if({keeps}, {args[0]}, NULL)", *args[1:]])
        return f"if({keeps}, {exact}, {native})"

    return at_path


_DOCUMENTS = (fn.JSON_OBJECT, fn.JSON_ARRAY, fn.JSON)


def _item(argument: ResolvedExpression, text: str) -> str:
    if isinstance(argument, CallExpression) and argument.function in _DOCUMENTS:
        return text  # JSON inside of JSON
    return to_json_text(text, argument.output_type)


def _object(call: CallExpression, args: Sequence[str]) -> str:
    absent = literal_of(call, 0) is JsonNullHandling.ABSENT_ON_NULL
    positions = {str(literal_of(call, position)): position for position in range(1, len(args), 2)}
    members = []
    for _, position in sorted(positions.items()):  # keys are constants, sorted as in Flink; the last of equal keys wins
        value = _item(call.args[position + 1], args[position + 1])
        # Concatenating NULL returns NULL, which concat_ws skips.
        members.append(f"concat({json_quoted(args[position])}, ':', {value if absent else f'coalesce({value}, {_NULL})'})")
    return _bounded(call, args, f"concat('{{', concat_ws(',', {', '.join(members)}), '}}')") if members else "'{}'"


_NULL = "'null'"


def _array(call: CallExpression, args: Sequence[str]) -> str:
    absent = literal_of(call, 0) is not JsonNullHandling.NULL_ON_NULL
    items = [_item(argument, text) for argument, text in zip(call.args[1:], args[1:], strict=True)]
    items = items if absent else [f"coalesce({item}, {_NULL})" for item in items]
    return _bounded(call, args, f"concat('[', concat_ws(',', {', '.join(items)}), ']')") if items else "'[]'"


def _bounded(call: CallExpression, args: Sequence[str], made: str) -> str:
    """Returns the document, guarded by the total size of its texts. Not counted: JSON's own syntax, and texts of long expressions."""
    measured = [
        (text, argument.output_type)
        for argument, text in zip(call.args, args, strict=True)
        if most_octets(argument) is None and is_repeatable(text)
    ]
    return refused(call.function.name, octets_of_all(measured), made) if measured else made


_RUNS = quote_text("[\\x00-\\x7f]+|[^\\x00-\\x7f]+")
_OF_ASCII = quote_text("^[\\x00-\\x7f]")
_FOUR_DIGITS = quote_text("(.{4})")
_ESCAPE = quote_text("\\\\u$1")
_ESCAPED_SLASH = quote_text("\\/")


def _count(text: str, characters: str) -> str:
    return f"(length({text}) - length(regexp_replace({text}, {quote_text(f'[{characters}]')}, '')))"


def _quoted_size(text: str) -> str:
    """Returns the length of a text in quotes, where characters of JSON have a backslash and others are one or two escapes of six characters."""
    escaped = _count(text, r'"\\/\x08\t\n\f\r')
    units = _count(text, r"\x00-\x07\x0b\x0e-\x1f\x{80}-\x{10ffff}")
    pairs = _count(text, r"\x{10000}-\x{10ffff}")
    return f"(2L + length({text}) + {escaped} + 5L * {units} + 6L * {pairs})"


def _string_size(text: str) -> str:
    """Returns the bytes of a text in quotes, where characters of JSON have a backslash and other control characters are escapes of six."""
    escaped = _count(text, r'"\\\x08\t\n\f\r')
    units = _count(text, r"\x00-\x07\x0b\x0e-\x1f")
    return f"(2L + octet_length({text}) + {escaped} + 5L * {units})"


_MOST_OF_A_BYTE = 7
"""More than the characters that a byte of a text in quotes has, with the quotes."""


def _string(call: CallExpression, args: Sequence[str]) -> str:
    (argument,) = call.args
    type_ = argument.output_type

    def made(text: str) -> str:
        return to_json_text(text, type_)

    if isinstance(type_, CharacterType):
        return guarded("JSON_STRING", argument, args[0], _MOST_OF_A_BYTE, _string_size, made, "characters")
    return made(args[0]) if most_octets(argument) is not None else guarded_result("JSON_STRING", made(args[0]))


def _quote(call: CallExpression, args: Sequence[str]) -> str:
    return guarded("JSON_QUOTE", call.args[0], args[0], _MOST_OF_A_BYTE, _quoted_size, _escaped, "characters")


def _escaped(text: str) -> str:
    # By runs of characters, because an array with an element for each character of a long text takes minutes.
    escaped = f"regexp_replace(lower(hex(encode(__run, 'UTF-16BE'))), {_FOUR_DIGITS}, {_ESCAPE})"
    runs = f"transform(regexp_extract_all(__quoted, {_RUNS}, 0), __run -> if(__run RLIKE {_OF_ASCII}, __run, {escaped}))"
    return _let("__quoted", f"replace({json_quoted(text)}, '/', {_ESCAPED_SLASH})", f"array_join({runs}, '')")


def _object_aggregate(absent: bool) -> AggregateTranslation:
    def translate(call: AggregateCall, given: AggregateArguments) -> str:
        value = to_json_text(given.args[1], call.args[1].output_type)
        key = f"if({given.args[0]} IS NULL, raise_error({quote_text('JSON_OBJECTAGG: a key is NULL.')}), {given.args[0]})"
        pair = f"struct({key} AS k, {value if absent else f'coalesce({value}, {_NULL})'} AS v)"
        pairs = f"collect_list({pair}){given.filter}"
        kept = f"filter({pairs}, __pair -> __pair.v IS NOT NULL)" if absent else pairs
        members = f"transform(__pairs, __pair -> concat({json_quoted('__pair.k')}, ':', __pair.v))"
        twice = f"raise_error({quote_text('JSON_OBJECTAGG: a key occurs twice in a group.')})"
        is_unique = "size(array_distinct(transform(__pairs, __pair -> __pair.k))) = size(__pairs)"
        return _let("__pairs", kept, f"if({is_unique}, concat('{{', array_join({members}, ','), '}}'), {twice})")

    return translate


def _array_aggregate(absent: bool) -> AggregateTranslation:
    def translate(call: AggregateCall, given: AggregateArguments) -> str:
        value = to_json_text(given.args[0], call.args[0].output_type)
        item = value if absent else f"coalesce({value}, {_NULL})"
        made = f"concat('[', array_join(collect_list({'DISTINCT ' if call.distinct else ''}{item}){given.filter}, ','), ']')"
        size = f"sum(octet_length({item})){given.filter}"
        return made if call.distinct or most_octets(call.args[0]) is not None else refused("JSON_ARRAYAGG", size, made)

    return translate


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.IS_JSON: _is_json,
    fn.JSON_EXISTS: _at_path(_exists),
    fn.JSON_VALUE: _at_path(_value),
    fn.JSON_QUERY: _at_path(_query),
    fn.JSON_OBJECT: _object,
    fn.JSON_ARRAY: _array,
    fn.JSON: through_kernel,
    fn.JSON_STRING: _string,
    fn.JSON_QUOTE: _quote,
    fn.JSON_UNQUOTE: through_kernel,
}
AGGREGATES: dict[FunctionDefinition, AggregateTranslation] = {
    aggregates.JSON_OBJECTAGG_NULL_ON_NULL: _object_aggregate(False),
    aggregates.JSON_OBJECTAGG_ABSENT_ON_NULL: _object_aggregate(True),
    aggregates.JSON_ARRAYAGG_NULL_ON_NULL: _array_aggregate(False),
    aggregates.JSON_ARRAYAGG_ABSENT_ON_NULL: _array_aggregate(True),
}
