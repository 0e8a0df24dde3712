"""Checks whether this engine can run a connector's runtime provider."""

from __future__ import annotations

from table_common.connector import (
    ArrowScanProvider,
    ArrowSinkProvider,
    DynamicTableSink,
    FileScanProvider,
    FileSinkProvider,
    InputFormatProvider,
    SourceFunctionProvider,
    SourceProvider,
)

__all__ = ["provider_refusal", "sink_refusal", "source_refusal"]


def provider_refusal(provider: object) -> str | None:
    """Returns the reason why the engine cannot run the provider of a source or sink, or None if it can."""
    return sink_refusal(provider) if isinstance(provider, DynamicTableSink.SinkRuntimeProvider) else source_refusal(provider)


def sink_refusal(provider: object) -> str | None:
    """Returns the reason why the engine cannot write to the provider, or None if it can."""
    if isinstance(provider, (ArrowSinkProvider, FileSinkProvider)):
        return None
    return _unknown(provider)


def source_refusal(provider: object) -> str | None:
    """Returns the reason why the engine cannot read from the provider, or None if it can."""
    if isinstance(provider, FileScanProvider):
        return None
    if isinstance(provider, ArrowScanProvider):
        return None if provider.is_bounded else "the data never ends, and the embedded engine reads bounded data only"
    if isinstance(provider, (SourceFunctionProvider, InputFormatProvider, SourceProvider)):
        # Rows are collected into batches; in batch mode, offsets have an end.
        ends = provider.is_bounded or isinstance(provider, SourceProvider)
        return None if ends else "the data never ends, and the embedded engine reads bounded data only"
    return _unknown(provider)


def _unknown(provider: object) -> str:
    reason = getattr(provider, "refusal", None)  # a provider for another engine may state the reason itself
    return reason if isinstance(reason, str) else f"the embedded engine does not know the provider {type(provider).__name__}"
