"""The planner that runs plans on Apache Spark. It is found by its entry point, so programs need not import this package.

``local_session`` starts a quiet Spark for programs that want the session themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from table_planner_spark.session.engine_session import local_session

__all__ = ["local_session"]


def __getattr__(name: str) -> Any:
    # Loaded on demand: the factory is looked up in processes that never start Spark, and in its Python workers.
    if name == "local_session":
        from table_planner_spark.session.engine_session import local_session

        return local_session
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
