"""The declaration of a model: input columns, output columns, and the options of its provider."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

from table_common.catalog.resolved_schema import ResolvedSchema
from table_common.catalog.schema import Schema
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, field
from table_common.types.logical import LogicalType
from table_common.types.parser import parse_logical_type


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

    @classmethod
    def create_model(
        cls,
        input_schema: Schema | ResolvedSchema,
        output_schema: Schema | ResolvedSchema,
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> Self:
        """Returns a model; PyFlink's constructor. The columns of a ``Schema`` must be physical.

        Raises:
            ValidationException: a column is computed or of metadata, or its type cannot be parsed.
        """
        return cls(_resolved(input_schema), _resolved(output_schema), options or {}, comment)

    def get_comment(self) -> str | None:
        """Returns the comment, if there is one."""
        return self.comment

    def get_options(self) -> dict[str, str]:
        """Returns the options of the provider."""
        return dict(self.options)

    def copy(self) -> Self:
        """Returns the model itself: it cannot be changed."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.input_schema, self.output_schema, dict(self.options), self.comment)


def _resolved(schema: Schema | ResolvedSchema) -> ResolvedSchema:
    if isinstance(schema, ResolvedSchema):
        return schema
    fields: list[tuple[str, LogicalType]] = []
    for column in schema.columns:
        if column.data_type is None or column.is_metadata:
            raise ValidationException(f"The column '{column.name}' of a model is computed or of metadata; a model takes physical columns.")
        type_ = column.data_type
        fields.append((column.name, parse_logical_type(type_) if isinstance(type_, str) else type_))
    return ResolvedSchema.physical(fields)
