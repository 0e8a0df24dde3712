"""Loads functions by the name of their class, as in ``CREATE FUNCTION … AS 'module.Class' LANGUAGE PYTHON``."""

from __future__ import annotations

from typing import Any

from table_common.exceptions import ValidationException
from table_common.functions import FunctionDefinition
from table_common.gate import AllowedModule, current_gate, import_allowed


def as_definition(function: object, name: str) -> FunctionDefinition:
    """Returns the definition of a function, which may be a definition, an object, a class, or the result of ``udf`` and the like.

    Raises:
        ValidationException: it is none of these, or its types cannot be extracted.
    """
    if isinstance(function, FunctionDefinition) and not function.is_user_defined:
        return function
    from table_common.functions import as_user_function

    return as_user_function(function, name)


def importable_name(function: object) -> str:
    """Returns ``module.Class`` for a class, or for the name of one, which may be written ``module:Class``.

    Raises:
        ValidationException: it is an object, or a class that another program cannot import.
    """
    if isinstance(function, str):
        return function.replace(":", ".")
    hint = "create_temporary_function registers any function for this session"
    if not isinstance(function, type):
        raise ValidationException(
            f"A catalog stores the name of a function's class, but got an object of {type(function).__qualname__}.", hint=hint
        )
    name = f"{function.__module__}.{function.__qualname__}"
    if function.__module__ == "__main__" or "<locals>" in name:
        raise ValidationException(f"No other program can import the class '{name}': it is not in a module.", hint=hint)
    return name


def check_class_name(class_name: str) -> None:
    """Checks a class name against the session's restrictions, without importing it.

    Raises:
        ValidationException: statements may not import its module.
    """
    parts = class_name.replace(":", ".").split(".")
    for end in range(len(parts) - 1, 0, -1):
        if _allowed(".".join(parts[:end]), class_name, is_last=end == 1) is not None:
            return


def load_function(class_name: str, name: str) -> FunctionDefinition:
    """Returns the function of ``module.Class``.

    Raises:
        ValidationException: the module or class does not exist, or is not a function.
    """
    found = _import(class_name)
    try:
        return as_definition(found, name)
    except ValidationException as error:
        raise ValidationException(f"'{class_name}' cannot be the function '{name}': {error.message}", hint=error.hint) from None


def _import(class_name: str) -> Any:
    parts = class_name.replace(":", ".").split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise ValidationException(f"'{class_name}' is not the name of a class.", hint="write it with its module: 'package.module.Class'")
    # The class may be nested in another one, so the module is the longest prefix that can be imported.
    for end in range(len(parts) - 1, 0, -1):
        module_name = ".".join(parts[:end])
        allowed = _allowed(module_name, class_name, is_last=end == 1)
        if allowed is None:
            continue
        try:
            found: Any = import_allowed(allowed)
        except ModuleNotFoundError as error:
            if error.name is not None and (module_name == error.name or module_name.startswith(f"{error.name}.")):
                continue
            raise ValidationException(f"The module '{module_name}' cannot be imported: {error}.") from error
        except Exception as error:
            raise ValidationException(f"The module '{module_name}' cannot be imported: {type(error).__name__}: {error}") from error
        for part in parts[end:]:
            if getattr(found, part, None) is None:
                raise ValidationException(f"The module '{module_name}' has no '{'.'.join(parts[end:])}'.")
            found = current_gate().member(found, part, f"The class '{class_name}'")
        return found
    raise ValidationException(
        f"The module '{'.'.join(parts[:-1])}' does not exist.",
        hint="install it, or name its folder: SET 'python.files' = 'folder', in the SQL client also -pyfs folder",
    )


def _allowed(module_name: str, class_name: str, *, is_last: bool) -> AllowedModule | None:
    """Returns a module that statements may import, or None; for the last candidate, raises the error instead."""
    try:
        return current_gate().module(module_name, f"The class '{class_name}'")
    except ValidationException:
        if is_last:
            raise
        return None
