"""String functions on whole columns with Arrow; functions on single values are in ``scalar.strings``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from table_common.arrow import column_values, to_arrow_type
from table_common.arrow import compute as pc
from table_common.expressions import CallExpression, TrimMode, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import strings as fn
from table_common.types import CharacterType, LogicalType, VarCharType
from table_runtime.casts import cast
from table_runtime.casts.distinct import map_distinct, map_distinct_array
from table_runtime.columns.ascii_text import is_ascii
from table_runtime.columns.plain_types import counts_nanoseconds
from table_runtime.columns.value_size import check_value_size
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.kernel import Kernel, KernelFunction, compute, infallible, is_scalar, to_array
from table_runtime.kernels.scalar import strings as text
from table_runtime.kernels.support.group_extraction import extract_group
from table_runtime.kernels.support.patterns import matches_like, matches_similar, parts_of_like, to_arrow_like
from table_runtime.kernels.support.printf import printf
from table_runtime.kernels.support.rowwise import apply_rows, python, rows_function
from table_runtime.kernels.support.text_parts import part_of_split


def _like(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, pattern = args[0], args[1]
    if not all(map(is_scalar, args[1:])):
        return apply_rows(matches_like, args, pa.bool_(), num_rows)
    if not all(argument.is_valid for argument in args[1:]):
        return pa.scalar(None, pa.bool_())
    parts = parts_of_like(pattern.as_py(), args[2].as_py() if len(args) > 2 else None)
    wildcards = [index for index, (is_wildcard, _) in enumerate(parts) if is_wildcard]
    literal = "".join(character for is_wildcard, character in parts if not is_wildcard)
    if not wildcards:
        return pc.equal(value, pa.scalar(literal))
    if all(parts[index][1] == "%" for index in wildcards) and literal:
        if wildcards == [len(parts) - 1]:
            return pc.starts_with(value, literal)
        if wildcards == [0]:
            return pc.ends_with(value, literal)
        if wildcards == [0, len(parts) - 1]:
            return pc.match_substring(value, literal)
    return pc.match_like(value, to_arrow_like(parts))


def _similar(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return apply_rows(matches_similar, args, pa.bool_(), num_rows)


def _is_infallible_pattern(call: CallExpression) -> bool:
    return len(call.args) == 2 and isinstance(call.args[1], ValueLiteralExpression)


def _not(function: KernelFunction) -> KernelFunction:
    return lambda args, call, context, num_rows: pc.invert(function(args, call, context, num_rows))


# Contains all letters whose upper case has several letters, such as ß; Arrow maps each letter to one letter.
_MANY_UPPER_LETTERS = "[\u00df\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1f50-\u1fff\ufb00-\ufb17]"


def _cased(of_ascii: Callable[..., Any], of_letters: Callable[..., Any], special: str, of_text: Callable[[str], str]) -> KernelFunction:
    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        values = args[0]
        if is_scalar(values):
            return pa.scalar(of_text(values.as_py()) if values.is_valid else None, values.type)
        if is_ascii(values):
            return of_ascii(values)
        result, is_special = of_letters(values), pc.match_substring_regex(values, special)
        if pc.any(is_special).as_py() is not True:
            return result
        is_special = pc.fill_null(is_special, False)
        return pc.replace_with_mask(result, is_special, map_distinct(pc.filter(values, is_special), of_text, result.type))

    return run


def _concat(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return pc.binary_join_element_wise(*args, "")


def _concat_ws(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    separator, *parts = args
    if not parts:
        joined: Any = pa.scalar("")
    else:
        # With null_handling="skip" Arrow leaves out a row in which all parts are NULL, so none may be.
        first = pc.if_else(pc.is_null(pc.coalesce(*parts)), pa.scalar(""), parts[0])
        joined = pc.binary_join_element_wise(first, *parts[1:], separator, null_handling="skip")
    if is_scalar(separator):
        return joined if separator.is_valid else pa.scalar(None, pa.string())
    return pc.if_else(pc.is_valid(separator), joined, pa.scalar(None, pa.string()))


def _trimming(arrow: Callable[..., Any], strip: Callable[[str, str], str]) -> KernelFunction:
    """Returns the kernel of a TRIM function; the second argument has the characters to remove, by default blanks."""

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        value = args[0]
        characters = args[1] if len(args) > 1 else pa.scalar(" ")
        if is_scalar(characters):
            return arrow(value, characters=characters.as_py()) if characters.is_valid else pa.scalar(None, pa.string())
        return apply_rows(strip, [value, characters], pa.string(), num_rows)

    return run


_TRIM = {
    TrimMode.BOTH: _trimming(pc.utf8_trim, str.strip),
    TrimMode.LEADING: _trimming(pc.utf8_ltrim, str.lstrip),
    TrimMode.TRAILING: _trimming(pc.utf8_rtrim, str.rstrip),
}


def _trim(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    mode = call.args[0]
    assert isinstance(mode, ValueLiteralExpression)
    return _TRIM[mode.value]([args[2], args[1]], call, context, num_rows)


_LONG = 1_000
"""Minimum characters at which texts are computed one by one, with a check of the size limit before each."""


def _repeat(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, count = args
    if any(isinstance(arg, pa.Scalar) and not arg.is_valid for arg in args):
        return pa.scalar(None, value.type)  # Arrow's kernel makes an array without a data buffer of a NULL scalar
    sizes = pc.multiply(pc.cast(pc.binary_length(value), pa.int64()), pc.cast(count, pa.int64()))
    check_value_size("REPEAT", (sizes if isinstance(sizes, pa.Scalar) else pc.max(sizes)).as_py() or 0)
    return pc.binary_repeat(value, pc.max_element_wise(count, pa.scalar(0, count.type), skip_nulls=False))


def _substring(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, bounds = args[0], args[1:]
    if all(is_scalar(bound) and bound.is_valid for bound in bounds):
        start = bounds[0].as_py()
        length = bounds[1].as_py() if len(bounds) > 1 else None
        if start >= 0 and (length is None or length >= 0):
            begin = max(start - 1, 0)
            return pc.utf8_slice_codeunits(value, begin, None if length is None else begin + length)
    return apply_rows(text.substring, args, pa.string(), num_rows)


def _regexp_extract(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    values, constants = args[0], args[1:]
    if is_scalar(values) or not all(is_scalar(constant) and constant.is_valid for constant in constants):
        return apply_rows(text.regexp_extract, args, pa.string(), num_rows)
    pattern_and_group = [constant.as_py() for constant in constants]
    return map_distinct_array(values, lambda texts: extract_group(texts, *pattern_and_group), pa.string())


def _split_index(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    values, delimiter, index = args
    if is_scalar(values) or not (is_scalar(delimiter) and delimiter.is_valid and is_scalar(index) and index.is_valid):
        return apply_rows(text.split_index, args, pa.string(), num_rows)
    separator = text.separator_of(delimiter.as_py())
    if not separator:
        return apply_rows(text.split_index, args, pa.string(), num_rows)
    return map_distinct_array(values, lambda texts: part_of_split(texts, separator, index.as_py()), pa.string())


def _position(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    searched, values = args[0], args[1]
    is_plain = len(args) == 2 and is_scalar(searched) and searched.is_valid and not is_scalar(values)
    if is_plain and is_ascii(values):  # Arrow counts bytes
        return pc.add(pc.find_substring(values, searched.as_py()), 1)
    return rows_function(text.position)(args, call, context, num_rows)


def _padded(pad: Callable[..., Any], of_text: Callable[..., Any]) -> Kernel:
    rows = python(of_text)

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        values, length, letters = args
        constant = is_scalar(length) and length.is_valid and is_scalar(letters) and letters.is_valid
        if constant and not is_scalar(values) and 0 <= length.as_py() <= _LONG and len(letters.as_py()) == 1:
            return pc.utf8_slice_codeunits(pad(values, length.as_py(), letters.as_py()), 0, length.as_py())
        return rows(args, call, context, num_rows)

    return Kernel(run, rows.infallible)


def _left(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, length = args
    if is_scalar(length) and length.is_valid:
        return pc.utf8_slice_codeunits(value, 0, max(length.as_py(), 0))
    return apply_rows(text.left, args, pa.string(), num_rows)


def _right(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, length = args
    if is_scalar(length) and length.is_valid and length.as_py() > 0:
        return pc.utf8_slice_codeunits(value, -length.as_py())
    return apply_rows(text.right, args, pa.string(), num_rows)


def _replace(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, searched, replacement = args
    is_short = is_scalar(replacement) and replacement.is_valid and len(replacement.as_py()) < _LONG
    if is_scalar(searched) and searched.as_py() and is_short:
        return pc.replace_substring(value, searched.as_py(), replacement.as_py())
    return apply_rows(text.replace, args, pa.string(), num_rows)


def _affix(arrow: Callable[..., Any], test: Callable[..., bool]) -> KernelFunction:
    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        value, affix = args
        if is_scalar(affix) and affix.is_valid:
            return arrow(value, affix.as_py())
        return apply_rows(test, args, pa.bool_(), num_rows)

    return run


def _translate(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    # NULL as the searched characters replaces nothing, and NULL as the replacements removes them.
    value, searched, replacements = args
    return _TRANSLATED([value, pc.fill_null(searched, ""), pc.fill_null(replacements, "")], call, context, num_rows)


_TRANSLATED = rows_function(text.translate)


def _elt(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    index, *items = args
    arrow_type = to_arrow_type(call.output_type)
    result: Any = pa.nulls(num_rows, arrow_type)
    index = to_array(index, num_rows)
    for number, item in enumerate(items, start=1):
        if number > _LARGEST.get(index.type, number):
            break
        is_selected = pc.fill_null(pc.equal(index, pa.scalar(number, index.type)), False)
        result = pc.if_else(is_selected, pc.cast(item, arrow_type), result)
    return result


_LARGEST = {pa.int8(): 2**7 - 1, pa.int16(): 2**15 - 1}


def _classify(test: Callable[[str | None], bool]) -> KernelFunction:
    """Returns the kernel of a predicate on text; values of other types are cast to text."""

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        value, value_type = args[0], call.args[0].output_type
        if not isinstance(value_type, CharacterType):
            value = cast(value, value_type, VarCharType(), context)
        if is_scalar(value):
            return pa.scalar(test(value.as_py()))
        return pc.fill_null(apply_rows(test, [value], pa.bool_(), num_rows), False)

    return run


def _printf(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    # Differs from Flink: PRINTF('%s') writes dates and times as texts; Flink writes its internal values, the days since 1970 or a T in the middle.
    texts = [_shown(arg, node.output_type, num_rows) for arg, node in zip(args, call.args, strict=True)]
    bits = tuple(arg.type.bit_width if pa.types.is_integer(arg.type) else 64 for arg in args[1:])
    return apply_rows(partial(printf, bits=bits), texts, pa.string(), num_rows, takes_null=True)


def _shown(value: Any, type_: LogicalType, num_rows: int) -> Any:
    """Returns values with nanoseconds as texts with all digits, other values unchanged."""
    if not counts_nanoseconds(value.type):
        return value
    if isinstance(value, pa.Scalar):
        return _shown(to_array(value, 1), type_, 1)[0]
    return pa.array([None if item is None else str(item) for item in column_values(value, type_, "PRINTF")], pa.string())


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.LIKE: Kernel(_like, _is_infallible_pattern),
    fn.NOT_LIKE: Kernel(_not(_like), _is_infallible_pattern),
    fn.SIMILAR: Kernel(_similar),
    fn.NOT_SIMILAR: Kernel(_not(_similar)),
    fn.CONCAT_OP: infallible(_concat),
    fn.CONCAT: infallible(_concat),
    fn.CONCAT_WS: infallible(_concat_ws),
    fn.CHAR_LENGTH: compute(pc.utf8_length),
    # Differs from Flink: UPPER('ß') is 'SS', and the default of LEAD and LAG may be longer than the column. Flink cuts them to the length of the argument's type.
    fn.UPPER: infallible(_cased(pc.ascii_upper, pc.utf8_upper, _MANY_UPPER_LETTERS, text.upper)),
    fn.LOWER: infallible(_cased(pc.ascii_lower, pc.utf8_lower, "[İΣ]", str.lower)),
    fn.INITCAP: python(text.initcap),
    fn.POSITION: infallible(_position),
    fn.INSTR: python(text.instr, fails=True),
    fn.LOCATE: infallible(_position),
    fn.TRIM: infallible(_trim),
    fn.LTRIM: infallible(_TRIM[TrimMode.LEADING]),
    fn.RTRIM: infallible(_TRIM[TrimMode.TRAILING]),
    fn.BTRIM: infallible(_TRIM[TrimMode.BOTH]),
    fn.REPEAT: Kernel(_repeat),
    fn.OVERLAY: infallible(rows_function(text.overlay)),
    fn.SUBSTRING: infallible(_substring),
    fn.LEFT: infallible(_left),
    fn.RIGHT: infallible(_right),
    fn.REPLACE: Kernel(_replace),
    fn.TRANSLATE: infallible(_translate),
    fn.LPAD: _padded(pc.utf8_lpad, text.lpad),
    fn.RPAD: _padded(pc.utf8_rpad, text.rpad),
    fn.REVERSE: compute(pc.utf8_reverse),
    fn.ASCII: infallible(rows_function(text.ascii_code)),
    fn.CHR: infallible(rows_function(text.character)),
    fn.FROM_BASE64: python(text.from_base64, fails=True),
    fn.TO_BASE64: infallible(rows_function(text.to_base64)),
    fn.DECODE: python(text.decode, fails=True),
    fn.ENCODE: python(text.encode, fails=True),
    fn.STARTSWITH: infallible(_affix(pc.starts_with, lambda value, affix: value.startswith(affix))),
    fn.ENDSWITH: infallible(_affix(pc.ends_with, lambda value, affix: value.endswith(affix))),
    fn.ELT: infallible(_elt),
    fn.PRINTF: Kernel(_printf),
    fn.SPLIT: infallible(rows_function(text.split)),
    fn.SPLIT_INDEX: infallible(_split_index),
    fn.STR_TO_MAP: infallible(rows_function(text.str_to_map)),
    fn.REGEXP: python(text.regexp, fails=True),
    fn.REGEXP_REPLACE: python(text.regexp_replace),
    fn.REGEXP_EXTRACT: infallible(_regexp_extract),
    fn.REGEXP_EXTRACT_ALL: infallible(rows_function(text.regexp_extract_all)),
    fn.REGEXP_COUNT: infallible(rows_function(text.regexp_count)),
    fn.REGEXP_INSTR: infallible(rows_function(text.regexp_instr)),
    fn.REGEXP_SUBSTR: infallible(_regexp_extract),
    fn.PARSE_URL: infallible(rows_function(text.parse_url)),
    fn.URL_ENCODE: infallible(rows_function(text.url_encode)),
    fn.URL_DECODE: infallible(rows_function(text.url_decode)),
    fn.IS_ALPHA: infallible(_classify(text.is_alpha)),
    fn.IS_DECIMAL: infallible(_classify(text.is_decimal)),
    fn.IS_DIGIT: infallible(_classify(text.is_digit)),
}
