"""Mathematical functions. For DOUBLE they follow IEEE 754: they return NaN and infinities instead of errors."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Sequence
from decimal import Decimal
from string import hexdigits
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exact_decimals import ROUND_DOWN, ROUND_HALF_UP
from table_common.exact_decimals import rounded as exactly_rounded
from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import math as fn
from table_common.types import APPROXIMATE_NUMERICS, DecimalType, DoubleType, FloatType
from table_runtime.casts import fit_decimal, map_distinct, rescale
from table_runtime.casts.decimals import round_decimals
from table_runtime.columns.value_size import LONG_TEXT, in_blocks
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.arithmetic import integer_error
from table_runtime.kernels.kernel import Kernel, compute, infallible, is_scalar
from table_runtime.kernels.support.random_numbers import RAND, RAND_INTEGER
from table_runtime.kernels.support.rowwise import apply_rows, rows_function
from table_runtime.kernels.support.temporal_rounding import ceil_temporal, floor_temporal


def _is_infallible(call: CallExpression) -> bool:
    return isinstance(call.output_type, APPROXIMATE_NUMERICS)


def _abs(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    try:
        return pc.abs_checked(args[0])
    except pa.ArrowInvalid as error:
        raise integer_error("ABS", call, error) from error


def _sign(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    (value,) = args
    if pa.types.is_floating(value.type):
        return pc.if_else(pc.equal(value, pa.scalar(0, value.type)), value, pc.sign(value))  # the sign of -0.0 is -0.0
    sign = pc.cast(pc.sign(value), pa.int64())
    if isinstance(call.output_type, DecimalType):
        return _as_array(lambda array: rescale(pc.cast(array, pa.decimal128(19, 0)), value.type.precision, value.type.scale), sign)
    return pc.cast(sign, value.type)


def _as_array(function: Callable[[Any], Any], value: Any) -> Any:
    return function(pa.repeat(value, 1))[0] if is_scalar(value) else function(value)


def _to_whole(arrow: Callable[[Any], Any], temporal: Callable[..., Any]) -> Kernel:
    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        value = args[0]
        if len(args) > 1:
            return temporal(args, call, context, num_rows)
        if pa.types.is_integer(value.type):
            return value
        if isinstance(call.output_type, DecimalType):
            result = call.output_type

            def whole(array: Any) -> Any:
                return rescale(
                    arrow(pc.cast(array, pa.decimal256(array.type.precision + 1, array.type.scale))), result.precision, result.scale
                )

            return _as_array(whole, value)
        return arrow(value)

    return infallible(run)


def _rounding(mode: str, arrow_mode: str) -> Kernel:
    """Returns the kernel of ROUND or TRUNCATE; a negative number of digits rounds to tens, hundreds and so on."""

    def round_decimal(value: Decimal, digits: int) -> Decimal:
        return exactly_rounded(value, digits, mode)

    def round_number(value: Any, digits: int) -> Any:
        if isinstance(value, float):
            if not math.isfinite(value) or digits > 320:
                return value
            return float(round_decimal(Decimal(repr(value)), max(digits, -400))) + 0.0  # never -0.0
        if isinstance(value, int):
            return value if digits >= 0 else int(round_decimal(Decimal(value), max(digits, -30)))
        return round_decimal(value, min(max(digits, -60), value.as_tuple().exponent * -1))

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        value = args[0]
        digits = args[1] if len(args) > 1 else pa.scalar(0, pa.int64())
        result = call.output_type
        if isinstance(result, DecimalType):
            if is_scalar(digits) and digits.is_valid:
                places = min(max(digits.as_py(), -38), value.type.scale)

                def rounded(array: Any) -> Any:
                    if -places > array.type.precision - array.type.scale:  # Arrow refuses to round all digits away
                        return pc.if_else(pc.is_valid(array), *(pa.scalar(number, to_arrow_type(result)) for number in (Decimal(0), None)))
                    wide = pc.cast(array, pa.decimal256(array.type.precision + 1, array.type.scale))
                    return rescale(round_decimals(wide, places, arrow_mode), result.precision, result.scale)

                return _as_array(rounded, value)
            precision, scale = result.precision, result.scale
            return apply_rows(
                lambda number, places: fit_decimal(round_number(number, places), precision, scale),
                [value, digits],
                to_arrow_type(result),
                num_rows,
            )
        if isinstance(result, FloatType):
            # A FLOAT is rounded by its own shortest digits, not by those of the equal DOUBLE.
            texts = pc.cast(value, pa.string())
            return apply_rows(lambda text, places: round_number(float(text), places), [texts, digits], pa.float32(), num_rows)
        if isinstance(result, DoubleType) and not is_scalar(value) and is_scalar(digits) and digits.is_valid and 0 <= digits.as_py() <= 15:
            places = digits.as_py()
            rounded, is_sure = _rounded_doubles(value, places, arrow_mode)
            unsure = pc.invert(pc.fill_null(is_sure, True))
            exactly = map_distinct(value.filter(unsure), lambda number: round_number(number, places), pa.float64())
            return pc.replace_with_mask(rounded, unsure, exactly)
        return apply_rows(round_number, [value, digits], value.type, num_rows)

    return Kernel(run, _is_infallible)


def _rounded_doubles(values: Any, places: int, mode: str) -> tuple[Any, Any]:
    """Returns the rounded numbers, and for each whether it certainly equals the rounding of the shortest decimal digits.

    The scaled number has an error of at most one unit in the last place, which matters only near discontinuities: halves for ROUND,
    integers for TRUNCATE.
    """
    scaled = pc.multiply(values, 10.0**places)
    size = pc.abs(scaled)
    distance = pc.subtract(size, pc.floor(size))
    distance = (
        pc.abs(pc.subtract(distance, 0.5)) if mode == "half_towards_infinity" else pc.min_element_wise(distance, pc.subtract(1.0, distance))
    )
    is_sure = pc.and_(pc.greater(distance, pc.multiply(size, 1e-15)), pc.less(size, 2.0**50))
    return pc.add(pc.divide(pc.round(scaled, round_mode=mode), 10.0**places), 0.0), is_sure  # never -0.0


def _log(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    if len(args) == 1:
        return pc.ln(args[0])
    return pc.divide(pc.ln(args[1]), pc.ln(args[0]))


def _scaled(factor: float) -> Kernel:
    return infallible(lambda args, call, context, num_rows: pc.multiply(args[0], pa.scalar(factor)))


def _constant(value: float) -> Kernel:
    return infallible(lambda args, call, context, num_rows: pa.scalar(value))


def _uuid(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return pa.array([str(uuid.uuid4()) for _ in range(num_rows)], pa.string())


def _hex(value: int | str) -> str:
    if isinstance(value, int):
        return format(value & 0xFFFFFFFFFFFFFFFF, "X")
    if len(value) <= LONG_TEXT:
        return value.encode().hex().upper()
    return in_blocks("HEX", value, lambda block: block.encode().hex().upper())


def _unhex(text: str) -> bytes | None:
    # With an odd number of digits, the first digit is replaced by a zero byte.
    if len(text) % 2 and text[0] not in hexdigits:
        return None
    padded = "00" + text[1:] if len(text) % 2 else text
    try:
        return bytes.fromhex(padded) if not any(character.isspace() for character in padded) else None
    except ValueError:
        return None


def _inet_aton(text: str) -> int | None:
    parts = text.split(".")
    if not 1 <= len(parts) <= 4 or not all(part.isdecimal() and part.isascii() for part in parts):
        return None
    *leading, last = (int(part) for part in parts)
    if any(number > 255 for number in leading) or last > 255:
        return None
    result = 0
    for index, number in enumerate(leading):
        result |= number << (24 - 8 * index)
    return result | last


def _inet_ntoa(number: int) -> str | None:
    if not 0 <= number <= 0xFFFFFFFF:
        return None
    return ".".join(str(number >> shift & 0xFF) for shift in (24, 16, 8, 0))


def _cot(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return pc.divide(1.0, pc.tan(args[0]))


def _power(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns the power as Java does: 1 to the power of NaN, and 1 and -1 to the power of an infinity are NaN (in C they are 1)."""
    base, exponent = args
    is_unknown = pc.and_(pc.equal(pc.abs(base), pa.scalar(1.0)), pc.invert(pc.is_finite(exponent)))
    result = pc.power(base, exponent)
    return pc.if_else(is_unknown, pa.scalar(math.nan, result.type), result)


def _texts(function: Callable[[Any], Any]) -> Kernel:
    return infallible(rows_function(function))


def _bin(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return _as_array(lambda array: map_distinct(array, lambda number: format(number & 0xFFFFFFFFFFFFFFFF, "b"), pa.string()), args[0])


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.ABS: Kernel(_abs, _is_infallible),
    fn.SIGN: infallible(_sign),
    fn.CEIL: _to_whole(pc.ceil, ceil_temporal),
    fn.FLOOR: _to_whole(pc.floor, floor_temporal),
    fn.ROUND: _rounding(ROUND_HALF_UP, "half_towards_infinity"),
    fn.TRUNCATE: _rounding(ROUND_DOWN, "towards_zero"),
    fn.POWER: infallible(_power),
    fn.SQRT: compute(pc.sqrt),
    fn.EXP: compute(pc.exp),
    fn.EXPM1: compute(pc.expm1),
    fn.LN: compute(pc.ln),
    fn.LOG: infallible(_log),
    fn.LOG10: compute(pc.log10),
    fn.LOG2: compute(pc.log2),
    fn.SIN: compute(pc.sin),
    fn.SINH: compute(pc.sinh),
    fn.COS: compute(pc.cos),
    fn.COSH: compute(pc.cosh),
    fn.TAN: compute(pc.tan),
    fn.TANH: compute(pc.tanh),
    fn.COT: infallible(_cot),
    fn.ASIN: compute(pc.asin),
    fn.ACOS: compute(pc.acos),
    fn.ATAN: compute(pc.atan),
    fn.ATAN2: compute(pc.atan2),
    fn.DEGREES: _scaled(180.0 / math.pi),
    fn.RADIANS: _scaled(math.pi / 180.0),
    fn.PI: _constant(math.pi),
    fn.E: _constant(math.e),
    fn.RAND: RAND,
    fn.RAND_INTEGER: RAND_INTEGER,
    fn.UUID: infallible(_uuid),
    fn.BIN: infallible(_bin),
    fn.HEX: _texts(_hex),
    fn.UNHEX: _texts(_unhex),
    fn.INET_ATON: _texts(_inet_aton),
    fn.INET_NTOA: _texts(_inet_ntoa),
}
