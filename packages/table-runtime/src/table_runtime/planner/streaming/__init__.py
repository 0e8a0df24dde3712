"""Translation of streaming plans to graphs of changelog operators, and the jobs that run them.

``table_runtime.streaming.job.in_process`` says how plans run whose sources do not end. ``stream_graph`` is for other engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.planner.streaming.operations import CHANGELOG_OPERATIONS
    from table_runtime.planner.streaming.plan import StreamExecutablePlan
    from table_runtime.planner.streaming.translate import stream_graph, stream_root, translate_stream
    from table_runtime.streaming.job.explain_upgrade import explain_upgrade

__all__ = ["CHANGELOG_OPERATIONS", "StreamExecutablePlan", "explain_upgrade", "stream_graph", "stream_root", "translate_stream"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.streaming.job.explain_upgrade": ("explain_upgrade",),
        "table_runtime.planner.streaming.operations": ("CHANGELOG_OPERATIONS",),
        "table_runtime.planner.streaming.plan": ("StreamExecutablePlan",),
        "table_runtime.planner.streaming.translate": ("stream_graph", "stream_root", "translate_stream"),
    },
)
