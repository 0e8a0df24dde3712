"""The format ``parquet``."""
