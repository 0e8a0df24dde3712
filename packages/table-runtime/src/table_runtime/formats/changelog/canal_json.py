"""The format ``canal-json``: changes in the format of Canal, with several rows per message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.exceptions import ValidationException
from table_common.types import ArrayType, BigIntType, IntType, LocalZonedTimestampType, LogicalType, MapType, RowType, VarCharType
from table_runtime.formats.changelog.before_after_envelope import OperationCodes, before_and_after, first_problem, problem_where
from table_runtime.formats.changelog.envelope import ChangeEnvelope, ChangeFormatFactory, Changes, Envelopes, MetadataKey
from table_runtime.formats.changelog.partial_before_image import rows_before

DATABASE_INCLUDE = (
    ConfigOptions.key("database.include")
    .string_type()
    .no_default_value()
    .with_description("A regular expression for the names of the databases whose changes are read; it must match the whole name.")
)
TABLE_INCLUDE = (
    ConfigOptions.key("table.include")
    .string_type()
    .no_default_value()
    .with_description("A regular expression for the names of the tables whose changes are read; it must match the whole name.")
)
_CODES = OperationCodes("type", ("INSERT",), "UPDATE", "DELETE")
_CREATE = "CREATE"
"""A CREATE TABLE statement, which changes no rows."""
_TEXT = VarCharType()


def _millis(field: str) -> MetadataKey:
    return MetadataKey(
        LocalZonedTimestampType(3), ((field, BigIntType()),), lambda envelope: pc.cast(envelope[field], pa.timestamp("ms", "UTC"))
    )


class CanalJsonEnvelope(ChangeEnvelope):
    """``data``, ``old`` with the fields that changed, and ``type``."""

    metadata: ClassVar[Mapping[str, MetadataKey]] = {
        "database": MetadataKey(_TEXT, (("database", _TEXT),), lambda envelope: envelope["database"]),
        "table": MetadataKey(_TEXT, (("table", _TEXT),), lambda envelope: envelope["table"]),
        "sql-type": MetadataKey(MapType(_TEXT, IntType()), (("sqlType", MapType(_TEXT, IntType())),), lambda envelope: envelope["sqlType"]),
        "pk-names": MetadataKey(ArrayType(_TEXT), (("pkNames", ArrayType(_TEXT)),), lambda envelope: envelope["pkNames"]),
        "ingestion-timestamp": _millis("ts"),
        "event-timestamp": _millis("es"),
    }

    def __init__(self, config: ReadableConfig) -> None:
        super().__init__(config)
        self._included = [
            (field, pattern)
            for field, option in (("database", DATABASE_INCLUDE), ("table", TABLE_INCLUDE))
            if (pattern := config.get_optional(option)) is not None
        ]
        for field, pattern in self._included:
            try:
                pc.match_substring_regex(pa.array([""]), pattern)
            except pa.ArrowInvalid as error:
                raise ValidationException(f"The option 'canal-json.{field}.include' is not a regular expression: {error}.") from None

    @override
    def fields(self, row_type: RowType) -> dict[str, LogicalType]:
        rows = ArrayType(row_type)
        return {"data": rows, "old": rows, "type": _TEXT, **{field: _TEXT for field, _ in self._included}}

    @override
    def changes(self, envelopes: Envelopes, row_type: RowType) -> Changes:
        operations, data, old = (envelopes.columns[name] for name in ("type", "data", "old"))
        parents = pc.list_parent_indices(data).cast(pa.int64())
        after = data.flatten()
        item = pc.subtract(pa.arange(0, len(after)), _starts(data).take(parents))
        in_old = pc.less(item, pc.fill_null(pc.list_value_length(old), 0).cast(pa.int64()).take(parents))
        old_rows = old.flatten().take(pc.if_else(in_old, pc.add(_starts(old).take(parents), item), pa.scalar(None, pa.int64())))
        own = operations.take(parents)
        is_update = pc.fill_null(pc.equal(operations, _CODES.update), False)
        before = rows_before(
            after,
            old_rows,
            pc.equal(own, _CODES.update),
            lambda: envelopes.messages().take(parents),
            item,
            has_ignored=envelopes.has_ignored,
        )
        changes = before_and_after(_CODES, own, before, after, parents)
        none = pa.scalar(None, pa.string())
        excluded = self._excluded(envelopes)
        problems = first_problem(
            _CODES.unknown(operations),
            problem_where(pc.is_null(data), "'data' is null"),
            problem_where(_have_null(pc.is_null(after), parents, len(envelopes)), "a row of 'data' is null"),
            problem_where(pc.and_(is_update, pc.is_null(old)), "'old' is null in an update"),
            problem_where(
                pc.and_(is_update, _have_null(pc.is_null(old_rows), parents, len(envelopes))),
                "'old' has no object for a row of 'data' in an update",
            ),
        )
        created = pc.fill_null(pc.equal(operations, _CREATE), False)
        problems = pc.if_else(pc.or_(created, excluded), none, problems)
        kinds = pc.if_else(excluded.take(changes.positions), pa.scalar(None, pa.int8()), changes.kinds)
        return Changes(changes.rows, kinds, changes.positions, problems)

    def _excluded(self, envelopes: Envelopes) -> pa.Array:
        excluded = pa.repeat(pa.scalar(False), len(envelopes))
        for field, pattern in self._included:
            matching = pc.match_substring_regex(envelopes.columns[field], f"^(?:{pattern})$")
            excluded = pc.or_(excluded, pc.invert(pc.fill_null(matching, False)))
        return excluded

    @override
    def written_type(self, row_type: RowType) -> RowType:
        return RowType.of([("data", ArrayType(row_type)), ("type", _TEXT)], nullable=False)

    @override
    def written(self, rows: pa.StructArray, deleted: pa.Array) -> list[pa.Array]:
        lists = pa.ListArray.from_arrays(pa.arange(0, len(rows) + 1).cast(pa.int32()), rows)
        return [lists, pc.if_else(deleted, pa.scalar(_CODES.delete), pa.scalar(_CODES.insert[0]))]


def _starts(lists: pa.ListArray) -> pa.Array:
    """Returns the start of each list in the flattened elements; NULL lists have none."""
    ends = pc.cumulative_sum(pc.fill_null(pc.list_value_length(lists), 0).cast(pa.int64()))
    return pc.subtract(ends, pc.fill_null(pc.list_value_length(lists), 0).cast(pa.int64()))


def _have_null(is_null: pa.Array, parents: pa.Array, count: int) -> pa.Array:
    """Returns which of ``count`` lists have an item that is NULL; ``parents`` has the position of the list of each item."""
    if not pc.any(is_null).as_py():
        return pa.repeat(pa.scalar(False), count)
    return pc.is_in(pa.arange(0, count), value_set=parents.filter(is_null))


class CanalJsonFormatFactory(ChangeFormatFactory):
    """The format ``canal-json``."""

    envelope = CanalJsonEnvelope
    own_options: ClassVar[tuple[ConfigOption[Any], ...]] = (DATABASE_INCLUDE, TABLE_INCLUDE)

    @property
    @override
    def factory_identifier(self) -> str:
        return "canal-json"

    @override
    def validate(self, options: Mapping[str, str]) -> None:
        super().validate(options)
        CanalJsonEnvelope(ReadableConfig(options))
