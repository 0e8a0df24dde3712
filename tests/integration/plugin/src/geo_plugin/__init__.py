"""Points on the earth for SQL: the module, the catalog and the connector are found by entry point."""

from __future__ import annotations

from geo_plugin.geo_point import GeoPoint

__all__ = ["GeoPoint"]
