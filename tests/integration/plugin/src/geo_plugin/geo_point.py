"""A point on the earth."""

from __future__ import annotations

from dataclasses import dataclass

from table_common.types import DataType, DataTypes

__all__ = ["GEO_POINT", "GeoPoint"]


@dataclass(frozen=True)
class GeoPoint:
    """Degrees; north and east are positive."""

    lat: float
    lon: float


GEO_POINT: DataType = DataTypes.STRUCTURED(GeoPoint, DataTypes.FIELD("lat", DataTypes.DOUBLE()), DataTypes.FIELD("lon", DataTypes.DOUBLE()))
"""What the name ``geo_point`` stands for in DDL, CAST and type hints."""
