"""Pickles what workers need. Functions of the program itself travel by value where the package cloudpickle is installed."""

from __future__ import annotations

import importlib
import importlib.util
import io
import pickle
from types import FunctionType
from typing import Any

from table_common.annotation import override


class _Pickler(pickle.Pickler):
    """Refuses what the module ``__main__`` defines: a worker has another one. A function that a decorator has replaced is found in the object that is there instead."""

    @override
    def reducer_override(self, obj: Any, /) -> Any:
        if isinstance(obj, FunctionType) and obj.__module__ != "__main__" and _decorated(obj.__module__, obj.__qualname__) is obj:
            return _decorated, (obj.__module__, obj.__qualname__)
        if isinstance(obj, (FunctionType, type)) and obj.__module__ == "__main__":
            raise pickle.PicklingError(
                f"'{obj.__qualname__}' is defined in the program itself; define it in a module, or install cloudpickle"
            )
        return NotImplemented


def _decorated(module: str, name: str) -> FunctionType | None:
    """Returns the function below the decorator of the name in a module; None: there is none."""
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):  # as of a function inside a function
        return None
    definition = getattr(found, "definition", None)
    for holder in (found, definition, getattr(definition, "function", None)):
        for below in getattr(holder, "__dict__", {}).values():
            if isinstance(below, FunctionType) and below.__qualname__ == name:
                return below
    return None


def dumps(value: object) -> bytes:
    """Returns a pickle for workers.

    Raises:
        Exception: something in it cannot be pickled.
    """
    if importlib.util.find_spec("cloudpickle") is not None:
        content: bytes = importlib.import_module("cloudpickle").dumps(value, protocol=5)
        return content
    file = io.BytesIO()
    _Pickler(file, protocol=5).dump(value)
    return file.getvalue()
