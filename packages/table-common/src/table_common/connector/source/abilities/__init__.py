"""What a table source may be able to do beyond being read; declaring one is a promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.source.abilities.filter_push_down import SupportsFilterPushDown
    from table_common.connector.source.abilities.limit_push_down import SupportsLimitPushDown
    from table_common.connector.source.abilities.projection_push_down import SupportsProjectionPushDown
    from table_common.connector.source.abilities.reading_metadata import SupportsReadingMetadata

__all__ = ["SupportsFilterPushDown", "SupportsLimitPushDown", "SupportsProjectionPushDown", "SupportsReadingMetadata"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.source.abilities.filter_push_down": ("SupportsFilterPushDown",),
        "table_common.connector.source.abilities.limit_push_down": ("SupportsLimitPushDown",),
        "table_common.connector.source.abilities.projection_push_down": ("SupportsProjectionPushDown",),
        "table_common.connector.source.abilities.reading_metadata": ("SupportsReadingMetadata",),
    },
)
