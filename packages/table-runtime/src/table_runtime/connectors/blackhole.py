"""The connector ``blackhole``: a sink that discards all rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.connector import (
    ArrowSinkProvider,
    ChangelogMode,
    CommitContext,
    CommitMessage,
    DeliveryGuarantee,
    DynamicTableSink,
    RowKind,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.connector.sink.abilities import SupportsPartitioning
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory

PROPERTY_VERSION = ConfigOptions.key("property-version").string_type().no_default_value().with_description("Ignored.")


class BlackHoleTableFactory(DynamicTableSinkFactory):
    """Creates sinks that discard all rows."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "blackhole"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return ()

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (PROPERTY_VERSION,)

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        self.validated_options(context)
        return BlackHoleTableSink()


class BlackHoleTableSink(DynamicTableSink, SupportsPartitioning):
    """Discards changes of all row kinds."""

    @override
    def as_summary_string(self) -> str:
        return "blackhole"

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode(requested_mode.kinds - {RowKind.UPDATE_BEFORE}, requested_mode.key_only_deletes)

    @override
    def apply_static_partition(self, partition: object) -> None:
        """Does nothing: rows of all partitions are discarded."""

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return BlackHoleProvider()


class BlackHoleProvider(ArrowSinkProvider):
    """Creates writers that do nothing."""

    @property
    @override
    def delivery(self) -> DeliveryGuarantee:
        return DeliveryGuarantee.AT_LEAST_ONCE

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer()

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return NothingToCommit()


class _Writer(SinkWriter):
    @override
    def write(self, batch: SupportsArrowArray) -> None:
        """Discards the rows."""

    @override
    def prepare_commit(self) -> CommitMessage:
        return ()

    @override
    def abort(self) -> None:
        """Does nothing: no rows are stored."""


class NothingToCommit(SinkCommitter):
    """The committer of writers without a commit: their rows are visible as soon as they are written."""

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        """Does nothing: the rows are already visible."""

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        """Does nothing: written rows cannot be revoked."""
