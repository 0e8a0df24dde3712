"""Table sinks."""

from table_common.connector.sink.dynamic import DynamicTableSink

__all__ = ["DynamicTableSink"]
