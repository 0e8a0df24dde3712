"""Resolves the name of a callable: to a registered object, or by import."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from table_common.exceptions import ValidationException, closest
from table_common.gate import current_gate, import_allowed

_REGISTERED: dict[str, Any] = {}
_LOCK = threading.Lock()


def register_callable(name: str, target: object) -> None:
    """Registers an object under a name for tables of this process: ``'callable' = name``. It replaces an object with the same name.

    Args:
        name: an identifier, so that it cannot be confused with the name of a module.
        target: a callable, or an iterable that can be iterated repeatedly.

    Raises:
        ValidationException: the name is not an identifier.
    """
    if not name.isidentifier():
        raise ValidationException(f"'{name}' cannot name a callable.", hint="Use a name such as 'orders', without dots and colons.")
    with _LOCK:
        _REGISTERED[name] = target


def unregister_callable(name: str) -> None:
    """Removes a registered object; does nothing if there is none."""
    with _LOCK:
        _REGISTERED.pop(name, None)


def find_object(name: str, where: str) -> Any:
    """Returns the object that is registered as ``name``, or that ``package.module:name`` (or ``package.module.name``) imports.

    As in CREATE FUNCTION, the import runs the code of the module.

    Raises:
        ValidationException: the object does not exist; the message has ``where``, the option and table.
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
    # The object may be an attribute of another one, so the module is the longest prefix that can be imported.
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
    allowed = current_gate().module(name, where)
    try:
        return import_allowed(allowed)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name != missing and not name.startswith(f"{missing}."):
            raise ValidationException(f"{where}: the module '{name}' cannot be imported: {error}.") from error
        parent, _, last = missing.rpartition(".")
        candidates = closest(last, _module_names(parent))
        suggestion = _did_you_mean(f"{parent}.{candidate}" if parent else candidate for candidate in candidates)
        raise ValidationException(
            f"{where}: there is no module '{missing}'.{suggestion}",
            hint="Install it, or name its folder: SET 'python.files' = 'folder', in the SQL client also -pyfs folder.",
        ) from error
    except Exception as error:
        raise ValidationException(f"{where}: the module '{name}' cannot be imported: {type(error).__name__}: {error}") from error


def _may_exist(name: str, where: str) -> bool:
    """Returns whether a module exists. The check imports its parents, so modules that must not be imported are not checked."""
    try:
        current_gate().module(name, where)
    except ValidationException:
        return False
    from importlib.util import find_spec

    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _module_names(parent: str) -> set[str]:
    """Returns the modules in a package, or without a package the top-level modules."""
    from pkgutil import iter_modules

    if parent:
        path = getattr(sys.modules.get(parent), "__path__", ())
        return {module.name for module in iter_modules(path)}
    return {module.name for module in iter_modules()} | {name for name in sys.modules if "." not in name}


def _attribute(module: ModuleType, path: str, where: str) -> Any:
    gate = current_gate()
    target: Any = module
    holder = f"the module '{module.__name__}'"
    for part in path.split("."):
        if not hasattr(target, part):
            names = [name for name in dir(target) if not name.startswith("_")]
            raise ValidationException(f"{where}: {holder} has no '{part}'.{_suggestion(part, names)}")
        target = gate.member(target, part, where)
        holder = f"'{part}' of {holder}"
    return target


def _suggestion(name: str, accepted: Iterable[str]) -> str:
    return _did_you_mean(closest(name, accepted))


def _did_you_mean(candidates: Iterable[str]) -> str:
    names = [f"'{name}'" for name in candidates]
    return f" Did you mean {' or '.join(names)}?" if names else ""
