"""Resolves the name of a callable: to a registered object, or by import."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from table_common.exceptions import ValidationException, closest
from table_common.restrictions import current_restrictions

__all__ = ["find_object", "register_callable", "unregister_callable"]

_REGISTERED: dict[str, Any] = {}
_LOCK = threading.Lock()


def register_callable(name: str, target: object) -> None:
    """Lets tables of this process name an object that cannot be imported: ``'callable' = name``. It replaces what had the name before.

    Args:
        name: an identifier, so that it is never taken for the name of a module.
        target: a callable, or an iterable that can be read again and again.

    Raises:
        ValidationException: the name is none.
    """
    if not name.isidentifier():
        raise ValidationException(f"'{name}' cannot name a callable.", hint="Use a name such as 'orders', without dots and colons.")
    with _LOCK:
        _REGISTERED[name] = target


def unregister_callable(name: str) -> None:
    """Forgets the object; does nothing if there is none."""
    with _LOCK:
        _REGISTERED.pop(name, None)


def find_object(name: str, where: str) -> Any:
    """Returns what was registered as ``name``, or what ``package.module:name`` (or ``package.module.name``) imports.

    As for the classes of CREATE FUNCTION, importing runs the code of the module.

    Raises:
        ValidationException: there is no such object; the closest names are suggested. ``where`` names option and table.
    """
    with _LOCK:
        if name in _REGISTERED:
            return _REGISTERED[name]
        registered = tuple(_REGISTERED)
    module_name, colon, path = name.partition(":")
    parts = [*module_name.split("."), *(path.split(".") if colon else ())]
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        known = f" Registered here: {', '.join(sorted(registered))}." if registered else ""
        suggestion = _suggestion(name, registered)
        raise ValidationException(
            f"{where}: '{name}' is neither registered nor the name of an object in a module.{suggestion}{known}",
            hint="Write 'package.module:name', or call register_callable(name, object) of table_runtime.connectors.python.",
        )
    if colon:
        return _attribute(_module(module_name, where), path, where)
    # The object may be inside of another one, so the module is the longest beginning that can be imported.
    for end in range(len(parts) - 1, 0, -1):
        module_name = ".".join(parts[:end])
        try:
            module = _module(module_name, where)
        except ValidationException:
            if end == 1 or _may_exist(module_name, where):
                raise
            continue
        return _attribute(module, ".".join(parts[end:]), where)
    raise AssertionError(name)


def _module(name: str, where: str) -> ModuleType:
    current_restrictions().check_module(name, where)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name != missing and not name.startswith(f"{missing}."):
            raise ValidationException(f"{where}: the module '{name}' cannot be imported: {error}.") from error
        parent, _, last = missing.rpartition(".")
        found = closest(last, _module_names(parent))
        suggestion = _did_you_mean(f"{parent}.{hit}" if parent else hit for hit in found)
        raise ValidationException(
            f"{where}: there is no module '{missing}'.{suggestion}", hint="It must be importable: installed, or on sys.path."
        ) from error
    except Exception as error:
        raise ValidationException(f"{where}: the module '{name}' cannot be imported: {type(error).__name__}: {error}") from error


def _may_exist(name: str, where: str) -> bool:
    """Returns whether a module is there; to ask imports its parents, so one that must not be imported is not looked for."""
    try:
        current_restrictions().check_module(name, where)
    except ValidationException:
        return False
    from importlib.util import find_spec

    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _module_names(parent: str) -> set[str]:
    """Returns the modules in a package, or, of none, those that can be imported."""
    from pkgutil import iter_modules

    if parent:
        path = getattr(sys.modules.get(parent), "__path__", ())
        return {found.name for found in iter_modules(path)}
    return {found.name for found in iter_modules()} | {name for name in sys.modules if "." not in name}


def _attribute(module: ModuleType, path: str, where: str) -> Any:
    found: Any = module
    holder = f"the module '{module.__name__}'"
    for part in path.split("."):
        if not hasattr(found, part):
            names = [name for name in dir(found) if not name.startswith("_")]
            raise ValidationException(f"{where}: {holder} has no '{part}'.{_suggestion(part, names)}")
        found = getattr(found, part)
        current_restrictions().check_object(found, path, where)
        holder = f"'{part}' of {holder}"
    return found


def _suggestion(name: str, accepted: Iterable[str]) -> str:
    return _did_you_mean(closest(name, accepted))


def _did_you_mean(found: Iterable[str]) -> str:
    names = [f"'{name}'" for name in found]
    return f" Did you mean {' or '.join(names)}?" if names else ""
