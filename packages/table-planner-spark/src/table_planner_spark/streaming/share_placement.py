"""Assigns shares to executors: preferably to the one that ran the share in the epoch before, whose machine has its arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pyspark import RDD, SparkContext

from table_planner_spark.spark_internals import Anchor, anchor_of, executor_ids, prefer_executors


class SharePlacement:
    """Keeps the executor of each share. Executors that come take shares from others, and shares of executors that go are taken by those with the fewest."""

    def __init__(self, shares: int) -> None:
        self.shares = shares
        self._executors: Sequence[str] = ()
        self._places: Sequence[str] = ()
        self._anchor: Anchor | None = None

    def update(self, context: SparkContext) -> None:
        """Looks which executors there are. Called once per epoch."""
        master = context.master or ""
        executors = [] if master.startswith("local") and not master.startswith("local-cluster") else executor_ids(context)
        if executors == self._executors:
            return
        self._executors = executors
        self._places = placed(self._places or [""] * self.shares, executors)
        self._anchor = anchor_of(context, self._places) if len(executors) > 1 else None

    def apply(self, cells: RDD[bytes]) -> RDD[bytes]:
        """Returns the cells of all shares, where Spark prefers the executor of each."""
        return cells if self._anchor is None else prefer_executors(cells, self._anchor)


def placed(places: Sequence[str], executors: Sequence[str]) -> Sequence[str]:
    """Returns the executor of each share, evenly, of which as many as possible are those that they had."""
    if not executors:
        return places
    counts, most = Counter(dict.fromkeys(executors, 0)), -(-len(places) // len(executors))
    result: list[str] = []
    for place in places:
        stays = place in counts and counts[place] < most
        result.append(place if stays else "")
        if stays:
            counts[place] += 1
    for share, place in enumerate(result):
        if not place:
            result[share] = min(executors, key=counts.__getitem__)
            counts[result[share]] += 1
    return result
