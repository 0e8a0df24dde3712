"""The declaration of a model: input columns, output columns, and the options of its provider."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from table_common.catalog.resolved_schema import ResolvedSchema
from table_common.frozen_dataclass import dataclass, field

__all__ = ["CatalogModel"]


@dataclass(frozen=True)
class CatalogModel:
    """``CREATE MODEL … INPUT (…) OUTPUT (…) COMMENT '…' WITH (…)``.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogModel``.

    Example:
        >>> from table_common.types import IntType, VarCharType
        >>> rows, classes = ResolvedSchema.physical([("text", VarCharType())]), ResolvedSchema.physical([("class", IntType())])
        >>> CatalogModel(rows, classes, {"provider": "openai"}).output_schema.column_names
        ('class',)
    """

    input_schema: ResolvedSchema
    output_schema: ResolvedSchema
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.input_schema, self.output_schema, dict(self.options), self.comment)
