"""When windows on local clocks are over: the instants at which they end, as Flink computes them around changes of the clocks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import normalize_zone, time_zone_of
from table_runtime.casts import from_local, to_local
from table_runtime.sources.watermark_progress import milliseconds_of
from table_runtime.streaming.changes.batch import Times, Truths

_HOUR = 3_600_000
_MILLISECONDS = pa.timestamp("ms")
_GREATEST = 1 << 53
"""Times beyond it, in milliseconds, are the bounds of event time and not instants."""


class WindowClock:
    """The local clocks of a time zone, on which windows start and end; without a zone windows are in event time itself.

    All times are in milliseconds. A local time that occurs twice counts as over at the second time, in steps of one hour, and one that is skipped
    at the hour in which it is skipped. Flink, too, does so only in zones that have daylight-saving time today; in others the first time counts.
    """

    def __init__(self, zone: str | None) -> None:
        name = None if zone is None else normalize_zone(zone)
        self._zone = None if name in (None, "UTC") else name
        self._has_daylight_saving = self._zone is not None and _has_daylight_saving(self._zone)

    def first_instants(self, local: Times) -> Times:
        """Returns the instants of local times: of two the earlier one."""
        if self._zone is None:
            return local
        return _numbers(from_local(pa.array(local, _MILLISECONDS), self._zone))

    def last_instants(self, ends: Times) -> Times:
        """Returns for the ends of windows the instant that event time has to reach for the window to be over, for its last millisecond."""
        last = ends - 1
        first = self.first_instants(last)
        if not self._has_daylight_saving:
            return first
        passed = self.first_instants(last + _HOUR) - first
        of_gap = first - np.fmod(first, _HOUR)
        return np.where(passed > _HOUR, first + _HOUR, np.where(passed == 0, of_gap, first))

    def are_near_changes(self, local: Times) -> Truths:
        """Returns which local times are at most two hours from a change of the clocks, where windows may end in another order than their ends."""
        if self._zone is None:
            return np.zeros(len(local), np.bool_)
        passed = self.first_instants(local + 2 * _HOUR) - self.first_instants(local - 2 * _HOUR)
        return np.asarray(passed != 4 * _HOUR)

    def local_bound(self, watermark: int) -> int:
        """Returns a local time that is not before the last millisecond of any window that is over at a watermark."""
        if self._zone is None or abs(watermark) >= _GREATEST:
            return watermark
        instants = pa.array([watermark - 3 * _HOUR, watermark, watermark + 3 * _HOUR], _MILLISECONDS)
        before, now, after = _numbers(to_local(pc.cast(instants, pa.timestamp("ms", "UTC")), self._zone)).tolist()
        return int(now) if after - before == 6 * _HOUR else int(now) + 3 * _HOUR


class WindowEnds:
    """A function from the ends of windows to the last millisecond of each as event time: on local clocks, if they are given, the instant."""

    def __init__(self, clock: WindowClock | None) -> None:
        self._clock = clock

    def __call__(self, ends: pa.Array) -> Times:
        """Returns the last milliseconds of windows with these ends."""
        if self._clock is None:
            return milliseconds_of(ends) - 1
        unique = ends.dictionary_encode()
        return np.asarray(self._clock.last_instants(milliseconds_of(unique.dictionary))[unique.indices.to_numpy()])


def _numbers(times: Any) -> Times:
    return np.asarray(pc.cast(times, pa.int64()))


def _has_daylight_saving(zone: str) -> bool:
    """Whether the rules for all later years change the zone's offset within a year."""
    rules = time_zone_of(zone)
    return len({datetime(2100, month, 1, tzinfo=rules).utcoffset() for month in range(1, 13)}) > 1
