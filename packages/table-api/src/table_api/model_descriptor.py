"""Names of ``pyflink.table.model_descriptor``."""

from table_api.environment.model_methods import ModelDescriptor

__all__ = ["ModelDescriptor"]
