"""Extracts a type from an annotation: scalars, collections, structured classes; other classes need a hint.

Differs from Flink: nested types (elements, fields, values) are nullable, since Python has no primitive types that exclude NULL.
"""

from __future__ import annotations

import collections.abc
import types
import typing
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Union, get_args, get_origin

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, replace
from table_common.types.conversion import ROW, class_name_of
from table_common.types.data_type import DataType
from table_common.types.extraction.data_type_hint import DataTypeHint, hint_of_class
from table_common.types.extraction.options import ExtractionOptions
from table_common.types.extraction.structured import StructuredClass, structured_class
from table_common.types.instant import InstantMarker
from table_common.types.logical import (
    ArrayType,
    BigIntType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DayTimeResolution,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    RawType,
    RowField,
    SmallIntType,
    StructuredType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
    YearMonthResolution,
)
from table_common.types.parser import parse_logical_type
from table_common.types.period import Period

RAW_SERIALIZER = "pickle"
"""The serializer of RAW types that are extracted from annotations."""
_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable)
_MAPS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_NUMPY: dict[str, LogicalType] = {
    "bool": BooleanType(),
    "bool_": BooleanType(),
    "int8": TinyIntType(),
    "int16": SmallIntType(),
    "int32": IntType(),
    "int64": BigIntType(),
    "float32": FloatType(),
    "float64": DoubleType(),
    "str_": VarCharType(),
    "bytes_": VarBinaryType(),
}
"""numpy's scalars by name: it is never imported."""
_VIEWS = {"table_common.functions.views.ListView": "list", "table_common.functions.views.MapView": "map"}
"""The collections of accumulators, which are above the types, and the attribute that holds the collection."""
_PLAIN: dict[type[Any], LogicalType] = {
    bool: BooleanType(),
    int: BigIntType(),
    float: DoubleType(),
    str: VarCharType(),
    bytes: VarBinaryType(),
    bytearray: VarBinaryType(),
    date: DateType(),
}


_Class = type[Any]  # the class below has a field of the name 'type'


@dataclass(frozen=True, slots=True)
class ExtractedType:
    """The result of extraction. ``type`` None means any type; nested types are nullable, and so is the type itself.

    Example:
        >>> extracted = extract_type(int | None, "parameter 'n' of eval")
        >>> str(extracted.type), extracted.accepts_none
        ('BIGINT', True)
    """

    type: LogicalType | None
    conversion: _Class | None = None
    """The class of the values in the function, if it is not the type's default one."""
    accepts_none: bool = False
    """Whether the annotation allows ``None``."""
    is_annotated: bool = True
    classes: tuple[StructuredClass, ...] = ()
    """The structured classes in the type, which values are made of."""
    raw_classes: tuple[_Class, ...] = ()
    """The classes of RAW types in the type."""


def type_text(annotation: Any) -> str:
    """Returns an annotation as messages show it."""
    return annotation.__qualname__ if isinstance(annotation, type) and not get_args(annotation) else str(annotation).replace("typing.", "")


def extract_type(annotation: Any, where: str, options: ExtractionOptions | None = None, hint: DataTypeHint | None = None) -> ExtractedType:
    """Returns the type of an annotation; names in it must be resolved already.

    Args:
        annotation: A class, a generic, ``T | None``, ``Annotated[T, DataTypeHint(...)]``.
        where: The annotated object, for messages: ``parameter 'x' of eval``.
        options: The options of enclosing hints.
        hint: A hint that overrides the annotation.

    Raises:
        ValidationException: There is no SQL type for it; the message shows the hint to write.
    """
    return _Extractor().extract(annotation, where, options or ExtractionOptions(), hint)


def class_of(annotation: Any) -> type[Any] | None:
    """Returns the class of an annotation's values, without type arguments; None if there is no single class."""
    try:
        inner = _unwrap(annotation, "")[0]
    except ValidationException:
        return None
    class_ = get_origin(inner) or inner
    return class_ if isinstance(class_, type) else None


class _Extractor:
    def __init__(self) -> None:
        self._open: list[type[Any]] = []
        self.classes: dict[type[Any], StructuredClass] = {}
        self.raw: dict[type[Any], None] = {}

    def extract(self, annotation: Any, where: str, options: ExtractionOptions, hint: DataTypeHint | None) -> ExtractedType:
        inner, accepts_none, own, is_instant = _unwrap(annotation, where)
        options = options.within(own).within(hint)
        hint = hint if hint is not None and not hint.is_empty else own
        if hint is not None and hint.take_arbitrary_input:
            return ExtractedType(None, hint.bridged_to, accepts_none)
        type_, conversion = self.type_of(inner, where, options, hint, is_instant)
        return ExtractedType(type_, conversion, accepts_none, inner is not None, tuple(self.classes.values()), tuple(self.raw))

    def type_of(
        self, inner: Any, where: str, options: ExtractionOptions, hint: DataTypeHint | None, is_instant: bool = False
    ) -> tuple[LogicalType, type[Any] | None]:
        class_ = inner if isinstance(inner, type) else get_origin(inner)
        bridged = hint.bridged_to if hint is not None else None
        if hint is not None and hint.value is not None:
            type_ = self._hinted(hint, class_, where)
            self._note_structured(inner, type_, where, options)
            return type_, bridged or (hint.value.conversion_class if isinstance(hint.value, DataType) else None) or _class_for(class_)
        if isinstance(class_, type) and options.forces_raw(class_):
            return self._raw(class_), class_
        type_ = self._extracted(inner, where, options, is_instant)
        return type_, bridged or _class_for(class_)

    def _hinted(self, hint: DataTypeHint, class_: Any, where: str) -> LogicalType:
        value = hint.value
        if isinstance(value, DataType):
            return value.logical_type
        if isinstance(value, LogicalType):
            return value
        assert isinstance(value, str)
        text, _, nullability = value.strip().partition(" ")
        if text.upper() in ("ANY", "RAW"):
            raw_class = hint.bridged_to or class_
            if not isinstance(raw_class, type):
                raise ValidationException(f"The hint '{value}' of {where} needs a class.", hint="Annotate it, or give bridged_to=….")
            result = self._raw(raw_class)
            return result.not_null() if nullability.upper().split() == ["NOT", "NULL"] else result
        try:
            return parse_logical_type(value)
        except ValidationException as error:
            raise ValidationException(
                f"The hint of {where} is not a type: {error.message}", position=error.position, hint=error.hint
            ) from None

    def _note_structured(self, inner: Any, type_: LogicalType, where: str, options: ExtractionOptions) -> None:
        """A class beside a hint that says ROW<…> or STRUCTURED<…> is what values are made of."""
        if not isinstance(type_, StructuredType) or not isinstance(inner, type) or inner in (object, Any) or inner in self.classes:
            return
        if (name := class_name_of(inner)) != ROW and name not in _VIEWS:
            self.classes[inner] = structured_class(inner, where)

    def _raw(self, class_: type[Any]) -> RawType:
        self.raw[class_] = None
        return RawType(class_name_of(class_), RAW_SERIALIZER)

    def _extracted(self, inner: Any, where: str, options: ExtractionOptions, is_instant: bool) -> LogicalType:
        origin, args = get_origin(inner), get_args(inner)
        if origin in _LISTS or origin is tuple:
            if origin is tuple and not (len(args) == 2 and args[1] is Ellipsis):
                raise ValidationException(
                    f"The type of {where} is {type_text(inner)}, whose elements may be of different types.",
                    hint="tuple[T, ...] is an ARRAY; for a ROW write Annotated[Row, DataTypeHint('ROW<a INT, b STRING>')], or a dataclass.",
                )
            return ArrayType(self._nested(args[0], f"an element of {where}", options))
        if origin in _MAPS:
            return MapType(self._nested(args[0], f"a key of {where}", options), self._nested(args[1], f"a value of {where}", options))
        if isinstance(origin, type):
            view = _VIEWS.get(class_name_of(origin))
            if view is not None:
                # FLIP-65: views are structured types around the collection.
                types = [self._nested(argument, f"what is in {where}", options) for argument in args]
                collection: LogicalType = ArrayType(types[0]) if len(types) == 1 else MapType(types[0], types[1])
                return StructuredType(class_name_of(origin), (RowField(view, collection),))
            inner = origin
        if not isinstance(inner, type):
            raise ValidationException(
                f"No type can be extracted from the annotation '{type_text(inner)}' of {where}.", hint=_hint_for(inner, where)
            )
        return self._of_class(inner, where, options, is_instant)

    def _nested(self, annotation: Any, where: str, options: ExtractionOptions) -> LogicalType:
        inner, _, hint, is_instant = _unwrap(annotation, where)
        options = options.within(hint)
        if hint is not None and hint.take_arbitrary_input:
            raise ValidationException(f"Arbitrary input is for whole parameters, but {where} asks for it.")
        return self.type_of(inner, where, options, hint, is_instant)[0]

    def _of_class(self, class_: type[Any], where: str, options: ExtractionOptions, is_instant: bool) -> LogicalType:
        plain = _PLAIN.get(class_)
        if plain is not None:
            return plain
        second = options.default_second_precision
        digits = 6 if second is None else second
        if class_ is datetime:
            return LocalZonedTimestampType(digits) if is_instant else TimestampType(digits)
        if class_ is time:
            return TimeType(digits)
        if class_ is timedelta:
            return DayTimeIntervalType(DayTimeResolution.SECOND, fractional_precision=digits)
        if class_ is Period:
            years = 4 if options.default_year_precision is None else options.default_year_precision
            if years == 0:
                return YearMonthIntervalType(YearMonthResolution.MONTH)
            return YearMonthIntervalType(YearMonthResolution.YEAR_TO_MONTH, years)
        if class_ is Decimal and options.default_decimal_precision is not None:
            return DecimalType(options.default_decimal_precision, options.default_decimal_scale or 0)
        if class_.__module__ == "numpy":
            if class_.__name__ == "datetime64":
                return TimestampType(9 if second is None else second)
            if class_.__name__ == "timedelta64":
                return DayTimeIntervalType(DayTimeResolution.SECOND, fractional_precision=9 if second is None else second)
            if class_.__name__ in _NUMPY:
                return _NUMPY[class_.__name__]
        return self._structured(class_, where, options)

    def _structured(self, class_: type[Any], where: str, options: ExtractionOptions) -> LogicalType:
        refusal = _refusal(class_, where)
        if refusal is None:
            if class_ in self._open:
                path = " → ".join(open_.__qualname__ for open_ in (*self._open, class_))
                raise ValidationException(
                    f"The type of {where} contains itself, which no SQL type does: {path}.",
                    hint="Make the inner one RAW: Annotated[…, DataTypeHint('RAW')], or keep it out: ClassVar[…].",
                )
            try:
                return self._fields(class_, where, options)
            except ValidationException:
                if not options.allows_raw(class_):
                    raise
        elif not options.allows_raw(class_):
            raise refusal
        return self._raw(class_)

    def _fields(self, class_: type[Any], where: str, options: ExtractionOptions) -> LogicalType:
        own = hint_of_class(class_)
        options = options.within(own)
        if own is not None and own.value is not None:
            return self._hinted(own, class_, where)
        found = structured_class(class_, where)
        self._open.append(class_)
        try:
            fields = [
                RowField(name, self._nested(annotation, f"the field '{name}' of {where}", options)) for name, annotation in found.fields
            ]
        finally:
            self._open.pop()
        self.classes[class_] = found
        return StructuredType(class_name_of(class_), tuple(fields))


def _unwrap(annotation: Any, where: str) -> tuple[Any, bool, DataTypeHint | None, bool]:
    """Returns the annotation inside ``Annotated`` and ``| None``, whether None is allowed, the hint, and whether it is an ``Instant``."""
    accepts_none, hint, is_instant = False, None, False
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *metadata = get_args(annotation)
            for item in metadata:
                if isinstance(item, DataTypeHint):
                    hint = item if hint is None else _outer(item, hint)
                is_instant = is_instant or isinstance(item, InstantMarker)
        elif origin is Union or origin is types.UnionType:
            members = [member for member in get_args(annotation) if member is not types.NoneType]
            accepts_none = accepts_none or len(members) < len(get_args(annotation))
            if len(members) != 1:
                if hint is not None and (hint.value is not None or hint.take_arbitrary_input):
                    return object, accepts_none, hint, is_instant
                raise ValidationException(
                    f"The annotation '{type_text(annotation)}' of {where} allows several types.",
                    hint="Write one signature for each with @overload, or Annotated[…, DataTypeHint(take_arbitrary_input=True)].",
                )
            (annotation,) = members
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif annotation is types.NoneType:
            return None, True, hint, is_instant
        else:
            if isinstance(annotation, str):
                raise ValidationException(f"The annotation '{annotation}' of {where} is not resolved.")
            return annotation, accepts_none or annotation in (Any, object), hint, is_instant


def _outer(outer: DataTypeHint, inner: DataTypeHint) -> DataTypeHint:
    """Returns both hints as one; the inner wins."""
    said = {name: getattr(inner, name) for name in inner.__dataclass_fields__ if getattr(inner, name) is not None}
    return replace(outer, **said)


_DEFAULTS = frozenset(
    {bool, int, float, str, bytes, date, datetime, time, timedelta, Decimal, list, dict, Period, object, collections.abc.Sequence}
)


def _class_for(class_: Any) -> type[Any] | None:
    """Returns the class that values must be converted to, where it is not what they are anyhow."""
    if not isinstance(class_, type) or class_ in _DEFAULTS or class_ in _MAPS or class_ is collections.abc.Iterable:
        return None
    return None if class_name_of(class_) == ROW else class_


def _refusal(class_: type[Any], where: str) -> ValidationException | None:
    """Returns the error for a class without a SQL type, None for one that may be a structured type."""
    name = class_name_of(class_)
    known = (
        class_ in (Decimal, object, Any, type, list, dict, tuple, set, frozenset, complex, collections.Counter)
        or name == ROW
        or name.startswith(("pyarrow.", "pandas.", "numpy."))
        or class_ in _LISTS
        or class_ in _MAPS
    )
    if not known:
        return None
    return ValidationException(f"No type can be extracted from '{type_text(class_)}' of {where}.", hint=_hint_for(class_, where))


def _hint_for(inner: Any, where: str) -> str:
    """Returns the hint to write instead."""
    name = type_text(inner)
    if inner is Decimal:
        return "Precision and scale are needed: Annotated[Decimal, DataTypeHint('DECIMAL(10, 2)')], or default_decimal_precision around it."
    if isinstance(inner, type) and class_name_of(inner) == ROW:
        return "The fields are needed: Annotated[Row, DataTypeHint('ROW<a INT, b STRING>')]."
    if inner in (Any, object):
        return "Annotated[Any, DataTypeHint(take_arbitrary_input=True)] takes any type; DataTypeHint('RAW') keeps objects as they are."
    if inner in (set, frozenset, collections.Counter):
        return "A multiset needs a hint: Annotated[dict, DataTypeHint('MULTISET<STRING>')]."
    if inner in (list, tuple):
        return f"Say what is inside: {name}[int{', ...' if inner is tuple else ''}]."
    if inner is dict:
        return "Say what is inside: dict[str, int]."
    if isinstance(inner, type) and inner.__module__.startswith(("pyarrow", "pandas", "numpy")):
        return f"Say the type of the elements: Annotated[{name}, DataTypeHint('INT')]."
    return f"Give the type: Annotated[{name}, DataTypeHint('STRING')]."
