"""The connector ``print``: a table whose rows are printed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any

from table_common.annotation import override
from table_common.arrow import import_batch
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
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import RowType
from table_runtime.connectors.blackhole import NothingToCommit
from table_runtime.connectors.row_text import column_texts

IDENTIFIER = ConfigOptions.key("print-identifier").string_type().no_default_value().with_description("A prefix of each row.")
STANDARD_ERROR = (
    ConfigOptions.key("standard-error")
    .boolean_type()
    .default_value(False)
    .with_description("Whether to print to standard error instead of standard output.")
)


class PrintTableFactory(DynamicTableSinkFactory):
    """Creates sinks that print rows."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "print"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return ()

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (IDENTIFIER, STANDARD_ERROR)

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        config = self.validated_options(context)
        return PrintTableSink(PrintProvider(context.physical_row_type, config.get_optional(IDENTIFIER) or "", config.get(STANDARD_ERROR)))


@dataclass
class PrintTableSink(DynamicTableSink, SupportsPartitioning):
    """Prints the rows of all partitions."""

    provider: PrintProvider

    @override
    def as_summary_string(self) -> str:
        return "print to " + ("standard error" if self.provider.standard_error else "standard out")

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return requested_mode

    @override
    def apply_static_partition(self, partition: Mapping[str, str]) -> None:
        """Does nothing: the rows contain the partition's values."""

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return replace(self.provider, has_row_kinds=context.has_row_kinds)


@dataclass(frozen=True)
class PrintProvider(ArrowSinkProvider):
    """Prints in the process that submitted the job, where the user sees the output."""

    row_type: RowType
    identifier: str
    standard_error: bool
    has_row_kinds: bool = False

    @property
    @override
    def is_local(self) -> bool:
        return True

    @property
    @override
    def delivery(self) -> DeliveryGuarantee:
        return DeliveryGuarantee.AT_LEAST_ONCE

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return NothingToCommit()


class _Writer(SinkWriter):
    """Prints rows immediately; if the job fails later, they stay printed."""

    def __init__(self, provider: PrintProvider) -> None:
        self._provider = provider
        self._prefix = f"{provider.identifier}> " if provider.identifier else ""

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows = import_batch(batch)
        kinds = [f"{self._prefix}+I["] * rows.num_rows
        if self._provider.has_row_kinds:
            kinds = [f"{self._prefix}{RowKind(code).short_string}[" for code in rows.column(rows.num_columns - 1).to_pylist()]
            rows = rows.select(range(rows.num_columns - 1))
        fields = self._provider.row_type.fields
        columns = [column_texts(column, field.type, field.name) for column, field in zip(rows.columns, fields, strict=True)]
        # Looked up for each batch, because programs and notebooks replace the streams.
        stream = sys.stderr if self._provider.standard_error else sys.stdout
        stream.write("".join(f"{kind}{', '.join(cells)}]\n" for kind, *cells in zip(kinds, *columns, strict=True)))
        stream.flush()

    @override
    def prepare_commit(self) -> CommitMessage:
        return ()

    @override
    def abort(self) -> None:
        """Does nothing: printed rows cannot be revoked."""
