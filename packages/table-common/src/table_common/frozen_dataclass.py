"""``@dataclass(frozen=True, …)`` without its cost at import.

The standard decorator compiles half a dozen methods for every class when its module is loaded, about a millisecond each; a statement
needs some three hundred classes of nodes, types and strategies and uses a few of them. Here a method is compiled when it is first
called. ``slots``, ``eq``, ``order`` and ``frozen`` are known; to type checkers, and for any other option, this is the standard
decorator; ``dataclasses.fields``, ``replace``, pickling and ``match`` work on the classes as usual.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    field = dataclasses.field
    _INIT_NAMES: dict[type, tuple[str, ...]] = {}

    def replace(obj: Any, /, **changes: Any) -> Any:
        """Does what ``dataclasses.replace`` does, in half the time: plans are rewritten by it."""
        cls = type(obj)
        names = _INIT_NAMES.get(cls)
        if names is None:
            names = _INIT_NAMES[cls] = tuple(f.name for f in dataclasses.fields(cls) if f.init)
        for name in names:
            if name not in changes:
                changes[name] = getattr(obj, name)
        return cls(**changes)

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """Does what ``dataclasses.dataclass`` does."""
        known = options.keys() <= {"frozen", "slots", "eq", "order"}
        decorate = (lambda decorated: _decorated(decorated, **options)) if known else dataclasses.dataclass(**options)
        return decorate if cls is None else decorate(cls)


def _decorated(cls: type, *, frozen: bool = False, slots: bool = False, eq: bool = True, order: bool = False) -> type:
    fields: dict[str, Any] = {}
    inherited_slots: set[str] = set()
    for base in reversed(cls.__mro__[1:]):
        fields.update(getattr(base, "__dataclass_fields__", {}))
        inherited_slots.update(getattr(base, "__slots__", ()))
    own = {name: _field(cls, name, text) for name, text in cls.__annotations__.items() if "ClassVar" not in str(text)}
    fields.update(own)
    added: dict[str, Any] = {
        "__dataclass_fields__": fields,
        "__dataclass_params__": _parameters(frozen, eq, order),
        "__match_args__": tuple(f.name for f in fields.values() if f.init and not f.kw_only),
    }
    wanted = {"__init__", "__repr__"} | ({"__eq__", "__hash__"} if eq else set()) | (_ORDER if order else set())
    wanted |= ({"__setattr__", "__delattr__"} if frozen else set()) | ({"__getstate__", "__setstate__"} if slots else set())
    for name in wanted:
        if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
            added[name] = _METHODS[name] if name != "__hash__" or frozen else None
    if not slots:
        for name, f in own.items():
            if f.default is not dataclasses.MISSING:
                added[name] = f.default
            elif name in cls.__dict__:
                delattr(cls, name)
        for name, value in added.items():
            setattr(cls, name, value)
        return cls
    namespace = {name: value for name, value in cls.__dict__.items() if name not in own and name not in ("__dict__", "__weakref__")}
    slotted = type(cls)(
        cls.__name__,
        cls.__bases__,
        {**namespace, "__slots__": tuple(name for name in own if name not in inherited_slots), **added},
    )
    slotted.__qualname__ = cls.__qualname__
    return slotted


_ORDER = {"__lt__", "__le__", "__gt__", "__ge__"}
_PARAMETERS: dict[tuple[bool, bool, bool], Any] = {}


def _parameters(frozen: bool, eq: bool, order: bool) -> Any:
    """Returns what ``__dataclass_params__`` is of such a class, taken from the standard decorator."""
    found = _PARAMETERS.get((frozen, eq, order))
    if found is None:
        model: Any = dataclasses.dataclass(frozen=frozen, eq=eq, order=order)(type("_", (), {}))
        found = _PARAMETERS[frozen, eq, order] = model.__dataclass_params__
    return found


def _field(cls: type, name: str, annotation: Any) -> Any:
    default = cls.__dict__.get(name, dataclasses.MISSING)
    result: Any = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
    result.name, result.type = name, annotation
    result._field_type = dataclasses._FIELD  # type: ignore[attr-defined]  # what dataclasses.fields looks for
    if result.kw_only is dataclasses.MISSING:
        result.kw_only = False
    return result


# --- methods that compile themselves ----------------------------------------------------------------------------------------------


def _compiled(name: str, make: Callable[[type], tuple[str, dict[str, Any]]]) -> Callable[..., Any]:
    """Returns a method that replaces itself, in the class that it belongs to, by one compiled for the class's fields."""

    def first_call(self: object, *args: Any, **kwargs: Any) -> Any:
        for cls in type(self).__mro__:
            if cls.__dict__.get(name) is _METHODS[name]:
                code, scope = make(cls)
                exec(code, scope)
                scope[name].__qualname__ = f"{cls.__qualname__}.{name}"
                setattr(cls, name, scope[name])
        return getattr(type(self), name)(self, *args, **kwargs)

    return first_call


_INTERPRETED = 8
"""Objects of a class that are made before its ``__init__`` is compiled, which takes as long as some fifty of them; most classes have fewer in a
process that runs one statement."""
_made: dict[type, int] = {}


def _first_inits(compile_and_call: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an ``__init__`` that makes the first objects of a class itself, and then, or if it is called wrongly, is compiled."""

    def first_call(self: object, *args: Any, **kwargs: Any) -> None:
        cls = type(self)
        count = _made.get(cls, 0)
        owner = next(base for base in cls.__mro__ if "__init__" in base.__dict__)
        values = _bound(owner, args, kwargs) if count < _INTERPRETED and owner.__dict__["__init__"] is first_call else None
        if values is None:
            compile_and_call(self, *args, **kwargs)
            return
        _made[cls] = count + 1
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()  # type: ignore[attr-defined]

    return first_call


def _bound(cls: type, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the values of the fields of a new object; None if the arguments are not those of ``__init__``."""
    values: dict[str, Any] = {}
    position = named = 0
    for f in cls.__dataclass_fields__.values():  # type: ignore[attr-defined]
        if f.init and not f.kw_only and position < len(args):
            if f.name in kwargs:
                return None
            values[f.name] = args[position]
            position += 1
        elif f.init and f.name in kwargs:
            values[f.name] = kwargs[f.name]
            named += 1
        elif f.default_factory is not dataclasses.MISSING:
            values[f.name] = f.default_factory()
        elif f.default is not dataclasses.MISSING:
            values[f.name] = f.default
        elif f.init:
            return None
    return values if position == len(args) and named == len(kwargs) else None


def _init(cls: type) -> tuple[str, dict[str, Any]]:
    scope: dict[str, Any] = {"__name__": cls.__module__, "FACTORY": _FACTORY, "put": object.__setattr__}
    positional: list[str] = []
    keyword: list[str] = []
    body: list[str] = []
    for f in cls.__dataclass_fields__.values():  # type: ignore[attr-defined]  # every class here is a dataclass
        slot = next((base.__dict__[f.name] for base in cls.__mro__ if f.name in base.__dict__), None)
        if isinstance(slot, MemberDescriptorType):
            scope[f"set_{f.name}"] = slot.__set__
            put = f"set_{f.name}(self, %s)"
        else:
            put = f"put(self, {f.name!r}, %s)"
        has_factory = f.default_factory is not dataclasses.MISSING
        if has_factory:
            scope[f"make_{f.name}"] = f.default_factory
        elif f.default is not dataclasses.MISSING:
            scope[f"default_{f.name}"] = f.default
        if not f.init:
            if has_factory or f.default is not dataclasses.MISSING:
                body.append(put % (f"make_{f.name}()" if has_factory else f"default_{f.name}"))
            continue
        parameter = f.name
        if has_factory:
            parameter += "=FACTORY"
            body.append(put % f"make_{f.name}() if {f.name} is FACTORY else {f.name}")
        else:
            parameter += f"=default_{f.name}" if f.default is not dataclasses.MISSING else ""
            body.append(put % f.name)
        (keyword if f.kw_only else positional).append(parameter)
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(["self", *positional, *(["*", *keyword] if keyword else [])])
    return f"def __init__({parameters}):\n" + "".join(f" {line}\n" for line in body or ["pass"]), scope


_FACTORY = object()


def _compared(cls: type) -> list[str]:
    return [f.name for f in cls.__dataclass_fields__.values() if f.compare]  # type: ignore[attr-defined]


def _eq(cls: type) -> tuple[str, dict[str, Any]]:
    tests = " and ".join(f"self.{name} == other.{name}" for name in _compared(cls)) or "True"
    # A node is equal to itself without a walk, which would visit a shared part of a plan once for each way to it.
    return f"def __eq__(self, other):\n return (self is other or {tests}) if other.__class__ is self.__class__ else NotImplemented\n", {}


def _hash(cls: type) -> tuple[str, dict[str, Any]]:
    names = [
        f.name
        for f in cls.__dataclass_fields__.values()  # type: ignore[attr-defined]
        if (f.compare if f.hash is None else f.hash)
    ]
    return f"def __hash__(self):\n return hash(({''.join(f'self.{name}, ' for name in names)}))\n", {}


def _ordered(name: str, sign: str) -> Callable[[type], tuple[str, dict[str, Any]]]:
    def make(cls: type) -> tuple[str, dict[str, Any]]:
        mine, others = ("".join(f"{side}.{f}, " for f in _compared(cls)) for side in ("self", "other"))
        return (
            f"def {name}(self, other):\n return ({mine}) {sign} ({others}) if other.__class__ is self.__class__ else NotImplemented\n",
            {},
        )

    return make


def _repr(self: Any) -> str:
    from table_common.secrets.shown_fields import shown_field  # a program shows nodes when something is wrong

    fields = [f.name for f in self.__dataclass_fields__.values() if f.repr]
    shown = ", ".join(f"{name}={shown_field(name, getattr(self, name))!r}" for name in fields)
    return f"{type(self).__qualname__}({shown})"


def _setattr(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__dataclass_fields__]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)


_METHODS: dict[str, Callable[..., Any]] = {
    "__init__": _first_inits(_compiled("__init__", _init)),
    "__eq__": _compiled("__eq__", _eq),
    "__hash__": _compiled("__hash__", _hash),
    **{name: _compiled(name, _ordered(name, sign)) for name, sign in zip(sorted(_ORDER), (">=", ">", "<=", "<"), strict=True)},
    "__repr__": _repr,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
if hasattr(dataclasses, "_replace"):  # 3.13: copy.replace
    _METHODS["__replace__"] = dataclasses._replace
