"""Lookup joins: rows are joined with a connector's lookup results, with deduplicated keys, batched calls, caches and retries."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .joiner: LookupJoiner
    .operator: LookupJoin
    .spec: LookupLimits LookupSpec lookup_refusal lookup_settings lookup_spec
    """,
)
