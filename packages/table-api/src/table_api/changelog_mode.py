"""Names of ``pyflink.table.changelog_mode``."""

from table_common.connector import ChangelogMode

__all__ = ["ChangelogMode"]
