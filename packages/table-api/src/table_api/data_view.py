"""Names of ``pyflink.table.data_view``."""

from table_common.functions import DataView, ListView, MapView

__all__ = ["DataView", "ListView", "MapView"]
