from table_common.connector.sink.dynamic import DynamicTableSink as DynamicTableSink
