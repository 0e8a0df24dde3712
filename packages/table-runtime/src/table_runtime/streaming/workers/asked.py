"""How many workers a streaming job is to have."""

from __future__ import annotations

from table_common.configuration import ExecutionConfigOptions, ReadableConfig, available_processors

_MOST = 64
"""The number of buckets into which keys are divided."""


def asked_workers(configuration: ReadableConfig) -> int:
    """Returns how many workers a streaming job is to have: one, unless a number is set, and not more than the processors that this process may use."""
    asked = configuration.get(ExecutionConfigOptions.TABLE_EXEC_RESOURCE_DEFAULT_PARALLELISM)
    return max(1, min(asked, available_processors(), _MOST)) if asked > 1 else 1
