"""What connector, format, catalog, module and function authors see; no engine, no parser, no pyarrow outside ``table_common.arrow``."""
