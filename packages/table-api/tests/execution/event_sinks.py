"""Connectors whose sinks keep what is done to them."""

from __future__ import annotations

from typing_extensions import override

from table_common.connector import DynamicTableSink, ScanTableSource
from table_common.connector.sink.abilities import StagedTable, SupportsOverwrite, SupportsStaging, SupportsTruncate
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory
from table_common.module import Module


class Sink(DynamicTableSink):
    """Keeps what was done to it in ``events``."""

    def __init__(self, events: list[str]) -> None:
        self.events = events

    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> DynamicTableSink.SinkRuntimeProvider:
        raise AssertionError("nothing is written here")


class OverwritingSink(Sink, SupportsOverwrite):
    def apply_overwrite(self, overwrite: bool) -> None:
        self.events.append(f"overwrite {overwrite}")


class TruncatingSink(Sink, SupportsTruncate):
    def execute_truncation(self) -> None:
        self.events.append("truncate")


class StagingSink(Sink, SupportsStaging):
    def apply_staging(self, context: SupportsStaging.StagingContext) -> StagedTable:
        self.events.append(context.staging_purpose.value)
        return Staged(self.events)


class Staged(StagedTable):
    def __init__(self, events: list[str]) -> None:
        self.events = events

    def begin(self) -> None:
        self.events.append("begin")

    def commit(self) -> None:
        self.events.append("commit")

    def abort(self) -> None:
        self.events.append("abort")


class SinkFactory(DynamicTableSinkFactory):
    def __init__(self, sink: type[Sink], events: list[str]) -> None:
        self.sink = sink
        self.events = events

    @property
    @override
    def factory_identifier(self) -> str:
        return "some"

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        return self.sink(self.events)


class SourceFactory(DynamicTableSourceFactory):
    @property
    @override
    def factory_identifier(self) -> str:
        return "some"

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> ScanTableSource:
        raise AssertionError("nothing is read here")


class Connectors(Module):
    """The connector ``some`` with a sink, and with a source if it is readable."""

    def __init__(self, sink: type[Sink], *, is_readable: bool = True) -> None:
        self.events: list[str] = []
        self._sink = SinkFactory(sink, self.events)
        self._source = SourceFactory() if is_readable else None

    @override
    def get_table_sink_factory(self, identifier: str) -> DynamicTableSinkFactory | None:
        return self._sink if identifier == "some" else None

    @override
    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        return self._source if identifier == "some" else None
