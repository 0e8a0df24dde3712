"""The format ``maxwell-json``: changes in the format of Maxwell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.types import ArrayType, BigIntType, LocalZonedTimestampType, LogicalType, RowType, VarCharType
from table_runtime.formats.changelog.before_after_envelope import OperationCodes, before_and_after, first_problem, problem_where
from table_runtime.formats.changelog.envelope import ChangeEnvelope, ChangeFormatFactory, Changes, Envelopes, MetadataKey
from table_runtime.formats.changelog.partial_before_image import rows_before

_CODES = OperationCodes("type", ("insert",), "update", "delete")
_TEXT = VarCharType()


def _seconds(values: pa.Array) -> pa.Array:
    return pc.cast(pc.multiply(values, 1000), pa.timestamp("ms", "UTC"))


class MaxwellJsonEnvelope(ChangeEnvelope):
    """``data``, ``old`` with the fields that changed, and ``type``."""

    metadata: ClassVar[Mapping[str, MetadataKey]] = {
        "database": MetadataKey(_TEXT, (("database", _TEXT),), lambda envelope: envelope["database"]),
        "table": MetadataKey(_TEXT, (("table", _TEXT),), lambda envelope: envelope["table"]),
        "primary-key-columns": MetadataKey(
            ArrayType(_TEXT), (("primary_key_columns", ArrayType(_TEXT)),), lambda envelope: envelope["primary_key_columns"]
        ),
        # Maxwell writes seconds.
        "ingestion-timestamp": MetadataKey(LocalZonedTimestampType(3), (("ts", BigIntType()),), lambda envelope: _seconds(envelope["ts"])),
    }

    @override
    def fields(self, row_type: RowType) -> dict[str, LogicalType]:
        return {"data": row_type, "old": row_type, "type": _TEXT}

    @override
    def changes(self, envelopes: Envelopes, row_type: RowType) -> Changes:
        operations, data, old = (envelopes.columns[name] for name in ("type", "data", "old"))
        updated = pc.equal(operations, _CODES.update)
        count = len(envelopes)
        before = rows_before(data, old, updated, envelopes.messages, pa.repeat(pa.scalar(0), count), has_ignored=envelopes.has_ignored)
        changes = before_and_after(_CODES, operations, before, data, pa.arange(0, count))
        problems = first_problem(
            _CODES.unknown(operations),
            problem_where(pc.is_null(data), "'data' is null"),
            problem_where(pc.and_(pc.fill_null(updated, False), pc.is_null(old)), "'old' is null in an update"),
        )
        return Changes(changes.rows, changes.kinds, changes.positions, problems)

    @override
    def written_type(self, row_type: RowType) -> RowType:
        return RowType.of([("data", row_type), ("type", _TEXT)], nullable=False)

    @override
    def written(self, rows: pa.StructArray, deleted: pa.Array) -> list[pa.Array]:
        return [rows, pc.if_else(deleted, pa.scalar(_CODES.delete), pa.scalar(_CODES.insert[0]))]


class MaxwellJsonFormatFactory(ChangeFormatFactory):
    """The format ``maxwell-json``."""

    envelope = MaxwellJsonEnvelope

    @property
    @override
    def factory_identifier(self) -> str:
        return "maxwell-json"
