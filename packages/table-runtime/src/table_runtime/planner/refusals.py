"""Checks whether this engine can run a connector's runtime provider."""

from __future__ import annotations

from table_common.connector import ArrowScanProvider, ArrowSinkProvider, DynamicTableSink, FileScanProvider, FileSinkProvider

_UNBOUNDED = (
    "the data never ends, and a query in batch mode reads bounded data only;"
    " SET 'execution.runtime-mode' = 'streaming' (EnvironmentSettings.in_streaming_mode()) reads such data"
)


def provider_refusal(provider: object, *, is_unbounded_allowed: bool = False) -> str | None:
    """Returns the reason why the engine cannot run the provider of a source or sink, or None if it can."""
    if isinstance(provider, DynamicTableSink.SinkRuntimeProvider):
        return sink_refusal(provider)
    return source_refusal(provider, is_unbounded_allowed=is_unbounded_allowed)


def sink_refusal(provider: object) -> str | None:
    """Returns the reason why the engine cannot write to the provider, or None if it can."""
    if isinstance(provider, (ArrowSinkProvider, FileSinkProvider)):
        return None
    return _unknown(provider)


def source_refusal(provider: object, *, is_unbounded_allowed: bool = False) -> str | None:
    """Returns the reason why the engine cannot read from the provider, or None if it can. Jobs in streaming mode may read unbounded data."""
    if isinstance(provider, FileScanProvider):
        return None
    from table_common.connector import InputFormatProvider, SourceFunctionProvider, SourceProvider  # few sources are of these kinds

    if isinstance(provider, SourceProvider):  # in batch mode, offsets have an end
        return None
    if isinstance(provider, (ArrowScanProvider, SourceFunctionProvider, InputFormatProvider)):
        return None if provider.is_bounded or is_unbounded_allowed else _reason(provider) or _UNBOUNDED
    return _unknown(provider)


def _unknown(provider: object) -> str:
    return _reason(provider) or f"the embedded engine does not know the provider {type(provider).__name__}"


def _reason(provider: object) -> str | None:
    """Returns the reason that the provider states itself: it is for another engine, or not bounded though its rows end."""
    reason = getattr(provider, "refusal", None)
    return reason if isinstance(reason, str) else None
