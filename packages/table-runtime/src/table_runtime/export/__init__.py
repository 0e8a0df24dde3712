"""Results as files for other programs: CSV, JSON lines and Parquet, written batch by batch."""

from table_runtime.export.csv import csv_texts
from table_runtime.export.json_lines import json_texts
from table_runtime.export.parquet import write_parquet

__all__ = ["csv_texts", "json_texts", "write_parquet"]
