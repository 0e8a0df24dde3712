"""Writes rows to a Python callable."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.annotation import override
from table_common.arrow import import_batch
from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    CommitMessage,
    DeliveryGuarantee,
    DynamicTableSink,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.connector.sink.abilities import SupportsPartitioning
from table_common.frozen_dataclass import dataclass
from table_runtime.connectors.blackhole import NothingToCommit
from table_runtime.connectors.python.user_code import UserCode


@dataclass
class PythonTableSink(DynamicTableSink, SupportsPartitioning):
    """Calls the user's code with each batch immediately.

    Delivery is at least once: if the job fails, the batches passed to the callable cannot be revoked, and a repeated job passes them again.
    """

    code: UserCode

    @override
    def as_summary_string(self) -> str:
        return f"python({self.code.name})"

    @override
    def apply_static_partition(self, partition: Mapping[str, str]) -> None:
        """Does nothing: the rows contain the partition's values."""

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return PythonSinkProvider(self.code)


@dataclass(frozen=True, eq=False)
class PythonSinkProvider(ArrowSinkProvider):
    """Calls the user's code in the process that submitted the job, one batch after the other."""

    code: UserCode

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
        return _Writer(self.code)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return NothingToCommit()


class _Writer(SinkWriter):
    def __init__(self, code: UserCode) -> None:
        self._code = code

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows = import_batch(batch)
        if rows.num_rows:
            self._code.guarded(lambda: self._code.target(rows))

    @override
    def prepare_commit(self) -> CommitMessage:
        return ()

    @override
    def abort(self) -> None:
        """Does nothing: passed batches cannot be revoked."""
