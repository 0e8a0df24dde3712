"""Windows of the Table API, under the names of ``pyflink.table.window``."""

from table_api.tables.group_windows import (
    GroupWindow,
    Session,
    SessionWithGap,
    SessionWithGapOnTime,
    Slide,
    SlideWithSize,
    SlideWithSizeAndSlide,
    SlideWithSizeAndSlideOnTime,
    Tumble,
    TumbleWithSize,
    TumbleWithSizeOnTime,
)
from table_api.tables.over_windows import (
    Over,
    OverWindow,
    OverWindowPartitioned,
    OverWindowPartitionedOrdered,
    OverWindowPartitionedOrderedPreceding,
)

__all__ = [
    "GroupWindow",
    "Over",
    "OverWindow",
    "OverWindowPartitioned",
    "OverWindowPartitionedOrdered",
    "OverWindowPartitionedOrderedPreceding",
    "Session",
    "SessionWithGap",
    "SessionWithGapOnTime",
    "Slide",
    "SlideWithSize",
    "SlideWithSizeAndSlide",
    "SlideWithSizeAndSlideOnTime",
    "Tumble",
    "TumbleWithSize",
    "TumbleWithSizeOnTime",
]
