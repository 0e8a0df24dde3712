"""What a table sink may be able to do beyond being written; declaring one is a promise."""

from table_common.connector.sink.abilities.overwrite import SupportsOverwrite
from table_common.connector.sink.abilities.partitioning import SupportsPartitioning

__all__ = ["SupportsOverwrite", "SupportsPartitioning"]
