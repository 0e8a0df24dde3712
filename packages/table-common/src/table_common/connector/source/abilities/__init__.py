"""What a table source may be able to do beyond being read; declaring one is a promise."""

from table_common.connector.source.abilities.filter_push_down import SupportsFilterPushDown
from table_common.connector.source.abilities.limit_push_down import SupportsLimitPushDown
from table_common.connector.source.abilities.projection_push_down import SupportsProjectionPushDown

__all__ = ["SupportsFilterPushDown", "SupportsLimitPushDown", "SupportsProjectionPushDown"]
