"""The ids of topics: a topic that is deleted and created again has another one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, Deadline

_AGAIN_SECONDS = 10.0
"""After this time topic ids are looked up again."""
_ANSWER_SECONDS = 5.0
"""The timeout of a look-up. After it the ids are unknown until the next look-up."""
_UNSUPPORTED = (KafkaError._UNSUPPORTED_FEATURE, KafkaError.UNSUPPORTED_VERSION)
_NONE = "AAAAAAAAAAAAAAAAAAAAAA"
"""The id of brokers that know no ids."""


class TopicIds:
    """Asks a cluster for the ids of topics: the first time it waits for the answer, later, once in a while, answers are taken when they are there.

    Brokers before Kafka 2.8 know no ids.
    """

    def __init__(self) -> None:
        self._admin: AdminClient | None = None
        self._is_supported = True
        self._ids: Mapping[str, str] = {}
        self._names: frozenset[str] = frozenset()
        self._asked = 0.0
        self._answers: Mapping[str, Future[Any]] = {}

    def of(self, topics: Iterable[str], consumer: Consumer, cluster: Cluster) -> Mapping[str, str]:
        """Returns the ids of those topics that exist, as far as the brokers have told them."""
        names = frozenset(topics)
        if not self._is_supported or not names:
            return {}
        is_first = not names <= self._names
        if is_first or time.monotonic() - self._asked >= _AGAIN_SECONDS:
            deadline = Deadline(min(_ANSWER_SECONDS, cluster.timeout))
            self._ask(names, consumer, cluster, deadline)
            for answer in self._answers.values() if is_first else ():
                while not answer.done() and not deadline.has_passed:
                    with suppress(FutureTimeoutError):
                        answer.exception(0.05)  # cancellation interrupts between two waits
        if self._answers and all(answer.done() for answer in self._answers.values()):
            self._take()
        return self._ids

    def forget(self) -> None:
        """Lets the next question wait for its answer."""
        self._names, self._ids, self._answers = frozenset(), {}, {}

    def close(self) -> None:
        """Closes the connection."""
        self._admin = None
        self.forget()

    def _ask(self, names: frozenset[str], consumer: Consumer, cluster: Cluster, deadline: Deadline) -> None:
        self._names, self._asked, self._answers = names, time.monotonic(), {}
        try:
            if self._admin is None:
                listed = consumer.list_topics(min(names), timeout=deadline.left)
                if listed.controller_id not in listed.brokers:  # the client would wait for one
                    return
                self._admin = cluster.admin(ClientErrors())
            self._answers = self._admin.describe_topics(TopicCollection(sorted(names)), request_timeout=deadline.left)
        except KafkaException:
            return  # other questions tell that brokers are gone

    def _take(self) -> None:
        found = {}
        for name, answer in self._answers.items():
            error = answer.exception()
            if error is None:
                found[name] = str(answer.result().topic_id)
            elif isinstance(error, KafkaException) and error.args[0].code() in _UNSUPPORTED:
                self._is_supported = False
        self._ids = {name: topic_id for name, topic_id in found.items() if topic_id != _NONE}
        self._answers = {}
