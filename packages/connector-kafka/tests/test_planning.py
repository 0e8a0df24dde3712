"""The questions of a driver: what is kept, and what is asked again."""

from __future__ import annotations

import pickle

from kafka_brokers import new_topic, produce, servers

from connector_kafka.cluster import Cluster
from connector_kafka.planning import Planning
from connector_kafka.topics import Topics


def test_partitions_are_looked_up_again_after_the_interval() -> None:
    cluster = Cluster({"bootstrap.servers": servers("tansu")})
    topics = Topics((new_topic("tansu", 2),))
    planning = Planning()
    assert planning.is_lookup_due(0.0)
    found = planning.partitions(topics, cluster, 60.0)
    assert [number for _, number in found] == [0, 1]
    assert planning.partitions(topics, cluster, 60.0) is found
    assert not planning.is_lookup_due(0.0)
    assert planning.is_lookup_due(1e-9)
    planning.close()
    assert planning.is_lookup_due(0.0)


def test_a_pickled_copy_has_no_connections() -> None:
    cluster = Cluster({"bootstrap.servers": servers("tansu")})
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b"a", b"b"])
    planning = Planning()
    assert planning.find_ends([(topic, 0)], cluster) == {(topic, 0): 2}
    assert pickle.loads(pickle.dumps(planning)).ends == {}
    planning.close()
