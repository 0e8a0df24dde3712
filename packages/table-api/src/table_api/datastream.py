"""Names of ``pyflink.datastream``."""

from table_api.pyflink_names.datastream import DataStream, RuntimeExecutionMode, StreamExecutionEnvironment

__all__ = ["DataStream", "RuntimeExecutionMode", "StreamExecutionEnvironment"]
