"""A model as it is declared: what goes in, what comes out, and the options of its provider."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.catalog.resolved_schema import ResolvedSchema
from table_common.frozen_dataclass import dataclass, field

__all__ = ["CatalogModel"]


@dataclass(frozen=True)
class CatalogModel:
    """``CREATE MODEL … INPUT (…) OUTPUT (…) COMMENT '…' WITH (…)``."""

    input_schema: ResolvedSchema
    output_schema: ResolvedSchema
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
