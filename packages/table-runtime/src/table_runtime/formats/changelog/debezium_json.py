"""The format ``debezium-json``: changes in the format of Debezium's JSON converter."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.types import BigIntType, LocalZonedTimestampType, LogicalType, MapType, RowType, VarCharType
from table_runtime.formats.changelog.before_after_envelope import (
    OperationCodes,
    before_and_after,
    columns_by_name,
    first_problem,
    problem_where,
)
from table_runtime.formats.changelog.envelope import ChangeEnvelope, ChangeFormatFactory, Changes, Envelopes, MetadataKey

SCHEMA_INCLUDE = (
    ConfigOptions.key("schema-include")
    .boolean_type()
    .default_value(False)
    .with_description("Whether messages contain a schema, with the change in 'payload' (Debezium's value.converter.schemas.enable).")
)
_CODES = OperationCodes("op", ("c", "r"), "u", "d")
_TEXT = VarCharType()
_MILLIS = LocalZonedTimestampType(3)


def _millis(values: pa.Array) -> pa.Array:
    return pc.cast(pc.cast(values, pa.int64()), pa.timestamp("ms", "UTC"))


def _of_source(name: str, type_: LogicalType) -> tuple[tuple[tuple[str, LogicalType], ...], Callable[[Mapping[str, pa.Array]], pa.Array]]:
    def value(envelope: Mapping[str, pa.Array]) -> pa.Array:
        source = envelope["source"]
        if pa.types.is_map(source.type):
            return pc.map_lookup(source, pa.scalar(name), "first")
        return columns_by_name(source)[name]

    return (("source", RowType.of([(name, type_)])),), value


def _source_text(name: str) -> MetadataKey:
    needs, value = _of_source(name, _TEXT)
    return MetadataKey(_TEXT, needs, value)


def _source_timestamp() -> MetadataKey:
    needs, value = _of_source("ts_ms", BigIntType())
    return MetadataKey(_MILLIS, needs, lambda envelope: _millis(value(envelope)))


class DebeziumJsonEnvelope(ChangeEnvelope):
    """``before``, ``after`` and ``op``."""

    metadata: ClassVar[Mapping[str, MetadataKey]] = {
        "schema": MetadataKey(_TEXT, (("schema", _TEXT),), lambda envelope: envelope["schema"]),
        "ingestion-timestamp": MetadataKey(_MILLIS, (("ts_ms", BigIntType()),), lambda envelope: _millis(envelope["ts_ms"])),
        "source.timestamp": _source_timestamp(),
        "source.database": _source_text("db"),
        "source.schema": _source_text("schema"),
        "source.table": _source_text("table"),
        "source.properties": MetadataKey(MapType(_TEXT, _TEXT), (("source", MapType(_TEXT, _TEXT)),), lambda envelope: envelope["source"]),
    }

    @override
    def fields(self, row_type: RowType) -> dict[str, LogicalType]:
        return {"before": row_type, "after": row_type, "op": _TEXT}

    @override
    def parsed_type(self, fields: Mapping[str, LogicalType]) -> RowType:
        if not self.config.get(SCHEMA_INCLUDE):
            return RowType.of(list(fields.items()), nullable=False)
        payload = [(name, type_) for name, type_ in fields.items() if name != "schema"]
        outer: list[tuple[str, LogicalType]] = [("payload", RowType.of(payload))]
        return RowType.of([*outer, *((name, type_) for name, type_ in fields.items() if name == "schema")], nullable=False)

    @override
    def unpacked(self, columns: Mapping[str, pa.Array]) -> Mapping[str, pa.Array]:
        if "payload" not in columns:
            return columns
        return {**columns, **columns_by_name(columns["payload"])}

    @override
    def hint(self, message: bytes) -> str | None:
        try:
            keys = json.loads(message)
        except ValueError:
            return None
        has_schema = isinstance(keys, dict) and "payload" in keys and "op" not in keys
        if has_schema == self.config.get(SCHEMA_INCLUDE):
            return None
        if has_schema:
            return "The change is in 'payload': set the table's option 'debezium-json.schema-include' to 'true'."
        return "The message has no 'payload': set the table's option 'debezium-json.schema-include' to 'false'."

    @override
    def changes(self, envelopes: Envelopes, row_type: RowType) -> Changes:
        operations, before, after = (envelopes.columns[name] for name in ("op", "before", "after"))
        changes = before_and_after(_CODES, operations, before, after, pa.arange(0, len(envelopes)))
        no_before = pc.and_(pc.is_null(before), pc.is_in(operations, value_set=pa.array([_CODES.update, _CODES.delete])))
        no_after = pc.and_(pc.is_null(after), pc.is_in(operations, value_set=pa.array([*_CODES.insert, _CODES.update])))
        problems = first_problem(
            _CODES.unknown(operations),
            problem_where(
                no_before, "'before' is null in an update or deletion (PostgreSQL writes it for tables with REPLICA IDENTITY FULL)"
            ),
            problem_where(no_after, "'after' is null in an insertion or update"),
        )
        return Changes(changes.rows, changes.kinds, changes.positions, problems)

    @override
    def written_type(self, row_type: RowType) -> RowType:
        return RowType.of([("before", row_type), ("after", row_type), ("op", _TEXT)], nullable=False)

    @override
    def written(self, rows: pa.StructArray, deleted: pa.Array) -> list[pa.Array]:
        none = pa.scalar(None, rows.type)
        before, after = pc.if_else(deleted, rows, none), pc.if_else(deleted, none, rows)
        return [before, after, pc.if_else(deleted, pa.scalar(_CODES.delete), pa.scalar(_CODES.insert[0]))]


class DebeziumJsonFormatFactory(ChangeFormatFactory):
    """The format ``debezium-json``."""

    envelope = DebeziumJsonEnvelope
    own_options: ClassVar[tuple[ConfigOption[Any], ...]] = (SCHEMA_INCLUDE,)

    @property
    @override
    def factory_identifier(self) -> str:
        return "debezium-json"
