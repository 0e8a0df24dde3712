"""Functions by the class of their first argument.

``TypeDispatch`` is a registry of exact classes, one instance per engine and purpose, in which a class without a handler is an error.
``by_class`` is a function that answers for every class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Concatenate, Generic, ParamSpec, TypeVar, overload

from table_common.exceptions import TableException

_B = TypeVar("_B", contravariant=True)
_M = TypeVar("_M")
_N = TypeVar("_N")
_O = TypeVar("_O")
_P = ParamSpec("_P")
_R = TypeVar("_R")


class TypeDispatch(Generic[_P, _R]):
    """Calls the handler of an object by its exact class; registering a class twice is an error.

    The object is the handler's first argument. Type checkers verify that it accepts the registered class, and its other arguments.

    With a package, the handler of a class is imported at the first call, from the module of the package with the same name as the module
    of the class or its package. Where other modules have the handlers, ``modules`` lists them by the name of the module of the class; they are
    imported one after the other.

    Example:
        >>> describe: TypeDispatch[[str], str] = TypeDispatch("describe")
        >>> @describe.register(int)
        ... def describe_int(value: int, end: str) -> str:
        ...     return f"int {value}{end}"
        >>> describe(3, "!")
        'int 3!'
    """

    def __init__(
        self,
        name: str,
        unsupported: Mapping[type, str] | Callable[[], Mapping[type, str]] = MappingProxyType({}),
        *,
        package: str | None = None,
        modules: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._name = name
        self._modules = modules
        self._package = package
        self._handlers: dict[type, Callable[..., _R]] = {}
        self._unsupported = unsupported

    def register(self, cls: type[_N]) -> Callable[[Callable[Concatenate[_N, _P], _R]], Callable[Concatenate[_N, _P], _R]]:
        """Returns a decorator that makes a function the handler of ``cls``."""

        def decorate(handler: Callable[Concatenate[_N, _P], _R]) -> Callable[Concatenate[_N, _P], _R]:
            if cls in self._handlers:
                raise ValueError(f"{self._name}: {cls.__name__} is registered twice")
            self._handlers[cls] = handler
            return handler

        return decorate

    def __call__(self, node: object, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Calls the handler of ``node``'s class and returns its result.

        Raises:
            TableException: no handler is registered; the message names the engine and the node.
        """
        handler = self._find(type(node))
        if handler is None:
            reasons = self._unsupported() if callable(self._unsupported) else self._unsupported
            reason = reasons.get(type(node), "there is no translation for it")
            raise TableException(f"{self._name} cannot run {type(node).__name__}: {reason}.")
        return handler(node, *args, **kwargs)

    def missing(self, classes: Iterable[type]) -> set[type]:
        """Returns those of ``classes`` that have no handler."""
        return {cls for cls in classes if self._find(cls) is None}

    def _find(self, cls: type) -> Callable[..., _R] | None:
        handler = self._handlers.get(cls)
        if handler is not None or self._package is None:
            return handler
        if self._modules is not None:
            for module in self._modules.get(cls.__module__.rpartition(".")[2], ()):
                import_module(f"{self._package}.{module}")
                if cls in self._handlers:
                    return self._handlers[cls]
        else:
            for name in reversed(cls.__module__.split(".")[-2:]):
                if find_spec(f"{self._package}.{name}") is not None:
                    import_module(f"{self._package}.{name}")
                    return self._handlers.get(cls)
        return None


class by_class(Generic[_B, _P, _R]):  # noqa: N801  # a decorator
    """Makes a function the default of others, each for objects of one class or a few: the nearest base class of an object decides.

    Type checkers verify that a function accepts the classes for which it is registered, and the other arguments.

    Example:
        >>> @by_class
        ... def describe(value: object, end: str) -> str:
        ...     return f"something{end}"
        >>> @describe.register(int)
        ... def describe_int(value: int, end: str) -> str:
        ...     return f"int {value}{end}"
        >>> describe(True, "!"), describe("a", "?")
        ('int True!', 'something?')
    """

    def __init__(self, otherwise: Callable[Concatenate[_B, _P], _R]) -> None:
        self._registered: dict[type, Callable[..., _R]] = {object: otherwise}
        self._named: dict[str, Callable[..., _R]] = {}
        self._found: dict[type, Callable[..., _R]] = {}

    @overload
    def register(self, cls: type[_N], /) -> Callable[[Callable[Concatenate[_N, _P], _R]], Callable[Concatenate[_N, _P], _R]]: ...
    @overload
    def register(
        self, cls: type[_N], second: type[_M], /
    ) -> Callable[[Callable[Concatenate[_N | _M, _P], _R]], Callable[Concatenate[_N | _M, _P], _R]]: ...
    @overload
    def register(
        self, cls: type[_N], second: type[_M], third: type[_O], /
    ) -> Callable[[Callable[Concatenate[_N | _M | _O, _P], _R]], Callable[Concatenate[_N | _M | _O, _P], _R]]: ...
    def register(self, *classes: type) -> Callable[[Callable[..., _R]], Callable[..., _R]]:
        """Returns a decorator that makes a function the one for objects of these classes."""

        def decorate(handler: Callable[..., _R]) -> Callable[..., _R]:
            for cls in classes:
                if cls in self._registered:
                    raise ValueError(f"{self._registered[object].__name__}: {cls.__name__} is registered twice")
                self._registered[cls] = handler
            self._found.clear()
            return handler

        return decorate

    def register_named(self, name: str) -> Callable[[Callable[..., _R]], Callable[..., _R]]:
        """Returns a decorator that makes a function the one for objects of a class, which need not be imported for that."""

        def decorate(handler: Callable[..., _R]) -> Callable[..., _R]:
            if name in self._named:
                raise ValueError(f"{self._registered[object].__name__}: {name} is registered twice")
            self._named[name] = handler
            self._found.clear()
            return handler

        return decorate

    def __call__(self, value: _B, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Calls the function for the class of ``value`` and returns its result."""
        handler = self._found.get(type(value))
        if handler is None:
            handler = self._found[type(value)] = next(filter(None, map(self._of, type(value).__mro__)))
        return handler(value, *args, **kwargs)

    def _of(self, cls: type) -> Callable[..., _R] | None:
        return self._registered.get(cls) or self._named.get(cls.__name__)
