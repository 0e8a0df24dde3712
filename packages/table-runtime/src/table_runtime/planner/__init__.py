"""The embedded planner: from the logical plan to physical operators. The only part of the runtime that knows table-api."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .factory: ArrowPlannerFactory
    .planner: ArrowPlanner
    """,
)
