"""Names of ``pyflink.table.module``."""

from table_api.catalog import ModuleEntry
from table_common.module import HiveModule, Module

__all__ = ["HiveModule", "Module", "ModuleEntry"]
