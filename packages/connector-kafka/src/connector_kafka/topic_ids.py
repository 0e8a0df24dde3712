"""The ids of topics: a topic that is deleted and created anew has another one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import TimeoutError as FutureTimeoutError

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, Deadline

__all__ = ["TopicIds"]

_AGAIN_SECONDS = 10.0
"""How long ids count."""
_ANSWER_SECONDS = 5.0
"""How long an answer may take. Without one the ids are unknown for now: other questions tell that brokers are gone."""
_NONE = "AAAAAAAAAAAAAAAAAAAAAA"
"""The id of brokers that know no ids."""


class TopicIds:
    """Asks a cluster for the ids of topics, once in a while. Brokers before Kafka 2.8 know none."""

    def __init__(self) -> None:
        self._admin: AdminClient | None = None
        self._is_supported = True
        self._ids: Mapping[str, str] = {}
        self._asked: tuple[float, frozenset[str]] | None = None

    def of(self, topics: Iterable[str], consumer: Consumer, cluster: Cluster) -> Mapping[str, str]:
        """Returns the ids of those topics that exist, as far as the brokers tell them."""
        names = frozenset(topics)
        if self._is_supported and names and self._is_due(names):
            self._ids = self._answer(sorted(names), consumer, cluster)
            self._asked = time.monotonic(), names
        return self._ids

    def forget(self) -> None:
        """Lets the next question be asked of the brokers."""
        self._asked = None

    def close(self) -> None:
        """Closes the connection."""
        self._admin = None
        self.forget()

    def _is_due(self, names: frozenset[str]) -> bool:
        return self._asked is None or not names <= self._asked[1] or time.monotonic() - self._asked[0] >= _AGAIN_SECONDS

    def _answer(self, names: list[str], consumer: Consumer, cluster: Cluster) -> Mapping[str, str]:
        deadline = Deadline(min(_ANSWER_SECONDS, cluster.timeout))
        found = {}
        try:
            if self._admin is None:
                listed = consumer.list_topics(names[0], timeout=deadline.left)
                if listed.controller_id not in listed.brokers:  # the client would wait for one
                    return {}
                self._admin = cluster.admin(ClientErrors())
            for name, future in self._admin.describe_topics(TopicCollection(names), request_timeout=deadline.left).items():
                while not future.done() and not deadline.has_passed:
                    try:
                        future.exception(0.05)  # cancellation interrupts between two waits
                    except FutureTimeoutError:
                        continue
                if future.done() and future.exception() is None:
                    found[name] = str(future.result().topic_id)
        except KafkaException as error:
            self._is_supported = error.args[0].code() not in (KafkaError._UNSUPPORTED_FEATURE, KafkaError.UNSUPPORTED_VERSION)
        return {name: topic_id for name, topic_id in found.items() if topic_id != _NONE}
