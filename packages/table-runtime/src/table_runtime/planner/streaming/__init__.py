"""Translation of streaming plans to graphs of changelog operators, and the jobs that run them.

``driver`` says how plans run whose sources do not end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.planner.streaming.driver.explanation import explain_upgrade
    from table_runtime.planner.streaming.driver.plan import StreamExecutablePlan
    from table_runtime.planner.streaming.translate import translate_stream

__all__ = ["StreamExecutablePlan", "explain_upgrade", "translate_stream"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.planner.streaming.driver.explanation": ("explain_upgrade",),
        "table_runtime.planner.streaming.driver.plan": ("StreamExecutablePlan",),
        "table_runtime.planner.streaming.translate": ("translate_stream",),
    },
)
