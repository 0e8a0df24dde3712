"""Lookup joins: rows are joined with a connector's lookup results, with deduplicated keys, batched calls, caches and retries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.operators.lookup_join.joiner import LookupJoiner
    from table_runtime.operators.lookup_join.operator import LookupJoin
    from table_runtime.operators.lookup_join.spec import LookupSettings, LookupSpec, lookup_refusal, lookup_settings, lookup_spec

__all__ = ["LookupJoin", "LookupJoiner", "LookupSettings", "LookupSpec", "lookup_refusal", "lookup_settings", "lookup_spec"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.operators.lookup_join.joiner": ("LookupJoiner",),
        "table_runtime.operators.lookup_join.operator": ("LookupJoin",),
        "table_runtime.operators.lookup_join.spec": ("LookupSettings", "LookupSpec", "lookup_refusal", "lookup_settings", "lookup_spec"),
    },
)
