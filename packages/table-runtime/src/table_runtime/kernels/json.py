"""SQL/JSON functions: queries, predicates and constructors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.expressions import (
    CallExpression,
    JsonBehavior,
    JsonNullHandling,
    JsonType,
    JsonWrapper,
    ResolvedExpression,
    ValueLiteralExpression,
)
from table_common.functions import FunctionDefinition, parse_json_path
from table_common.functions.builtin import json as fn
from table_common.json_text import parse
from table_common.types import ArrayType, BooleanType, CharacterType, DoubleType, IntType, LogicalType
from table_runtime.casts import cast, map_distinct
from table_runtime.columns.plain_types import to_plain
from table_runtime.columns.value_size import in_blocks
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.json_documents.template import Slot
from table_runtime.kernels.kernel import Kernel, infallible, is_scalar, to_array
from table_runtime.kernels.support.json_columns import OfDocuments, apply_documents, with_nulls, written_values
from table_runtime.kernels.support.json_encoding import json_encoder
from table_runtime.kernels.support.json_path import PathError, finder
from table_runtime.kernels.support.json_text import quote, write
from table_runtime.kernels.support.rowwise import apply_rows, rows_function

if TYPE_CHECKING:
    from table_runtime.json_documents.documents import Documents

_CONSTRUCTORS = (fn.JSON_OBJECT, fn.JSON_ARRAY, fn.JSON)


def _symbol(call: CallExpression, position: int, default: Any) -> Any:
    argument = call.args[position] if position < len(call.args) else None
    return argument.value if isinstance(argument, ValueLiteralExpression) and argument.value is not None else default


def _is_json(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    kind = _symbol(call, 1, JsonType.VALUE)

    def test(text: str | None) -> bool:
        if text is None:
            return False
        try:
            value = parse(text)
        except ValueError:
            return False
        is_object, is_array = isinstance(value, dict), isinstance(value, list)
        return {
            JsonType.VALUE: True,
            JsonType.OBJECT: is_object,
            JsonType.ARRAY: is_array,
            JsonType.SCALAR: not (is_object or is_array),
        }[kind]

    result = apply_rows(test, [args[0]], pa.bool_(), num_rows)
    return pc.fill_null(result, False) if not is_scalar(result) else pa.scalar(bool(result.as_py()))


def _find(text: str, path: str) -> list[Any]:
    """Returns the values that a path selects.

    Raises:
        PathError: the text is not JSON, or a strict path does not fit it.
    """
    find = finder(path)
    try:
        value = parse(text, keeps_digits=True)
    except ValueError as error:
        raise PathError from error
    return find(value)


def _applied(one: Callable[[str, str], Any], many: OfDocuments, args: Sequence[Any], arrow_type: Any, num_rows: int) -> Any:
    """Returns ``one(text, path)`` for each row."""
    text, path = args[:2]
    if is_scalar(text) or not is_scalar(path) or not path.is_valid:
        return apply_rows(one, args[:2], arrow_type, num_rows)
    constant = path.as_py()
    return apply_documents(to_array(text, num_rows), constant, lambda row: one(row, constant), many, arrow_type)


def _exist(documents: Documents, value: Any, alone: Callable[[int], pa.Scalar]) -> Any:
    nulls = documents.nulls(value.number) if isinstance(value, Slot) else None
    return None if nulls is None else pa.array(~nulls)


def _exists(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    on_error = _symbol(call, 2, JsonBehavior.FALSE)

    def test(text: str, path: str) -> bool | None:
        try:
            values = _find(text, path)
        except PathError as error:
            if on_error is JsonBehavior.ERROR:
                raise TableRuntimeException(f"JSON_EXISTS: the path '{path}' does not fit {text!r}.") from error
            return {JsonBehavior.TRUE: True, JsonBehavior.FALSE: False}.get(on_error)
        return bool(values) and values[0] is not None

    return _applied(test, _exist, args, pa.bool_(), num_rows)


class _NoValue(Exception):
    """Control flow: the path selects no value (ON EMPTY), or its evaluation failed (ON ERROR)."""

    def __init__(self, is_error: bool) -> None:
        self.is_error = is_error
        super().__init__()


def _json_value(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    result = call.output_type
    on_empty, on_error = _symbol(call, 3, JsonBehavior.NULL), _symbol(call, 5, JsonBehavior.NULL)
    defaults = [_default(args, call, position, context) for position in (4, 6)]

    def query(text: str, path: str, *default: Any) -> Any:
        try:
            return _convert_scalar(_scalar(text, path), result)
        except _NoValue as no_value:
            behavior = on_error if no_value.is_error else on_empty
            if behavior is JsonBehavior.ERROR:
                what = "does not fit" if no_value.is_error else "finds nothing in"
                raise TableRuntimeException(f"JSON_VALUE: the path '{path}' {what} {text!r}.") from None
            return default[1 if no_value.is_error else 0] if behavior is JsonBehavior.DEFAULT else None

    arrow_type = to_arrow_type(result)
    if all(is_scalar(default) for default in defaults):
        constants = [default.as_py() for default in defaults]
        return _applied(
            lambda text, path: query(text, path, *constants),
            lambda documents, value, alone: _scalars(documents, value, alone, result),
            args,
            arrow_type,
            num_rows,
        )
    rows = zip(*(to_array(column, num_rows).to_pylist() for column in (*args[:2], *defaults)), strict=True)
    return pa.array([None if row[0] is None or row[1] is None else query(*row) for row in rows], arrow_type)


def _scalars(documents: Documents, value: Any, alone: Callable[[int], pa.Scalar], result: LogicalType) -> pa.Array | None:
    if not isinstance(value, Slot):
        return None
    texts, arrow_type = documents.texts(value.number), to_arrow_type(result)
    nulls = documents.nulls(value.number)
    if nulls is not None:
        texts = pc.if_else(pa.array(nulls), pa.scalar(None, pa.string()), texts)
    if isinstance(result, CharacterType):
        values = texts
    else:
        is_number = isinstance(result, IntType | DoubleType) and not documents.template.quoted[value.number]
        values = _cast_numbers(texts, arrow_type) if is_number else None
        if values is None:
            values = map_distinct(texts, lambda text: _convert_scalar(text, result), arrow_type)
    return with_nulls(values, documents, value.number, alone)


def _cast_numbers(texts: pa.Array, arrow_type: Any) -> pa.Array | None:
    """Returns the numbers; None if some text is none of the type."""
    try:
        return pc.cast(texts, arrow_type)
    except pa.ArrowInvalid:
        return None


def _default(args: Sequence[Any], call: CallExpression, position: int, context: EvaluationContext) -> Any:
    if position >= len(args):
        return pa.scalar(None, pa.null())
    return cast(args[position], call.args[position].output_type, call.output_type, context)


def _scalar(text: str, path: str) -> Any:
    try:
        values = _find(text, path)
    except PathError:
        raise _NoValue(True) from None
    if not values or values[0] is None:
        raise _NoValue(False)
    if isinstance(values[0], dict | list):
        raise _NoValue(parse_json_path(path).is_strict)
    return values[0]


_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_FLOATING = re.compile(r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?")


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError
    return text


def _convert_scalar(value: Any, result: LogicalType) -> Any:
    text = value if isinstance(value, str) else str(value) if type(value) is int else write(value)
    if isinstance(result, CharacterType):
        return text
    try:
        if isinstance(result, BooleanType):
            if text.lower() not in ("true", "false"):
                raise ValueError
            return text.lower() == "true"
        if isinstance(result, IntType):
            number = int(_matching(_INTEGER, text))
            if number.bit_length() > 31 and number != -(2**31):
                raise ValueError
            return number
        if isinstance(result, DoubleType):
            return float(_matching(_FLOATING, text))
    except ValueError as error:
        raise TableRuntimeException(f"JSON_VALUE found {text!r}, which is not a valid {result.summary()}.") from error
    return text


def _json_query(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    wrapper = _symbol(call, 3, JsonWrapper.WITHOUT_ARRAY)
    on_empty, on_error = _symbol(call, 4, JsonBehavior.NULL), _symbol(call, 5, JsonBehavior.NULL)
    is_array = isinstance(call.output_type, ArrayType)

    def query(text: str, path: str) -> Any:
        try:
            value = _structure(text, path, wrapper)
            if is_array and not isinstance(value, list):
                raise _NoValue(True)
        except _NoValue as no_value:
            behavior = on_error if no_value.is_error else on_empty
            if behavior is JsonBehavior.ERROR:
                what = "does not fit" if no_value.is_error else "finds nothing in"
                raise TableRuntimeException(f"JSON_QUERY: the path '{path}' {what} {text!r}.") from None
            value = {JsonBehavior.EMPTY_ARRAY: [], JsonBehavior.EMPTY_OBJECT: {}}.get(behavior)
        if is_array:
            items = value if isinstance(value, list) else None
            return items and [item if isinstance(item, str) or item is None else write(item, sort_keys=True) for item in items]
        return None if value is None else write(value, sort_keys=True)

    arrow_type = to_arrow_type(call.output_type)
    if is_array:
        return apply_rows(query, args[:2], arrow_type, num_rows)
    return _applied(query, lambda documents, value, alone: _structures(documents, value, alone, wrapper), args, arrow_type, num_rows)


def _structures(documents: Documents, value: Any, alone: Callable[[int], pa.Scalar], wrapper: JsonWrapper) -> pa.Array | None:
    if not isinstance(value, Slot):
        return written_values(documents, [value] if _is_wrapped(value, wrapper) else value)
    if wrapper is not JsonWrapper.WITHOUT_ARRAY:
        return with_nulls(written_values(documents, [value]), documents, value.number, alone)
    nulls = documents.nulls(value.number)
    if nulls is None or nulls.all():
        return None
    return with_nulls(pa.repeat(alone(int(nulls.argmin())), len(nulls)), documents, value.number, alone)


def _is_wrapped(value: Any, wrapper: JsonWrapper) -> bool:
    """Returns whether a found value is put into an array; CONDITIONAL wraps everything but arrays, objects too."""
    return wrapper is JsonWrapper.UNCONDITIONAL_ARRAY or (wrapper is JsonWrapper.CONDITIONAL_ARRAY and not isinstance(value, list))


def _structure(text: str, path: str, wrapper: JsonWrapper) -> Any:
    try:
        values = _find(text, path)
    except PathError:
        raise _NoValue(True) from None
    if not values or values[0] is None:
        raise _NoValue(False)
    value = values[0]
    if _is_wrapped(value, wrapper):
        return [value]
    if isinstance(value, dict | list):
        return value
    raise _NoValue(parse_json_path(path).is_strict)


_JSON_BLANKS = " \t\n\r"
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u([0-9A-Fa-f]{4}))')
_ESCAPED = re.compile(rf"(?:[^\\]|{_ESCAPE.pattern})*", re.DOTALL)
_UNESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _texts(value: Any, argument: ResolvedExpression, num_rows: int) -> list[str | None]:
    """Returns the JSON text of each row's value, None for NULL; results of JSON constructors are used unchanged."""
    rows: list[Any] = to_plain(to_array(value, num_rows)).to_pylist()
    if isinstance(argument, CallExpression) and argument.function in _CONSTRUCTORS:
        return rows
    encode = json_encoder(argument.output_type)
    return [None if row is None else encode(row) for row in rows]


def _built(build: Callable[[Sequence[Any], CallExpression, int], list[str]]) -> Kernel:
    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        if all(is_scalar(arg) for arg in args):
            return pa.scalar(build(args, call, 1)[0], pa.string())
        return pa.array(build(args, call, num_rows), pa.string())

    return Kernel(run)


def _keeps_null(call: CallExpression, default: JsonNullHandling) -> bool:
    return _symbol(call, 0, default) is JsonNullHandling.NULL_ON_NULL


def _object(args: Sequence[Any], call: CallExpression, num_rows: int) -> list[str]:
    keep = _keeps_null(call, JsonNullHandling.NULL_ON_NULL)
    keys = [to_array(key, num_rows).to_pylist() for key in args[1::2]]
    values = [_texts(value, node, num_rows) for value, node in zip(args[2::2], call.args[2::2], strict=True)]
    rows = []
    for index in range(num_rows):
        found = ((quote(key[index]), value[index]) for key, value in zip(keys, values, strict=True))
        members = {key: "null" if value is None else value for key, value in found if keep or value is not None}
        rows.append("{" + ",".join(f"{key}:{value}" for key, value in sorted(members.items())) + "}")
    return rows


def _array(args: Sequence[Any], call: CallExpression, num_rows: int) -> list[str]:
    keep = _keeps_null(call, JsonNullHandling.ABSENT_ON_NULL)
    values = [_texts(value, node, num_rows) for value, node in zip(args[1:], call.args[1:], strict=True)]
    rows = ([value[index] for value in values] for index in range(num_rows))
    return [f"[{','.join('null' if text is None else text for text in row if keep or text is not None)}]" for row in rows]


def _json(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    def check(text: str) -> str | None:
        try:
            return write(parse(text)) if text.strip(_JSON_BLANKS) else None
        except ValueError as error:
            raise TableRuntimeException(f"JSON takes JSON text, but got {text!r}: {error}.") from error

    return apply_rows(check, args, pa.string(), num_rows)


def _json_string(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value = to_plain(args[0])
    encode = json_encoder(call.args[0].output_type)
    if is_scalar(value):
        return pa.scalar(encode(value.as_py()) if value.is_valid else None, pa.string())
    return pa.array([None if row is None else encode(row) for row in value.to_pylist()], pa.string())


def _quote(text: str) -> str:
    """Returns the text as a JSON string; characters beyond ASCII are escaped."""
    quoted = quote(text, "JSON_QUOTE")
    return in_blocks("JSON_QUOTE", quoted, _without_unicode) if not quoted.isascii() or "/" in quoted else quoted


def _without_unicode(text: str) -> str:
    return "".join(character if character.isascii() else _escape(character) for character in text).replace("/", "\\/")


def _escape(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[index]:02x}{units[index + 1]:02x}" for index in range(0, len(units), 2))


def _unquote(text: str) -> str:
    """Returns what is between the quotes, with its escapes resolved; a text without quotes, or with an invalid escape, stays as it is."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    if _ESCAPED.fullmatch(inner) is None:
        return text
    resolved = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _UNESCAPED[match[0][1]], inner)
    # Two escapes may be the halves of one character; half of one is a question mark, as in Java.
    return resolved.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\ufffd", "?") if "\\u" in inner else resolved


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.IS_JSON: infallible(_is_json),
    fn.JSON_EXISTS: Kernel(_exists),
    fn.JSON_VALUE: Kernel(_json_value),
    fn.JSON_QUERY: Kernel(_json_query),
    fn.JSON_OBJECT: _built(_object),
    fn.JSON_ARRAY: _built(_array),
    fn.JSON: Kernel(_json),
    fn.JSON_STRING: infallible(_json_string),
    fn.JSON_QUOTE: infallible(rows_function(_quote)),
    fn.JSON_UNQUOTE: infallible(rows_function(_unquote)),
}
