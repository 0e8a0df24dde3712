"""The connector ``python``: tables that read rows from a Python callable or iterable, or write rows to a callable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.connectors.python.factory import PythonTableFactory
    from table_runtime.connectors.python.references import register_callable, unregister_callable

__all__ = ["PythonTableFactory", "register_callable", "unregister_callable"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.connectors.python.factory": ("PythonTableFactory",),
        "table_runtime.connectors.python.references": ("register_callable", "unregister_callable"),
    },
)
