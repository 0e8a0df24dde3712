"""The runtime provider of a scan: offsets and splits of partitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from connector_kafka.cluster import Cluster
from connector_kafka.modes import Mode
from connector_kafka.planning import Planning
from connector_kafka.splits import FROM_FIRST, PartitionSplit, split_id
from connector_kafka.topics import Partition, Positions, Topics, each, ids_of, positions_of
from table_common.annotation import override
from table_common.connector import Offset, ReadLimit, SourceProvider, SourceReader
from table_common.frozen_dataclass import dataclass, field

if TYPE_CHECKING:
    from connector_kafka.decoding import RecordDecoding


_FEW = 1_000
"""Up to this number of messages are fetched at once, and their consumer follows the ends of the partitions from then on."""


@dataclass(frozen=True)
class KafkaSourceProvider(SourceProvider):
    """Reads partitions of topics. An offset is ``{"topic": {"0": 1200, "1": 1177, "id": "AaIeAhHedbGrAncZFLCcjA"}}``: the next offset of each partition.

    A partition that an offset lacks has been found after it, and is read from its first message on. The id of the topic tells a topic that was created
    anew; scans with an end, brokers that know no ids, and earlier versions leave it out.
    """

    cluster: Cluster
    topics: Topics
    startup: Mode
    bounded: Mode | None
    decoding: RecordDecoding
    discovery: float = 300.0
    on_out_of_range: str = "fail"
    planning: Planning = field(default_factory=Planning, compare=False, repr=False)

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded is not None

    @override
    def initial_offset(self) -> Offset:
        partitions = self._partitions()
        start = self.planning.offsets(self.startup, partitions, self.cluster)
        if self.startup.kind in ("specific-offsets", "group-offsets"):
            start = self._within(start)
        return cast("Offset", positions_of(start, self._ids({topic for topic, _ in start})))

    @override
    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        if (resolved := self._resolved_new_topics(start)) is not None:
            return resolved
        begins = self._begins(start)
        is_known = self.planning.follow_ends(begins, self.cluster)
        remaining = self._remaining(begins)
        if not is_known and (
            self.planning.are_ends_old
            or not any(remaining.values())
            or not self.planning.ends.keys() >= begins.keys()
            or self._lacks_bounds
        ):
            self._find_ends(begins)
            if moved := self._moved_back(begins):
                return self._moved(start, moved)
            remaining = self._remaining(begins)
            if self.bounded is None and 0 < sum(remaining.values()) <= _FEW:
                self.planning.fetch(begins, self.cluster)
        if limit is not None and limit.until is not None:
            last = dict(each(cast("Positions", limit.until)))
            remaining = {
                partition: max(0, min(count, last.get(partition, 0) - begins[partition])) for partition, count in remaining.items()
            }
        taken = _limited(remaining, self._most(begins, remaining, limit))
        moved = {partition: begins[partition] + count for partition, count in taken.items() if count}
        if not moved:
            return start
        return self._moved(start, moved)

    @override
    def wait(self, start: Offset, seconds: float) -> bool:
        if self.planning.is_lookup_due(self.discovery) or self.planning.is_question_due:
            return True
        return self.planning.wait(self._begins(start), seconds, self.cluster)

    @override
    def plan(self, start: Offset, end: Offset) -> Sequence[PartitionSplit]:
        begins = dict(each(cast("Positions", start)))
        new = self._new_topics(start, ids_of(cast("Positions", end)))
        if not new and (new := self._new_topics(start)):
            self._resolved_new_topics(start)  # a range of an earlier run, which began with the old topic
        return [
            PartitionSplit(topic, number, begins.get((topic, number), FROM_FIRST), stop)
            for (topic, number), stop in each(cast("Positions", end))
            if stop > begins.get((topic, number), 0) and topic not in new
        ]

    @override
    def split_ids(self, start: Offset) -> Sequence[str]:
        known = [partition for partition, _ in each(cast("Positions", start))]
        return [split_id(partition) for partition in dict.fromkeys([*known, *self._partitions()])]

    @override
    def pending_rows(self, start: Offset) -> Mapping[str, int]:
        begins = dict(each(cast("Positions", start)))
        return {split_id(partition): count for partition, count in self._remaining(begins).items()}

    @override
    def create_reader(self) -> SourceReader:
        from connector_kafka.reader import KafkaReader

        return KafkaReader(self.cluster, self.decoding, self.on_out_of_range, self.planning)

    @override
    def commit(self, end: Offset) -> None:
        """Commits the offsets of the consumer group, if the table names one."""
        if self.cluster.group is not None:
            self.planning.commit(dict(each(cast("Positions", end))), self.cluster)

    @override
    def close(self) -> None:
        self.planning.close()

    def _partitions(self) -> Sequence[Partition]:
        return self.planning.partitions(self.topics, self.cluster, self.discovery)

    def _begins(self, start: Offset) -> dict[Partition, int]:
        """Returns where each partition continues."""
        begins = dict(each(cast("Positions", start)))
        new = [partition for partition in self._partitions() if partition not in begins]
        return begins | self.planning.first(new, self.cluster) if new else begins

    def _ids(self, topics: Iterable[str]) -> Mapping[str, str]:
        return self.planning.ids(topics, self.cluster) if self.bounded is None else {}

    def _new_topics(self, start: Offset, ids: Mapping[str, str] | None = None) -> set[str]:
        """Returns the topics whose ids are not those of the offset any more."""
        known = ids_of(cast("Positions", start))
        now = self._ids(known) if ids is None else ids
        return {topic for topic, topic_id in known.items() if now.get(topic, topic_id) != topic_id}

    def _resolved_new_topics(self, start: Offset) -> Offset | None:
        """Returns where reading continues if topics were deleted and created again; None: none was.

        Raises:
            TableRuntimeException: one was, and ``scan.on-offset-out-of-range`` is ``fail``.
        """
        from connector_kafka.offset_reset import resolve_new_topic

        new = self._new_topics(start)
        if not new:
            return None
        self.planning.forget_topics()
        positions = {partition: offset for partition, offset in each(cast("Positions", start)) if partition[0] not in new}
        for topic in sorted(new):
            partitions = [partition for partition in self._partitions() if partition[0] == topic]
            first = self.planning.first(partitions, self.cluster)
            ends = self.planning.find_ends(partitions, self.cluster)
            positions.update(resolve_new_topic(self.on_out_of_range, topic, first, ends))
        self.planning.ends = {}
        topics = {topic for topic, _ in positions}
        known = {topic: topic_id for topic, topic_id in ids_of(cast("Positions", start)).items() if topic not in new}
        return cast("Offset", positions_of(positions, {**self._ids(topics), **known}))

    def _moved(self, start: Offset, moved: Mapping[Partition, int]) -> Offset:
        """Returns the offset with other positions of some partitions, and the ids that it lacks."""
        positions = {**dict(each(cast("Positions", start))), **moved}
        ids = self._ids({topic for topic, _ in positions})
        return cast("Offset", positions_of(positions, {**ids, **ids_of(cast("Positions", start))}))

    @property
    def _lacks_bounds(self) -> bool:
        return self.bounded is not None and self.planning.bounds is None

    def _find_ends(self, begins: Mapping[Partition, int]) -> None:
        partitions = list(begins)
        # An unbounded scan reads what is there for now: the exact ends would take longer than the messages.
        ends = self.planning.find_ends(partitions, self.cluster, begins if self.bounded is None else None)
        if self.bounded is not None and self.planning.bounds is None:
            is_end = self.bounded.kind == "latest-offset"
            self.planning.bounds = ends if is_end else self.planning.offsets(self.bounded, partitions, self.cluster)

    def _remaining(self, begins: Mapping[Partition, int]) -> dict[Partition, int]:
        """Returns the number of offsets that are left in each partition."""
        ends, bounds = self.planning.ends, self.planning.bounds
        remaining = {}
        for partition, begin in begins.items():
            end = ends.get(partition, begin)
            if bounds is not None:
                end = min(end, bounds.get(partition, 0))
            remaining[partition] = max(0, end - begin)
        return remaining

    def _most(self, begins: Mapping[Partition, int], remaining: Mapping[Partition, int], limit: ReadLimit | None) -> int | None:
        """Returns the number of messages of a range; None: all."""
        if limit is None:
            return None
        counts = [] if limit.rows is None else [limit.rows]
        if limit.bytes is not None and any(remaining.values()):
            filled = {partition: begin for partition, begin in begins.items() if remaining[partition]}
            counts.append(max(1, int(limit.bytes / self.planning.row_bytes(filled, self.cluster))))
        return min(counts, default=None)

    def _moved_back(self, begins: Mapping[Partition, int]) -> dict[Partition, int]:
        """Returns where partitions continue that end before their next offset, because their topic was made again or has lost messages.

        Raises:
            TableRuntimeException: ``scan.on-offset-out-of-range`` is ``fail``.
        """
        from connector_kafka.offset_reset import reset_offset

        ends = self.planning.ends
        shrunk = [partition for partition, begin in begins.items() if partition in self.planning.read_to_end and ends[partition] < begin]
        first = self.planning.first(shrunk, self.cluster)
        return {
            partition: reset_offset(self.on_out_of_range, partition, begins[partition], first[partition], ends[partition])
            for partition in shrunk
        }

    def _within(self, start: Mapping[Partition, int]) -> dict[Partition, int]:
        """Applies ``scan.on-offset-out-of-range`` to offsets that the user gave."""
        from connector_kafka.offset_reset import reset_offset

        first = self.planning.first(list(start), self.cluster)
        ends = self.planning.find_ends(list(start), self.cluster)
        return {
            partition: offset
            if first[partition] <= offset <= ends[partition]
            else reset_offset(self.on_out_of_range, partition, offset, first[partition], ends[partition])
            for partition, offset in start.items()
        }


def _limited(remaining: Mapping[Partition, int], most: int | None) -> dict[Partition, int]:
    """Returns shares of the partitions, together at most ``most``: equal ones, and the rest to those that have more."""
    if most is None or sum(remaining.values()) <= most:
        return dict(remaining)
    taken: dict[Partition, int] = {}
    left = most
    smallest_first = sorted(remaining.items(), key=lambda item: item[1])
    for index, (partition, count) in enumerate(smallest_first):
        # The largest come last and get what remains, so that a limit below the number of partitions makes progress too.
        taken[partition] = min(count, left // (len(smallest_first) - index))
        left -= taken[partition]
    return taken
