"""Names of ``pyflink.table.table_pipeline``."""

from table_api.tables.table_pipeline import TablePipeline

__all__ = ["TablePipeline"]
