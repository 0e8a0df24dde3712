"""Which module defines a name that a module or an object has."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import lru_cache
from importlib.util import resolve_name
from types import FunctionType, ModuleType

_MOST_STEPS = 20
"""From module to module that imports a name."""


def home_of(holder: object, name: str) -> str | None:
    """Returns the module that defines ``holder.name``; None if nobody can say.

    A name that a module imports is defined where it was imported from, and one that a class inherits by the class that has it.

    Example:
        >>> import json.decoder
        >>> home_of(json.decoder, "JSONDecoder"), home_of(json.decoder, "c_scanstring"), home_of(bool, "numerator")
        ('json.decoder', '_json', 'builtins')
    """
    if isinstance(holder, ModuleType):
        found = getattr(holder, name)
        if isinstance(found, (type, FunctionType)):  # they say it themselves
            return found.__module__
        return _home_in_module(holder, name, _MOST_STEPS)
    if isinstance(holder, type):
        return _defining_class(holder, name)
    own: object = getattr(holder, "__dict__", {})
    return type(holder).__module__ if isinstance(own, dict) and name in own else _defining_class(type(holder), name)


def _defining_class(class_: type, name: str) -> str | None:
    return next((base.__module__ for base in class_.__mro__ if name in vars(base)), None)


def _home_in_module(module: ModuleType, name: str, steps: int) -> str | None:
    try:
        bound = _bound_names(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):  # no source
        return module.__name__ if getattr(getattr(module, name, None), "__module__", None) == module.__name__ else None
    if name not in bound:
        return None
    source = bound[name]
    if source is None:
        return module.__name__
    text, original = source
    try:
        origin = resolve_name(text, module.__package__ or module.__name__.rpartition(".")[0])
    except ImportError:
        return None
    imported = sys.modules.get(origin)
    if imported is None or steps == 0:
        return origin if steps else None
    return _home_in_module(imported, original, steps - 1) if original else origin


@lru_cache(maxsize=64)
def _bound_names(source: str) -> dict[str, tuple[str, str] | None]:
    """Returns the names that the code of a module binds, each with (module, name there) if an import may bind it."""
    bound: dict[str, tuple[str, str] | None] = {}
    imported: dict[str, tuple[str, str] | None] = {}
    waiting: list[ast.AST] = list(ast.parse(source).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound[node.name] = None  # names inside of it are its own
        elif isinstance(node, ast.Import):
            imported.update((alias.asname or alias.name.partition(".")[0], (alias.name, "")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            imported.update((alias.asname or alias.name, (origin, alias.name)) for alias in node.names)
        elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound[node.id] = None
            waiting += ast.iter_child_nodes(node)
    return bound | imported
