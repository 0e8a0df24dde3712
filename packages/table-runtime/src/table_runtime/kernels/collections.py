"""Constructors of arrays, maps and rows, access to their elements and fields, and collection functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition, null_map_key
from table_common.functions.builtin import collections as fn
from table_common.types import MapType, MultisetType, RowType, StructuredType, VariantType
from table_runtime.casts.nested import children_of_struct, compact
from table_runtime.columns.plain_types import from_plain, to_plain
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.kernel import Kernel, infallible, is_scalar, to_array
from table_runtime.kernels.scalar import collections as arrays
from table_runtime.kernels.support.rowwise import apply_rows, python, rows_function
from table_runtime.kernels.variant import variant_at


def _constructor(build: Callable[[Sequence[Any], Any, int], Any]) -> Kernel:
    """Returns the kernel of a constructor; the result is a scalar if all arguments are constants."""

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        arrow_type = to_arrow_type(call.output_type)
        if args and all(is_scalar(arg) for arg in args):
            return build([to_array(arg, 1) for arg in args], arrow_type, 1)[0]
        return build([to_array(arg, num_rows) for arg in args], arrow_type, num_rows)

    return Kernel(run, True)


def _interleave(columns: Sequence[Any], element_type: Any, num_rows: int) -> Any:
    """Returns the values row by row: the first row's values of all columns, then the second row's."""
    width = len(columns)
    if width == 0:
        return pa.array([], element_type)
    cells = pa.concat_arrays([column if column.type.equals(element_type) else pc.cast(column, element_type) for column in columns])
    if width == 1:
        return cells
    index = pa.arange(0, num_rows * width)
    row = pc.divide(index, width)
    column = pc.subtract(index, pc.multiply(row, width))
    return pc.take(cells, pc.add(pc.multiply(column, num_rows), row))


def _offsets(width: int, num_rows: int) -> Any:
    return pc.cast(pc.multiply(pa.arange(0, num_rows + 1), width), pa.int32())


def _array(columns: Sequence[Any], arrow_type: Any, num_rows: int) -> Any:
    values = _interleave(columns, arrow_type.value_type, num_rows)
    return pa.ListArray.from_arrays(_offsets(len(columns), num_rows), values, type=arrow_type)


def _map(columns: Sequence[Any], arrow_type: Any, num_rows: int) -> Any:
    keys = _interleave(columns[::2], arrow_type.key_type, num_rows)
    items = _interleave(columns[1::2], arrow_type.item_type, num_rows)
    if keys.null_count:
        raise null_map_key()
    result = pa.MapArray.from_arrays(_offsets(len(columns) // 2, num_rows), keys, items, type=arrow_type)
    return result if len(columns) <= 2 else from_plain([arrays.last_wins(row) for row in to_plain(result).to_pylist()], arrow_type)


def _row(columns: Sequence[Any], arrow_type: Any, num_rows: int) -> Any:
    fields = [
        column if column.type.equals(field.type) else pc.cast(column, field.type) for column, field in zip(columns, arrow_type, strict=True)
    ]
    if not fields:
        return pa.array([{}] * num_rows, arrow_type)
    return pa.StructArray.from_arrays(fields, fields=list(arrow_type))


def _get(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    source, selector = call.args[0].output_type, call.args[1]
    assert isinstance(source, RowType | StructuredType)
    assert isinstance(selector, ValueLiteralExpression)
    index = source.field_names.index(selector.value) if isinstance(selector.value, str) else int(selector.value)
    if is_scalar(args[0]):
        return children_of_struct(to_array(args[0], 1))[index][0]
    return children_of_struct(args[0])[index]


def _at(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    collection, key = args
    source = call.args[0].output_type
    if isinstance(source, VariantType):
        return apply_rows(variant_at, args, pa.string(), num_rows)
    if isinstance(source, MapType | MultisetType):
        return _map_lookup(collection, key, call, num_rows)
    is_constant = is_scalar(collection) and is_scalar(key)
    count = 1 if is_constant else num_rows
    values, index = compact(to_array(collection, count)), pc.cast(to_array(key, count), pa.int64())
    if count == 0:
        return pa.nulls(0, to_arrow_type(call.output_type))
    # Differs from Flink: an index outside of the array returns NULL; Flink returns -1 or 0 for numbers.
    starts = pc.cast(values.offsets.slice(0, count), pa.int64())
    lengths = pc.subtract(pc.cast(values.offsets.slice(1, count), pa.int64()), starts)
    inside = pc.and_(pc.and_(pc.greater(index, 0), pc.less_equal(index, lengths)), pc.is_valid(values))
    positions = pc.if_else(pc.fill_null(inside, False), pc.add(starts, pc.subtract(index, 1)), pa.scalar(None, pa.int64()))
    result = pc.take(values.values, positions)
    return result[0] if is_constant else result


def _map_lookup(collection: Any, key: Any, call: CallExpression, num_rows: int) -> Any:
    if is_scalar(key) and key.is_valid and not is_scalar(collection):
        return pc.map_lookup(collection, pc.cast(key, collection.type.key_type), "last")
    return apply_rows(arrays.lookup, [collection, key], to_arrow_type(call.output_type), num_rows)


def _cardinality(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    (value,) = args
    if is_scalar(value):
        return pa.scalar(len(to_plain(value).values) if value.is_valid else None, pa.int32())
    if pa.types.is_list(value.type):
        return pc.list_value_length(value)
    values = compact(value)
    lengths = pc.subtract(values.offsets.slice(1), values.offsets.slice(0, len(values)))
    return pc.if_else(pc.is_valid(values), lengths, pa.scalar(None, pa.int32()))


def _rows(function: Callable[..., Any], *, takes_null: bool = False) -> Kernel:
    return infallible(rows_function(function, takes_null=takes_null))


def _object_of(columns: Sequence[Any], arrow_type: Any, num_rows: int) -> Any:
    return _row(columns[2::2], arrow_type, num_rows)


def _object_update(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    result_type = call.output_type
    assert isinstance(result_type, StructuredType)
    value = to_array(args[0], num_rows)
    fields = dict(zip(result_type.field_names, children_of_struct(value), strict=True))
    for name, replacement in zip(call.args[1::2], args[2::2], strict=True):
        assert isinstance(name, ValueLiteralExpression)
        fields[name.value] = to_array(replacement, num_rows)
    arrow_type = to_arrow_type(result_type)
    columns = [pc.cast(column, field.type) for column, field in zip(fields.values(), arrow_type, strict=True)]
    return pa.StructArray.from_arrays(columns, fields=list(arrow_type), mask=pc.is_null(value))


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.ARRAY: _constructor(_array),
    fn.MAP: Kernel(_constructor(_map).function),
    fn.ROW: _constructor(_row),
    fn.AT: Kernel(_at, lambda call: not isinstance(call.args[0].output_type, VariantType)),
    fn.GET: infallible(_get),
    fn.CARDINALITY: infallible(_cardinality),
    fn.ELEMENT: python(arrays.element, fails=True),
    fn.ARRAY_APPEND: _rows(arrays.append, takes_null=True),
    fn.ARRAY_PREPEND: _rows(arrays.prepend, takes_null=True),
    fn.ARRAY_CONTAINS: _rows(arrays.contains, takes_null=True),
    fn.ARRAY_POSITION: _rows(arrays.position),
    fn.ARRAY_REMOVE: _rows(arrays.remove, takes_null=True),
    fn.ARRAY_CONCAT: _rows(arrays.concat),
    fn.ARRAY_UNION: _rows(arrays.union),
    fn.ARRAY_INTERSECT: _rows(arrays.intersect),
    fn.ARRAY_EXCEPT: _rows(arrays.difference),
    fn.ARRAY_DISTINCT: _rows(arrays.distinct),
    fn.ARRAY_REVERSE: _rows(arrays.reverse),
    fn.ARRAY_SLICE: _rows(arrays.slice_of),
    fn.ARRAY_SORT: _rows(arrays.sort),
    fn.ARRAY_MAX: _rows(arrays.maximum),
    fn.ARRAY_MIN: _rows(arrays.minimum),
    fn.ARRAY_JOIN: _rows(arrays.join),
    fn.MAP_KEYS: _rows(lambda entries: [key for key, _ in entries]),
    fn.MAP_VALUES: _rows(lambda entries: [value for _, value in entries]),
    fn.MAP_ENTRIES: _rows(lambda entries: [{"key": key, "value": value} for key, value in entries]),
    fn.MAP_FROM_ARRAYS: python(arrays.map_from_arrays, fails=True),
    fn.MAP_UNION: _rows(arrays.map_union),
    fn.OBJECT_OF: _constructor(_object_of),
    fn.OBJECT_UPDATE: infallible(_object_update),
}
