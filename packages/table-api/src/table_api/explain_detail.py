"""Names of ``pyflink.table.explain_detail``."""

from table_api.delegation import ExplainDetail

__all__ = ["ExplainDetail"]
