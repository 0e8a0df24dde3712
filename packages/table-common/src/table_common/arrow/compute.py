"""``pyarrow.compute`` with lazily loaded functions: ``from table_common.arrow import compute as pc``.

Importing ``pyarrow.compute`` builds a documented wrapper for each of some 300 functions, which costs more time than a small query. Here a
function is looked up in Arrow's registry when it is first used and then kept as a module attribute. Functions that Arrow's module implements in Python
are taken from it. (``array.cast(…)``, ``array.take(…)`` and other methods of arrays import that module too: prefer the functions.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyarrow import _compute

from table_common.arrow.without_pandas import arrow_scalar

_KEYWORDS = {"and_": "and", "or_": "or"}
_ONLY_IN_ARROW = frozenset({"bottom_k_unstable", "index", "random", "top_k_unstable"})
"""Functions whose Python form differs from the registered one."""
_REGISTRY = _compute.function_registry()
_TYPES = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


def cast(values: Any, target_type: Any = None, safe: bool | None = None, options: Any = None) -> Any:
    """Casts values; safe (the default) means that a value that does not fit is an error."""
    if options is None:
        type_ = pa.lib.ensure_type(target_type)
        options = _compute.CastOptions.unsafe(type_) if safe is False else _compute.CastOptions.safe(type_)
    return _compute.call_function("cast", [values], options)


def take(values: Any, indices: Any, *, boundscheck: bool = True) -> Any:
    """Returns the values at the positions; a NULL position returns NULL."""
    return _compute.call_function("take", [values, indices], _compute.TakeOptions(boundscheck=boundscheck))


def fill_null(values: Any, fill_value: Any) -> Any:
    """Returns the values with NULLs replaced."""
    if not isinstance(fill_value, pa.Scalar | pa.Array | pa.ChunkedArray):
        fill_value = arrow_scalar(fill_value, values.type)
    elif fill_value.type != values.type:
        fill_value = cast(fill_value, values.type)
    return _compute.call_function("coalesce", [values, fill_value])


def field(name: str) -> Any:
    """Returns a column of a dataset as an expression."""
    return _compute.Expression._field(name)


def scalar(value: Any) -> Any:
    """Returns a constant as an expression."""
    return _compute.Expression._scalar(value)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name[0].isupper() and hasattr(_compute, name):
        found = getattr(_compute, name)
    elif name in _ONLY_IN_ARROW:
        import pyarrow.compute

        found = getattr(pyarrow.compute, name)
    else:
        try:
            found = _caller(_REGISTRY.get_function(_KEYWORDS.get(name, name)))
        except KeyError:
            raise AttributeError(f"Arrow has no function '{name}'") from None
    globals()[name] = found
    return found


def _typed(value: Any) -> Any:
    """Returns a Python value as a scalar of the type that Arrow infers. Arrow's inference takes 0.3 ms if ``dateutil`` is not installed: it tries to import it."""
    if type(value) is int and not -(2**63) <= value < 2**63:
        return value
    return arrow_scalar(value, _TYPES[type(value)])


def _caller(function: Any) -> Callable[..., Any]:
    name, arity = function.name, function.arity
    class_name = function._doc.options_class
    options_class: Any = getattr(_compute, class_name) if class_name else None

    def call(*args: Any, options: Any = None, memory_pool: Any = None, **named: Any) -> Any:
        if arity is not Ellipsis and len(args) > arity:
            args, positional = args[:arity], args[arity:]
            options = options_class(*positional, **named)
        elif named:
            options = options_class(**named)
        if args and isinstance(args[0], _compute.Expression):
            return _compute.Expression._call(name, list(args), options)
        return function.call([_typed(arg) if type(arg) in _TYPES else arg for arg in args], options, memory_pool)

    call.__name__ = name
    return call
