"""Casts Arrow arrays of any layout to the canonical Arrow type of a logical type. No value changes, but times are cut to the digits of their type."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.types as pat

from table_common.arrow import compute as pc
from table_common.arrow.schema import to_arrow_type
from table_common.arrow.time_digits import cut_to_precision, may_hide_digits
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    ArrayType,
    DecimalType,
    DistinctType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    PrecisionTimeType,
    RowField,
    RowType,
    StructuredType,
)


def conform_array(array: pa.Array, type_: LogicalType, where: str, *, by_name: bool = False, require_parts: bool = True) -> pa.Array:
    """Returns the array in the canonical Arrow type of ``type_``; ``where`` names it in messages.

    Fields of rows match by position or, on request, by name: missing fields are then NULL, and additional fields are dropped.
    Times with more digits than their type are rounded down. Without ``require_parts``, NULL may stand for a field, an element or a value that is
    NOT NULL: files are read so, because a sink enforces what its own type declares.

    Raises:
        ValidationException: The Arrow type cannot be read as ``type_``.
        TableRuntimeException: A value does not fit, or is NULL where the type says NOT NULL.
    """
    if not type_.nullable:
        _require_no_null(array, type_, where)
    target = to_arrow_type(type_)
    if array.type == target and not may_hide_digits(type_):
        return array
    array = _unwrap_array(array)
    if pat.is_null(array.type) and not isinstance(type_, NullType):
        return pa.nulls(len(array), target)
    if pat.is_nested(target):
        return _conform_nested(array, type_, target, where, by_name, require_parts)
    if array.type == target and not may_hide_digits(type_):
        return array
    from table_common.arrow.type_derivation import carries  # few columns need it

    if not (carries(array.type, type_) or _converts(array.type, type_)):
        raise _mismatch(array.type, type_, where)
    try:
        return _cast(array, target, type_)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TableRuntimeException(f"{where}: a value of the Arrow type {array.type} does not fit {type_}: {error}") from error


def _mismatch(arrow_type: pa.DataType, type_: LogicalType, where: str) -> ValidationException:
    hint = None
    if pat.is_timestamp(arrow_type) and isinstance(type_, PrecisionTimeType):
        hint = "A timestamp with a zone is TIMESTAMP_LTZ, one without is TIMESTAMP; convert the data or change the declared type."
    return ValidationException(f"{where} is declared as {type_}, but its data has the Arrow type {arrow_type}.", hint=hint)


def _require_no_null(array: pa.Array, type_: LogicalType, where: str) -> None:
    nulls = array.null_count
    if pat.is_dictionary(array.type) or pat.is_run_end_encoded(array.type):
        # These may hide nulls among their values.
        nulls = _unwrap_array(array).null_count
    if nulls and not isinstance(type_, NullType):
        raise TableRuntimeException(
            f"{where} is declared as {type_}, but {nulls} of its {len(array)} values are NULL.",
            hint="Declare it nullable, or replace the NULLs with COALESCE.",
        )


def _unwrap_array(array: pa.Array) -> pa.Array:
    while True:
        if pat.is_dictionary(array.type):
            array = array.dictionary_decode()
        elif pat.is_run_end_encoded(array.type):
            array = pc.run_end_decode(array)
        elif isinstance(array.type, pa.BaseExtensionType):
            array = array.storage
        else:
            return array


def _converts(arrow_type: pa.DataType, type_: LogicalType) -> bool:
    """Returns whether a checked cast keeps values that fit: between numbers of one family and between units of time."""
    if isinstance(type_, EXACT_INTEGERS):
        return bool(pat.is_integer(arrow_type))
    if isinstance(type_, APPROXIMATE_NUMERICS):
        return bool(pat.is_floating(arrow_type))
    if isinstance(type_, DecimalType):
        return bool(pat.is_decimal(arrow_type) or pat.is_integer(arrow_type))
    if isinstance(type_, DistinctType):
        return _converts(arrow_type, type_.source_type)
    target = to_arrow_type(type_)
    if pat.is_timestamp(target):
        return bool(pat.is_timestamp(arrow_type)) and (arrow_type.tz is None) == (target.tz is None)
    return bool((pat.is_time(target) and pat.is_time(arrow_type)) or (pat.is_duration(target) and pat.is_duration(arrow_type)))


def _cast(array: pa.Array, target: pa.DataType, type_: LogicalType) -> pa.Array:
    if isinstance(type_, DistinctType):
        return _cast(array, target, type_.source_type)
    if isinstance(type_, PrecisionTimeType) and (pat.is_timestamp(array.type) or pat.is_time(array.type)):
        return cut_to_precision(array, target, type_.precision)
    if pat.is_decimal(target) and pat.is_integer(array.type):
        # Arrow requires a target that fits every int64; it is enough that the actual values fit.
        array = pc.cast(array, pa.decimal128(20, 0))
    if pat.is_float32(target) and pat.is_float64(array.type):
        result = pc.cast(array, target)
        if pc.any(pc.and_(pc.is_inf(result), pc.is_finite(array))).as_py():
            raise pa.ArrowInvalid("the number is too large")
        return result
    return pc.cast(array, target)


def _conform_nested(array: pa.Array, type_: LogicalType, target: pa.DataType, where: str, by_name: bool, require_parts: bool) -> pa.Array:
    source = array.type
    from table_common.arrow.type_derivation import is_list_like, unwrap  # few columns need it

    match type_:
        case ArrayType(element_type=element) if is_list_like(source):
            offsets = _offsets(array, where)
            values = _conform_part(array.flatten(), element, f"An element of {where}", by_name, require_parts)
            return pa.ListArray.from_arrays(offsets, values, type=target, mask=_null_mask(array))
        case MapType(key_type=key, value_type=value) if pat.is_map(source):
            return _conform_map(array, key, value, target, where, by_name, require_parts)
        case MultisetType(element_type=element) if pat.is_map(source):
            return _conform_map(array, element, IntType(nullable=False), target, where, by_name, require_parts)
        case RowType(fields=fields) | StructuredType(fields=fields) if pat.is_struct(source):
            return _conform_struct(_by_name(array, fields) if by_name else array, fields, target, where, by_name, require_parts)
        case DistinctType(source_type=inner):
            return conform_array(array, inner, where, by_name=by_name, require_parts=require_parts)
        case _:
            raise _mismatch(unwrap(source), type_, where)


def _conform_part(array: pa.Array, type_: LogicalType, where: str, by_name: bool, require_parts: bool) -> pa.Array:
    return conform_array(
        array, type_ if require_parts else type_.with_nullability(True), where, by_name=by_name, require_parts=require_parts
    )


def _null_mask(array: pa.Array) -> pa.Array | None:
    return pc.is_null(array) if array.null_count else None


def _offsets(array: pa.Array, where: str) -> pa.Array:
    """Returns offsets from 0 into ``flatten()``, which leaves out what lies under NULL lists."""
    lengths = pc.cast(pc.fill_null(pc.list_value_length(array), 0), pa.int64())
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(lengths)])
    try:
        return pc.cast(offsets, pa.int32())
    except pa.ArrowInvalid as error:
        raise TableRuntimeException(f"{where} has more than 2147483647 elements in one batch.", hint="Use smaller batches.") from error


def _conform_map(
    array: pa.Array, key: LogicalType, value: LogicalType, target: pa.DataType, where: str, by_name: bool, require_parts: bool
) -> pa.Array:
    # As a list of entries, so that slices and NULL maps are handled in one place.
    entries_type = pa.list_(pa.struct([array.type.key_field, array.type.item_field]))
    entries = pc.cast(array, entries_type)
    flat = entries.flatten()
    keys = conform_array(flat.field(0), key.not_null(), f"A key of {where}", by_name=by_name, require_parts=require_parts)
    values = _conform_part(flat.field(1), value, f"A value of {where}", by_name, require_parts)
    return pa.MapArray.from_arrays(_offsets(entries, where), keys, values, type=target, mask=_null_mask(array))


def _by_name(array: pa.Array, fields: Sequence[RowField]) -> pa.Array:
    """Returns the rows with these fields in this order."""
    present = [array.type.field(i).name for i in range(array.type.num_fields)]
    names = [field.name for field in fields]
    if present == names or not fields:
        return array
    children = [array.field(present.index(name)) if name in present else pa.nulls(len(array)) for name in names]
    return pa.StructArray.from_arrays(children, names=names, mask=_null_mask(array))


def _conform_struct(
    array: pa.Array, fields: Sequence[RowField], target: pa.DataType, where: str, by_name: bool, require_parts: bool
) -> pa.Array:
    names = [array.type.field(i).name for i in range(array.type.num_fields)]
    if len(names) != len(fields):
        raise ValidationException(
            f"{where} is declared with {len(fields)} fields ({', '.join(f.name for f in fields)}), "
            f"but its data has {len(names)} ({', '.join(names)})."
        )
    if not fields:
        return array
    children = []
    for index, field in enumerate(fields):
        child = array.field(index)
        inner_where = f"The field '{field.name}' of {where}"
        if not field.type.nullable and require_parts:
            # What lies under a NULL row does not count.
            _require_no_null(pc.filter(child, pc.is_valid(array)) if array.null_count else child, field.type, inner_where)
        children.append(conform_array(child, field.type.with_nullability(True), inner_where, by_name=by_name, require_parts=require_parts))
    return pa.StructArray.from_arrays(children, fields=list(target), mask=_null_mask(array))
