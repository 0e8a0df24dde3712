"""A user function as catalogs store it: the name of its class."""

from __future__ import annotations

from table_common.frozen_dataclass import dataclass

__all__ = ["CatalogFunction"]


@dataclass(frozen=True, slots=True)
class CatalogFunction:
    """``class_name`` is ``module.Class``, or ``module.name`` of an object that ``udf``, ``udtf``, ``udaf`` or ``udtaf`` created; ``language`` is PYTHON.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogFunction``.

    Example:
        >>> CatalogFunction("my_module.Longest").language
        'PYTHON'
    """

    class_name: str
    language: str = "PYTHON"
    description: str | None = None
