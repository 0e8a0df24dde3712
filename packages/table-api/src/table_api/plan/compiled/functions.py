"""Functions in compiled plans: written by name, user-defined functions also by their class."""

from __future__ import annotations

from typing import Any

from table_api.catalog.function_loading import load_function
from table_api.delegation import Session
from table_api.resolution.user_calls import for_session
from table_common.catalog import parse_path
from table_common.exceptions import TableException, ValidationException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import BUILT_INS_BY_NAME


def encode_function(function: FunctionDefinition, session: Session) -> dict[str, Any]:
    """Returns the function's name, and for user-defined functions the importable class, if there is one.

    Raises:
        TableException: the function is neither registered nor a class that can be imported.
    """
    if not function.is_user_defined:
        return {"$function": function.name}
    if getattr(getattr(function, "function", None), "prediction", None) is not None:
        raise TableException(
            f"The plan cannot be compiled: {function.name} asks the catalog, and the provider or the table that it names, each time it is planned.",
            hint="store the statement, and run it in its place",
        )
    name = session.functions.sql_name(function)
    path = _class_path(function)
    if name is None and path is None:
        raise TableException(
            f"The plan cannot be compiled: the function '{function.name}' is not registered and not a class of a module.",
            hint=f"create_temporary_system_function('{function.name}', …) before the query is made",
        )
    return {"$userFunction": function.name, "kind": function.kind.value, "path": name, "class": path}


def _class_path(function: FunctionDefinition) -> str | None:
    """Returns ``module.Class`` if the function equals that class called without arguments; else None."""
    cls = type(getattr(function, "function", function))
    path = f"{cls.__module__}.{cls.__qualname__}"
    if cls.__module__ == "__main__" or "<locals>" in path:
        return None
    try:
        loaded = load_function(path, function.name)
    except ValidationException:
        return None
    return path if type(getattr(loaded, "function", None)) is cls and not _vars_differ(loaded, function) else None


def _vars_differ(loaded: FunctionDefinition, function: FunctionDefinition) -> bool:
    """Returns whether the object's state, such as constructor arguments, differs from that of a new instance."""
    mine, fresh = (getattr(getattr(f, "function", None), "__dict__", {}) for f in (function, loaded))
    return bool(mine != fresh)


def decode_function(written: dict[str, Any], session: Session) -> FunctionDefinition:
    """Returns the function that is registered under the name, or else a new instance of the class.

    Raises:
        ValidationException: neither exists, or the function has another kind.
    """
    if "$function" in written:
        name = written["$function"]
        known = BUILT_INS_BY_NAME.get(name) or session.functions.find_function((name,))
        if known is None:
            raise ValidationException(f"The plan uses the function {name}, which does not exist.", hint="LOAD MODULE the module with it")
        return known
    name, path, class_name = written["$userFunction"], written.get("path"), written.get("class")
    found = session.functions.find_function(parse_path(path)) if path is not None else None
    if found is None and class_name is not None:
        found = load_function(class_name, name)
    if found is None:
        raise ValidationException(
            f"The plan uses the function {path or name}, which is not registered in this session.",
            hint=f"register it before the plan is loaded: create_temporary_system_function('{name}', …)",
        )
    if found.kind.value != written["kind"]:
        raise ValidationException(
            f"The plan uses {path or name} as a {written['kind']} function, but it is a {found.kind.value} function now."
        )
    return for_session(found, session) if found.is_user_defined else found
