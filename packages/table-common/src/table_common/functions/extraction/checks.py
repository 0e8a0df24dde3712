"""Checks at registration that the methods of a function can be called with the types of its signatures."""

from __future__ import annotations

from typing import Any

from table_common.exceptions import ValidationException
from table_common.functions.extraction.methods import NOTHING, Method, read_method
from table_common.functions.extraction.signature import Signature
from table_common.functions.user_defined import UserDefinedFunction, implements
from table_common.types.conversion import class_name_of, supports_output_conversion
from table_common.types.extraction.annotations import class_of


def check_signature(signature: Signature, method: Method, owner: str, *, is_hinted: bool, names_given: bool) -> None:
    """Checks that a method takes the arguments of a signature.

    Raises:
        ValidationException: It takes fewer or more arguments, other names, or its annotations are of other classes.
    """
    count = len(signature.parameters)
    required = sum(1 for parameter in method.parameters if parameter.default is NOTHING)
    if method.var_args is None and count > len(method.parameters):
        raise _mismatch(signature, method, owner, f"it takes {len(method.parameters)} arguments")
    if count - signature.is_var_args < required and not (signature.is_var_args and count >= required):
        raise _mismatch(signature, method, owner, f"it takes at least {required} arguments")
    if signature.is_var_args and method.var_args is None:
        raise _mismatch(signature, method, owner, "it has no *args")
    for position, parameter in enumerate(signature.parameters):
        own = method.parameter(position)
        assert own is not None
        if names_given and own is not method.var_args and own.name != parameter.name:
            raise _mismatch(signature, method, owner, f"its argument {position + 1} is named '{own.name}', not '{parameter.name}'")
        type_, conversion = parameter.extracted.type, parameter.extracted.conversion
        if type_ is None or not is_hinted:
            continue
        class_ = conversion if conversion is not None else class_of(own.annotation) if own.annotation is not NOTHING else None
        if class_ is None or class_ in (object, Any) or class_name_of(class_).startswith(("pyarrow.", "pandas.")):
            continue
        if not _can_be(type_, class_):
            raise _mismatch(
                signature, method, owner, f"its argument '{own.name}' is of the class {class_.__name__}, which values of {type_} are not"
            )


def _can_be(type_: Any, class_: type[Any]) -> bool:
    name = class_name_of(class_)
    if name.startswith("collections.abc.") or supports_output_conversion(type_, class_):
        return True
    return type(type_).__name__ in ("StructuredType", "RowType") and not name.startswith("builtins.")


def _mismatch(signature: Signature, method: Method, owner: str, reason: str) -> ValidationException:
    return ValidationException(
        f"{owner}.{method.name} cannot be called with ({signature.describe()}): {reason}.",
        hint=f"Change the hint, or the parameters of {method.name}.",
    )


def check_aggregate_methods(function: UserDefinedFunction, accumulate: Method, owner: str, *, only_hints: bool = False) -> None:
    """Checks that ``retract``, ``merge`` and the result method are consistent with ``accumulate``.

    Raises:
        ValidationException: One is missing or takes other arguments.
    """
    class_: type[Any] = type(function)
    result_name = "emit_value" if hasattr(class_, "emit_value") else "get_value"
    for name in ("create_accumulator", result_name):
        if _is_inherited(class_, name):
            raise ValidationException(
                f"{owner} does not define {name}.", hint=f"def {name}(self{', accumulator' if name == result_name else ''})"
            )
    for name, count in ((result_name, 1), ("merge", 2)):
        if implements(class_, name):
            _check_count(read_method(getattr(function, name), name, owner, 0, only_hints=only_hints), count, owner)
    if implements(class_, "retract"):
        retract = read_method(class_.retract, "retract", owner, 2, only_hints=only_hints)
        if not _take_the_same(retract, accumulate):
            raise ValidationException(
                f"{owner}.retract takes {len(retract.parameters)} arguments, but accumulate takes {len(accumulate.parameters)}.",
                hint="retract takes what accumulate takes.",
            )


def _take_the_same(one: Method, other: Method) -> bool:
    if one.var_args is None and other.var_args is None:
        return len(one.parameters) == len(other.parameters)
    if one.var_args is not None and other.var_args is not None:
        return True
    with_any, fixed = (one, other) if one.var_args is not None else (other, one)
    return len(with_any.parameters) <= len(fixed.parameters)


def _is_inherited(class_: type[Any], name: str) -> bool:
    home = next(base for base in class_.__mro__ if name in vars(base))
    return home.__module__ == UserDefinedFunction.__module__


def _check_count(method: Method, count: int, owner: str) -> None:
    required = sum(1 for parameter in method.parameters if parameter.default is NOTHING)
    if required > count or (len(method.parameters) < count and method.var_args is None):
        raise ValidationException(
            f"{owner}.{method.name} takes {len(method.parameters)} arguments, but is called with {count}.",
            hint="def merge(self, accumulator, others)" if method.name == "merge" else f"def {method.name}(self, accumulator)",
        )
