"""The format ``ogg-json``: changes in the format of Oracle GoldenGate's JSON formatter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.types import ArrayType, LocalZonedTimestampType, LogicalType, RowType, TimestampType, VarCharType
from table_runtime.formats.changelog.before_after_envelope import OperationCodes, before_and_after, first_problem, problem_where
from table_runtime.formats.changelog.envelope import ChangeEnvelope, ChangeFormatFactory, Changes, Envelopes, MetadataKey

_CODES = OperationCodes("op_type", ("I",), "U", "D")
_TEXT = VarCharType()


def _timestamp(field: str) -> MetadataKey:
    # The texts have no time zone; they are interpreted as UTC.
    return MetadataKey(
        LocalZonedTimestampType(6),
        ((field, TimestampType(6)),),
        lambda envelope: pc.cast(pc.cast(envelope[field], pa.timestamp("us")).view(pa.int64()), pa.timestamp("us", "UTC")),
    )


class OggJsonEnvelope(ChangeEnvelope):
    """``before``, ``after`` and ``op_type``."""

    metadata: ClassVar[Mapping[str, MetadataKey]] = {
        "table": MetadataKey(_TEXT, (("table", _TEXT),), lambda envelope: envelope["table"]),
        "primary-keys": MetadataKey(ArrayType(_TEXT), (("primary_keys", ArrayType(_TEXT)),), lambda envelope: envelope["primary_keys"]),
        "ingestion-timestamp": _timestamp("current_ts"),
        "event-timestamp": _timestamp("op_ts"),
    }

    @override
    def fields(self, row_type: RowType) -> dict[str, LogicalType]:
        return {"before": row_type, "after": row_type, "op_type": _TEXT}

    @override
    def changes(self, envelopes: Envelopes, row_type: RowType) -> Changes:
        operations, before, after = (envelopes.columns[name] for name in ("op_type", "before", "after"))
        changes = before_and_after(_CODES, operations, before, after, pa.arange(0, len(envelopes)))
        no_before = pc.and_(pc.is_null(before), pc.is_in(operations, value_set=pa.array([_CODES.update, _CODES.delete])))
        no_after = pc.and_(pc.is_null(after), pc.is_in(operations, value_set=pa.array([*_CODES.insert, _CODES.update])))
        problems = first_problem(
            _CODES.unknown(operations),
            problem_where(no_before, "'before' is null in an update or deletion"),
            problem_where(no_after, "'after' is null in an insertion or update"),
        )
        return Changes(changes.rows, changes.kinds, changes.positions, problems)

    @override
    def written_type(self, row_type: RowType) -> RowType:
        return RowType.of([("before", row_type), ("after", row_type), ("op_type", _TEXT)], nullable=False)

    @override
    def written(self, rows: pa.StructArray, deleted: pa.Array) -> list[pa.Array]:
        none = pa.scalar(None, rows.type)
        before, after = pc.if_else(deleted, rows, none), pc.if_else(deleted, none, rows)
        return [before, after, pc.if_else(deleted, pa.scalar(_CODES.delete), pa.scalar(_CODES.insert[0]))]


class OggJsonFormatFactory(ChangeFormatFactory):
    """The format ``ogg-json``."""

    envelope = OggJsonEnvelope

    @property
    @override
    def factory_identifier(self) -> str:
        return "ogg-json"
