"""The types of results and accumulators, from hints, annotations of methods, or the class's generic parameters."""

from __future__ import annotations

import collections.abc
import types
from typing import Any, TypeVar, get_args, get_origin

from table_common.exceptions import ValidationException
from table_common.functions.extraction.methods import NOTHING, Method, read_method
from table_common.functions.hinting import as_hint
from table_common.functions.user_defined import AggregateFunction, TableAggregateFunction, TableFunction, UserDefinedFunction, _Aggregating
from table_common.types.extraction import DataTypeHint, ExtractedType, ExtractionOptions, extract_type, type_text
from table_common.types.extraction.structured import annotations_of
from table_common.types.logical import ArrayType, MapType, MultisetType, RawType, RowType, StructuredType

_ROWS = (collections.abc.Iterable, collections.abc.Iterator, collections.abc.Generator, collections.abc.Sequence, list, tuple)
_ROWS += (collections.abc.AsyncIterator, collections.abc.Collection)  # type: ignore[assignment]
_CHANGING = (RowType, StructuredType, ArrayType, MapType, MultisetType, RawType, type(None))
_IMMUTABLE = (int, float, str, bool, bytes, tuple, frozenset)


def generic_arguments(class_: type[Any], generic: type[Any]) -> tuple[Any, ...]:
    """Returns the arguments of a class for the parameters of a generic base, also through intermediate classes; ``NOTHING`` for missing ones."""
    count = len(getattr(generic, "__parameters__", ()))

    def search(current: type[Any], known: dict[Any, Any]) -> tuple[Any, ...] | None:
        for base in vars(current).get("__orig_bases__", current.__bases__):
            origin = get_origin(base) or base
            if not isinstance(origin, type) or not issubclass(origin, generic):
                continue
            given = tuple(known.get(argument, argument) if isinstance(argument, TypeVar) else argument for argument in get_args(base))
            if origin is generic:
                return tuple(NOTHING if isinstance(argument, TypeVar) else argument for argument in given) or (NOTHING,) * count
            found = search(origin, dict(zip(getattr(origin, "__parameters__", ()), given, strict=False)))
            if found is not None:
                return found
        return None

    return search(class_, {}) or (NOTHING,) * count


def _resolved(function: UserDefinedFunction, annotation: Any, where: str) -> Any:
    """Returns a generic argument with forward references resolved in the module of the function's class."""
    if not isinstance(annotation, (str,)) and type(annotation).__name__ != "ForwardRef":
        return annotation
    holder = types.SimpleNamespace(__annotations__={"value": annotation})
    module = type(function).__module__

    class Holder:
        __annotations__ = holder.__annotations__

    Holder.__module__ = module
    return annotations_of(Holder, where)["value"]


def scalar_output(method: Method, hint: DataTypeHint | None, owner: str, options: ExtractionOptions) -> ExtractedType:
    """Returns the result type of ``eval``; NOT NULL unless the annotation allows None or a hint declares it nullable.

    Raises:
        ValidationException: the result has no type, or its annotation has no SQL type.
    """
    annotation = method.result
    if annotation is NOTHING and hint is None:
        raise ValidationException(
            f"The result of {owner}.{method.name} has no type.",
            hint=f"Annotate it: def {method.name}(…) -> int, or say function_hint(output='INT').",
        )
    return _result(annotation, f"the result of {owner}.{method.name}", hint, options)


def _result(annotation: Any, where: str, hint: DataTypeHint | None, options: ExtractionOptions) -> ExtractedType:
    if annotation is types.NoneType and hint is None:
        raise ValidationException(f"The type of {where} is None: nothing is returned.")
    found = extract_type(object if annotation is NOTHING or annotation is types.NoneType else annotation, where, options, hint)
    if found.type is None:
        raise ValidationException(f"Arbitrary input is for parameters, but {where} asks for it.")
    if _is_hinted(annotation, hint):
        return found
    return ExtractedType(
        found.type.with_nullability(found.accepts_none),
        found.conversion,
        found.accepts_none,
        found.is_annotated,
        found.classes,
        found.raw_classes,
    )


def _is_hinted(annotation: Any, hint: DataTypeHint | None) -> bool:
    """Returns whether a hint declares the type and its nullability."""
    if hint is not None and hint.value is not None:
        return True
    metadata = getattr(annotation, "__metadata__", ())
    return any(isinstance(item, DataTypeHint) and item.value is not None for item in metadata)


def table_output(
    function: UserDefinedFunction, method: Method, hint: DataTypeHint | None, owner: str, options: ExtractionOptions
) -> ExtractedType:
    """Returns the row type of a table function: from the hint, from the annotation of ``eval``, or from ``TableFunction[T]``.

    Raises:
        ValidationException: the rows have no type, two declarations differ, or an annotation has no SQL type.
    """
    where = f"the rows of {owner}"
    generic = next(base for base in type(function).__mro__ if base.__dict__.get("__orig_bases__") and _is_table(base))
    (declared,) = generic_arguments(type(function), generic)
    declared = _resolved(function, declared, where)
    returned = _row_annotation(method.result, where)
    if hint is not None and hint.value is not None:
        annotation = returned if returned is not NOTHING else declared
        return _result(annotation, where, hint, options)
    if returned is NOTHING and declared in (NOTHING, Any, object):
        raise ValidationException(
            f"The rows of {owner} have no type.",
            hint="Annotate eval: -> Iterator[str], derive from TableFunction[str], or say function_hint(output='ROW<a INT>').",
        )
    if returned is NOTHING:
        return _result(declared, where, hint, options)
    found = _result(returned, where, hint, options)
    if declared not in (NOTHING, Any, object):
        other = _result(declared, where, hint, options)
        if other.type is None or found.type is None or other.type.with_nullability(True) != found.type.with_nullability(True):
            raise ValidationException(
                f"{owner} declares rows of {type_text(declared)} ({other.type}), but its eval returns {type_text(returned)} ({found.type}).",
                hint="Make both the same, or leave one out.",
            )
    return found


def _is_table(class_: type[Any]) -> bool:
    from table_common.functions.process_table import ProcessTableFunction  # few functions are one
    from table_common.functions.user_defined import AsyncTableFunction

    return class_ in (TableFunction, AsyncTableFunction, ProcessTableFunction)


def _row_annotation(result: Any, where: str) -> Any:
    if result in (NOTHING, None, types.NoneType):
        return NOTHING
    origin = get_origin(result)
    if origin in _ROWS and get_args(result):
        return get_args(result)[0]
    raise ValidationException(
        f"A table function returns rows, but {where} are declared as {type_text(result)}.", hint=f"-> Iterator[{type_text(result)}]"
    )


def aggregate_output(
    function: UserDefinedFunction, hint: DataTypeHint | None, owner: str, options: ExtractionOptions, *, only_hints: bool = False
) -> ExtractedType:
    """Returns the result type of an aggregate: from the hint, ``get_result_type``, ``get_value``, or ``AggregateFunction[T, ACC]``.

    Raises:
        ValidationException: the result has no type, or its annotation has no SQL type.
    """
    assert isinstance(function, _Aggregating)
    is_table = isinstance(function, TableAggregateFunction)
    name = "emit_value" if is_table else "get_value"
    method = read_method(getattr(function, name), name, owner, 0, only_hints=only_hints)
    where = f"the result of {owner}"
    declared = _resolved(function, generic_arguments(type(function), TableAggregateFunction if is_table else AggregateFunction)[0], where)
    returned = method.result
    if isinstance(returned, TypeVar):
        returned = NOTHING
    if is_table and returned is not NOTHING:
        returned = _row_annotation(returned, where)
        returned = NOTHING if isinstance(returned, TypeVar) else returned
    if declared in (Any, object):
        declared = NOTHING
    annotation = returned if returned is not NOTHING else declared
    said = function.get_result_type()
    if hint is None and said is not None:
        hint = as_hint(said)
    if annotation is NOTHING and hint is None:
        raise ValidationException(
            f"The result of {owner} has no type.",
            hint=f"Annotate it: def {name}(self, accumulator) -> int, or AggregateFunction[int, list].",
        )
    return _result(annotation, where, hint, options)


def accumulator_type(
    function: UserDefinedFunction, hint: DataTypeHint | None, owner: str, options: ExtractionOptions, *, only_hints: bool = False
) -> ExtractedType | None:
    """Returns the accumulator's type, or None if it is not declared.

    Raises:
        ValidationException: The class is immutable, so ``accumulate`` could not change its objects.
    """
    assert isinstance(function, _Aggregating)
    said = function.get_accumulator_type()
    is_declared = hint is not None or said is not None
    method = read_method(function.create_accumulator, "create_accumulator", owner, 0, only_hints=only_hints and is_declared)
    generic = TableAggregateFunction if isinstance(function, TableAggregateFunction) else AggregateFunction
    where = f"the accumulator of {owner}"
    declared = _resolved(function, generic_arguments(type(function), generic)[1], where)
    annotation = method.result if method.result is not NOTHING and not isinstance(method.result, TypeVar) else declared
    if hint is None and said is not None:
        hint = as_hint(said)
    class_ = get_origin(annotation) or annotation
    if isinstance(class_, type) and issubclass(class_, _IMMUTABLE):
        raise ValidationException(
            f"The accumulator of {owner} is of the class {class_.__name__}, whose objects cannot change.",
            hint="Use a list ([0]), a dataclass with fields, a Row or a view: accumulate changes it in place.",
        )
    if hint is None and (annotation in (NOTHING, Any, object, list, dict) or getattr(class_, "__qualname__", "") == "Row"):
        return None
    found = extract_type(object if annotation is NOTHING else annotation, where, options, hint)
    if function.func_type == "general" and not isinstance(found.type, _CHANGING):
        raise ValidationException(
            f"The accumulator of {owner} is declared as {found.type}, whose values cannot change.", hint="ROW<…>, ARRAY<…> or MAP<…>."
        )
    return found
