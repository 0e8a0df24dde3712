"""Translation of streaming plans to graphs of changelog operators, and the jobs that run them.

``table_runtime.streaming.job.in_process`` says how plans with unbounded sources run. ``stream_root`` is for other engines.
"""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .operations: CHANGELOG_OPERATIONS
    .plan: StreamExecutablePlan
    .translate: stream_graph stream_root translate_stream
    .workers: LoweredStream lower_stream
    table_runtime.streaming.job.explain_upgrade: explain_upgrade
    """,
)
