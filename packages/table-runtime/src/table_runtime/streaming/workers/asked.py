"""How many workers a streaming job is to have."""

from __future__ import annotations

from table_common.configuration import ExecutionConfigOptions, ReadableConfig, available_processors

IS_OFFERED = False
"""Whether the option for the parallelism of a session starts workers. Until they are faster for the queries that are measured, only tests and benchmarks use them."""
_MOST = 64
"""The number of buckets into which keys are divided."""


def asked_workers(configuration: ReadableConfig) -> int:
    """Returns how many workers a streaming job is to have: one by default, and not more than the processors that this process may use."""
    if not IS_OFFERED:
        return 1
    asked = configuration.get(ExecutionConfigOptions.TABLE_EXEC_RESOURCE_DEFAULT_PARALLELISM)
    return max(1, min(asked, available_processors(), _MOST)) if asked > 1 else 1
