"""Arrays, maps, rows and objects."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import collections as fn
from table_common.functions.builtin import variant
from table_common.types import ArrayType, CharacterType, MapType, RowType, StructuredType, VariantType
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.comparable_form import check_map_keys, needs_comparable_form
from table_planner_spark.expressions.functions.comparison import can_be_nan
from table_planner_spark.expressions.functions.translation import Translation, literal_of, sql, template, typed
from table_planner_spark.expressions.names import bind, quote_text, to_type_sql
from table_planner_spark.expressions.value_sizes import guarded_arrays
from table_planner_spark.expressions.worker_kernels import through_kernel
from table_planner_spark.quoting import quote_name


def _array(call: CallExpression, args: Sequence[str]) -> str:
    assert isinstance(call.output_type, ArrayType)
    element = call.output_type.element_type
    items = [to_spark_cast(text, arg.output_type, element.with_nullability(True)) for text, arg in zip(args, call.args, strict=True)]
    return f"array({', '.join(items)})"


def _map(call: CallExpression, args: Sequence[str]) -> str:
    assert isinstance(call.output_type, MapType)
    check_map_keys(call.output_type.key_type)
    types = (call.output_type.key_type, call.output_type.value_type)
    items = [
        to_spark_cast(text, arg.output_type, types[position % 2].with_nullability(True))
        for position, (text, arg) in enumerate(zip(args, call.args, strict=True))
    ]
    if all(isinstance(key, ValueLiteralExpression) for key in call.args[::2]) and len(set(items[::2])) == len(items[::2]):
        return f"map({', '.join(items)})"
    entries = [f"named_struct('key', {key}, 'value', {value})" for key, value in zip(items[::2], items[1::2], strict=True)]
    return map_of_entries(f"array({', '.join(entries)})")


def map_of_entries(entries: str) -> str:
    """Returns the map for an array of structs of ``key`` and ``value``. The last of equal keys wins.

    Spark has an option for that, but reads it when the query runs, and by then the session has its owner's options again.
    """
    # Sorted by key and place: the first and last place of each key are where the key changes. A search for each key would take quadratic time.
    places = "array_sort(transform(__entries, (__entry, __at) -> named_struct('key', __entry.key, 'at', __at)))"
    first = "filter(__places, (__place, __at) -> __at = 0 OR NOT __place.key <=> get(__places, __at - 1).key).at"
    last = "filter(__places, (__place, __at) -> __at = size(__places) - 1 OR NOT __place.key <=> get(__places, __at + 1).key).at"
    pairs = f"array_sort(zip_with({first}, {last}, (__first, __last) -> named_struct('first', __first, 'last', __last)))"
    kept = f"transform({pairs}, __pair -> get(__entries, __pair.last))"
    last = f"element_at(transform(array({places}), __places -> {kept}), 1)"
    unique = f"if(size(array_distinct(__entries.key)) = size(__entries), __entries, {last})"
    return f"element_at(transform(array({entries}), __entries -> map_from_entries({unique})), 1)"


def _named_struct(names: Sequence[str], values: Sequence[str]) -> str:
    return f"named_struct({', '.join(f'{quote_text(name)}, {value}' for name, value in zip(names, values, strict=True))})"


def _row(call: CallExpression, args: Sequence[str]) -> str:
    assert isinstance(call.output_type, RowType)
    return _named_struct(call.output_type.field_names, args)


def _at(call: CallExpression, args: Sequence[str]) -> str:
    collection, key = args
    match call.args[0].output_type:
        case ArrayType():
            return bind(key, lambda k: f"get({collection}, CAST(if({k} BETWEEN 1 AND 2147483647, {k}, 0) AS INT) - 1)")
        case VariantType():
            if isinstance(call.args[1].output_type, CharacterType):
                # Spark's paths have no escapes, but two kinds of quotes.
                path = bind(key, lambda k: f"if(contains({k}, '\\''), concat('$[\"', {k}, '\"]'), concat('$[\\'', {k}, '\\']'))")
                found = f"try_variant_get({collection}, {path}, 'variant')"
                return _of_kind("OBJECT<", variant.NEEDS_OBJECT, collection, key, found)
            path = f"concat('$[', CAST(greatest({key}, 1) - 1 AS STRING), ']')"
            found = f"if({key} > 0, try_variant_get({collection}, {path}, 'variant'), NULL)"
            return _of_kind("ARRAY<", variant.NEEDS_ARRAY, collection, key, found)
        case _:
            return f"try_element_at({collection}, {key})"


def _of_kind(kind: str, message: str, collection: str, key: str, found: str) -> str:
    """Returns what ``found`` finds in a VARIANT of a kind, and an error for others; NULL for a NULL key."""
    schema = f"schema_of_variant({collection})"
    shown = f"CASE WHEN {schema} LIKE 'OBJECT<%' THEN 'an object' WHEN {schema} LIKE 'ARRAY<%' THEN 'an array' ELSE 'a scalar' END"
    error = f"raise_error(concat({quote_text(message)}, {shown}, '.'))"
    return f"if({collection} IS NULL OR {key} IS NULL, NULL, if({schema} LIKE '{kind}%', {found}, {error}))"


def _get(call: CallExpression, args: Sequence[str]) -> str:
    type_ = call.args[0].output_type
    assert isinstance(type_, (RowType, StructuredType))
    field = literal_of(call, 1)
    name = type_.field_names[field] if isinstance(field, int) else str(field)
    return f"{args[0]}.{quote_name(name)}"


def _slice(call: CallExpression, args: Sequence[str]) -> str:
    def position(text: str, size: str) -> str:
        return f"(CASE WHEN {text} = 0 THEN 1 WHEN {text} < 0 THEN {size} + {text} + 1 ELSE {text} END)"

    def cut(array: str) -> str:
        size = f"size({array})"
        first = position(args[1], size)
        last = position(args[2], size) if len(args) > 2 else size
        kept = f"slice({array}, greatest({first}, 1), greatest(least({last}, {size}) - greatest({first}, 1) + 1, 0))"
        return _unless_null(call, args, kept)  # greatest and least ignore NULL

    return bind(args[0], cut)


def _sort(call: CallExpression, args: Sequence[str]) -> str:
    ascending = args[1] if len(args) > 1 else "true"
    nulls_first = args[2] if len(args) > 2 else ascending

    def place(array: str) -> str:
        there = f"sort_array(filter({array}, __item -> __item IS NOT NULL), true)"
        ordered = f"if({ascending}, {there}, reverse({there}))"
        missing = f"filter({array}, __item -> __item IS NULL)"
        return _unless_null(call, args, f"if({nulls_first}, concat({missing}, {ordered}), concat({ordered}, {missing}))")

    return bind(args[0], place)


def _unless_null(call: CallExpression, args: Sequence[str], text: str) -> str:
    """Returns NULL where an argument after the first is NULL."""
    nullable = [f"{arg} IS NULL" for arg, node in zip(args[1:], call.args[1:], strict=True) if node.output_type.nullable]
    return f"if({' OR '.join(nullable)}, NULL, {text})" if nullable else text


def _append(front: bool) -> Translation:
    def translate(call: CallExpression, args: Sequence[str]) -> str:
        result = call.output_type
        assert isinstance(result, ArrayType)
        array = to_spark_cast(args[0], call.args[0].output_type, result)
        item = f"array({to_spark_cast(args[1], call.args[1].output_type, result.element_type.with_nullability(True))})"
        return f"concat({item}, {array})" if front else f"concat({array}, {item})"

    return translate


def _common(name: str) -> Translation:
    def translate(call: CallExpression, args: Sequence[str]) -> str:
        casts = [to_spark_cast(text, arg.output_type, call.output_type) for text, arg in zip(args, call.args, strict=True)]
        return f"{name}({', '.join(casts)})"

    return translate


def _array_concat(call: CallExpression, args: Sequence[str]) -> str:
    result = call.output_type
    assert isinstance(result, ArrayType)
    casts = [to_spark_cast(text, arg.output_type, result) for text, arg in zip(args, call.args, strict=True)]
    return guarded_arrays("ARRAY_CONCAT", casts, result.element_type, lambda arrays: f"concat({', '.join(arrays)})")


def _sought(text: str, without: str) -> Translation:
    """A search for an element. The result is ``without`` if the element is NaN, which Spark would find."""

    def translate(call: CallExpression, args: Sequence[str]) -> str:
        guarded = f"if(isnan({{1}}) AND {{0}} IS NOT NULL, {without}, {text})"
        return template(guarded if can_be_nan(call.args[1]) else text)(call, args)

    return translate


def _map_from_arrays(call: CallExpression, args: Sequence[str]) -> str:
    assert isinstance(call.output_type, MapType)
    check_map_keys(call.output_type.key_type)
    if all(isinstance(arg, ValueLiteralExpression) for arg in call.args):
        return f"map_from_arrays({', '.join(args)})"
    entries = f"zip_with(__keys, {args[1]}, (__k, __v) -> named_struct('key', __k, 'value', __v))"
    lengths = "raise_error('MAP_FROM_ARRAYS takes arrays of the same length.')"
    checked = f"if(size(__keys) <> size({args[1]}), {lengths}, {map_of_entries(entries)})"
    return f"element_at(transform(array({args[0]}), __keys -> {checked}), 1)"


def _map_union(call: CallExpression, args: Sequence[str]) -> str:
    casts = [to_spark_cast(text, arg.output_type, call.output_type) for text, arg in zip(args, call.args, strict=True)]
    return map_of_entries(f"concat({', '.join(f'map_entries({text})' for text in casts)})")


def _object_of(call: CallExpression, args: Sequence[str]) -> str:
    assert isinstance(call.output_type, StructuredType)
    return _named_struct(call.output_type.field_names, args[2::2])


def _object_update(call: CallExpression, args: Sequence[str]) -> str:
    type_ = call.output_type
    assert isinstance(type_, StructuredType)
    changed = {literal_of(call, position): args[position + 1] for position in range(1, len(args), 2)}

    def build(value: str) -> str:
        fields = [changed.get(name, f"{value}.{quote_name(name)}") for name in type_.field_names]
        return f"if({value} IS NULL, CAST(NULL AS {to_type_sql(type_)}), {_named_struct(type_.field_names, fields)})"

    return bind(args[0], build)


def _comparing(translate: Translation) -> Translation:
    """Wraps the translation of a function that compares elements: types that Spark cannot compare go through the Arrow kernel."""

    def choose(call: CallExpression, args: Sequence[str]) -> str:
        if any(needs_comparable_form(arg.output_type) for arg in call.args):
            return through_kernel(call, args)
        return translate(call, args)

    return choose


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.ARRAY: _array,
    fn.MAP: _map,
    fn.ROW: _row,
    fn.AT: _at,
    fn.GET: _get,
    fn.CARDINALITY: template("if({0} IS NULL, NULL, size({0}))"),
    fn.ELEMENT: template("if(size({0}) > 1, raise_error('ELEMENT takes an array of at most one element.'), get({0}, 0))"),
    fn.ARRAY_APPEND: _append(False),
    fn.ARRAY_PREPEND: _append(True),
    fn.ARRAY_CONTAINS: _comparing(_sought("exists({0}, __item -> __item <=> {1})", "FALSE")),
    fn.ARRAY_POSITION: _comparing(typed(_sought("array_position({0}, {1})", "0"))),
    fn.ARRAY_REMOVE: _comparing(_sought("filter({0}, __item -> NOT (__item <=> {1}))", "{0}")),
    fn.ARRAY_CONCAT: _array_concat,
    fn.ARRAY_UNION: _comparing(_common("array_union")),
    fn.ARRAY_INTERSECT: _comparing(_common("array_intersect")),
    fn.ARRAY_EXCEPT: _comparing(_common("array_except")),
    fn.ARRAY_DISTINCT: _comparing(sql("array_distinct")),
    fn.ARRAY_REVERSE: sql("reverse"),
    fn.ARRAY_SLICE: _slice,
    fn.ARRAY_SORT: _sort,
    fn.ARRAY_MAX: sql("array_max"),
    fn.ARRAY_MIN: sql("array_min"),
    fn.ARRAY_JOIN: sql("array_join"),
    fn.MAP_KEYS: sql("map_keys"),
    fn.MAP_VALUES: sql("map_values"),
    fn.MAP_ENTRIES: sql("map_entries"),
    fn.MAP_FROM_ARRAYS: _map_from_arrays,
    fn.MAP_UNION: _map_union,
    fn.OBJECT_OF: _object_of,
    fn.OBJECT_UPDATE: _object_update,
}
