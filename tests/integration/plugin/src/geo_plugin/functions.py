"""Functions of points. The hints name the type as SQL does: the module says what it is."""

from __future__ import annotations

from math import asin, cos, radians, sin, sqrt
from typing import Annotated

from geo_plugin.geo_point import GeoPoint
from table_common.functions import AggregateFunction, DataTypeHint, ScalarFunction

__all__ = ["MakePoint", "NorthernmostLatitude", "PointDistance"]

_EARTH_RADIUS_KM = 6371.0

Point = Annotated[GeoPoint, DataTypeHint("GEO_POINT")]
"""A point, by the name that SQL has for its type."""


class MakePoint(ScalarFunction):
    """``geo_point(lat, lon)``: the point at these degrees."""

    def eval(self, lat: float, lon: float) -> Point:
        return GeoPoint(lat, lon)


class PointDistance(ScalarFunction):
    """``geo_distance(a, b)``: kilometers between two points along the surface."""

    def eval(self, a: Point, b: Point) -> float:
        north, east = radians(b.lat - a.lat) / 2, radians(b.lon - a.lon) / 2
        chord = sin(north) ** 2 + cos(radians(a.lat)) * cos(radians(b.lat)) * sin(east) ** 2
        return 2 * _EARTH_RADIUS_KM * asin(sqrt(chord))


class NorthernmostLatitude(AggregateFunction):
    """``geo_northernmost(point)``: the greatest latitude of a group, NULL for none."""

    def create_accumulator(self) -> list[float]:
        return []

    def accumulate(self, accumulator: list[float], point: Point) -> None:
        accumulator[:] = [max([*accumulator, point.lat])]

    def get_value(self, accumulator: list[float]) -> float | None:
        return accumulator[0] if accumulator else None
