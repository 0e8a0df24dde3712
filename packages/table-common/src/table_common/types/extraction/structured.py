"""Classes as structured types: their fields in order, and how an object is created from field values."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any, get_type_hints

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types.conversion import class_name_of


@dataclass(frozen=True, slots=True)
class StructuredClass:
    """A class with its fields: pairs of name and annotation, in the order of the type.

    Example:
        >>> class Point:
        ...     def __init__(self, x, y):
        ...         self.x, self.y = x, y
        >>> StructuredClass(Point, (("x", int), ("y", int)), assigns_by_constructor=True).factory()([1, 2]).y
        2
    """

    class_: type[Any]
    fields: tuple[tuple[str, Any], ...]
    assigns_by_constructor: bool

    def factory(self) -> Callable[[Sequence[Any]], Any]:
        """Returns the function that creates an object from the values of its fields."""
        class_, names = self.class_, [name for name, _ in self.fields]
        if self.assigns_by_constructor:
            parameters = list(inspect.signature(class_).parameters.values())
            by_position = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            if by_position[: len(names)] == names:
                return lambda values: class_(*values)
            return lambda values: class_(**dict(zip(names, values, strict=True)))

        def make(values: Sequence[Any]) -> Any:
            result = class_()
            for name, value in zip(names, values, strict=True):
                setattr(result, name, value)
            return result

        return make


def annotations_of(target: Any, where: str) -> dict[str, Any]:
    """Returns the annotations of a class or function with names resolved, also where they are text.

    Raises:
        ValidationException: An annotation has an undefined name.
    """
    try:
        return get_type_hints(target, include_extras=True)
    except NameError as error:
        raise ValidationException(
            f"An annotation of {where} names '{error.name}', which cannot be found.",
            hint="Annotations are resolved among the names of the module: define or import it there, not inside of a function.",
        ) from error
    except (TypeError, SyntaxError, AttributeError) as error:
        raise ValidationException(f"The annotations of {where} cannot be read: {error}.") from error


def structured_class(class_: type[Any], where: str) -> StructuredClass:
    """Returns the fields of a class: of a constructor that assigns all of them, else as declared, bases first.

    Raises:
        ValidationException: The class has no fields, or cannot be created from them; the message says what is missing.
    """
    if class_.__module__ == "builtins" or inspect.isabstract(class_):
        raise ValidationException(
            f"The class '{class_.__qualname__}' of {where} is not a structured type.",
            hint="Use a class with fields, such as a dataclass, or give a hint: Annotated[…, DataTypeHint('RAW')].",
        )
    declared = _declared(class_, where)
    if dataclasses.is_dataclass(class_):
        declared = {field.name: declared[field.name] for field in dataclasses.fields(class_)}
    constructor = _constructor(class_, where)
    if not declared and constructor:
        # A class of properties, or of attributes that only the constructor knows.
        declared = {name: annotation for name, annotation in constructor.items() if annotation is not inspect.Parameter.empty}
    if not declared:
        raise ValidationException(
            f"The class '{class_name_of(class_)}' of {where} has no annotated fields.",
            hint="Declare fields (name: str), make it a dataclass, or give a hint: Annotated[…, DataTypeHint('RAW')].",
        )
    if constructor and set(declared) <= set(constructor):
        return StructuredClass(class_, tuple((name, declared[name]) for name in constructor if name in declared), True)
    if _takes_nothing(class_):
        unset = [name for name in declared if _is_read_only(class_, name)]
        if not unset:
            return StructuredClass(class_, tuple(declared.items()), False)
    missing = [name for name in declared if name not in (constructor or {})]
    raise ValidationException(
        f"An object of the class '{class_name_of(class_)}' of {where} cannot be made of its fields: "
        f"its constructor does not take {', '.join(missing) or 'them'}.",
        hint="Give it a constructor with a parameter for each field, under the field's name, or one without parameters.",
    )


def _declared(class_: type[Any], where: str) -> dict[str, Any]:
    """Returns fields and annotated properties, those of bases first."""
    hints = annotations_of(class_, f"the class '{class_.__qualname__}', which is {where}")
    order: dict[str, Any] = {}
    for base in reversed(class_.__mro__[:-1]):
        for name in inspect.get_annotations(base):
            if not _is_class_variable(hints[name]):
                order[name] = hints[name]
        for name, member in vars(base).items():
            if isinstance(member, property) and member.fget is not None and not name.startswith("_"):
                result = annotations_of(member.fget, f"the property '{name}' of '{class_.__qualname__}'").get("return")
                if result is not None:
                    order[name] = result
    private = [name for name in order if name.startswith("_")]
    public = {name: hint for name, hint in order.items() if not name.startswith("_")}
    # ``_field`` after a property ``field`` is the property's own business.
    return public if public or not private else {}


def _is_class_variable(hint: Any) -> bool:
    return str(hint).startswith("typing.ClassVar")


def _constructor(class_: type[Any], where: str) -> dict[str, Any]:
    """Returns the constructor's parameters with their annotations; empty if it takes none, or any."""
    try:
        parameters = list(inspect.signature(class_).parameters.values())
    except (TypeError, ValueError):
        return {}
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return {}
    init: Any = getattr(class_, "__init__", None)
    hints = annotations_of(init, f"the constructor of '{class_.__qualname__}'") if inspect.isfunction(init) else {}
    return {p.name: hints.get(p.name, inspect.Parameter.empty) for p in parameters}


def _takes_nothing(class_: type[Any]) -> bool:
    try:
        inspect.signature(class_).bind()
    except (TypeError, ValueError):
        return False
    return True


def _is_read_only(class_: type[Any], name: str) -> bool:
    member = inspect.getattr_static(class_, name, None)
    return isinstance(member, property) and member.fset is None
