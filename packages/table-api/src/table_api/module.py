"""Names of ``pyflink.table.module``."""

from table_api.catalog import ModuleEntry
from table_api.pyflink_names.hive_module import HiveModule
from table_common.module import Module

__all__ = ["HiveModule", "Module", "ModuleEntry"]
