"""The cluster of a table: the properties of Kafka's client, and consumers and producers that have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from connector_kafka.failures import ClientErrors
from table_common.exceptions import ValidationException, closest
from table_common.frozen_dataclass import dataclass, field
from table_common.gate import current_gate

PREFIX = "properties."
SERVERS = "bootstrap.servers"
GROUP = "group.id"
_SERVERS = (SERVERS, "metadata.broker.list")
"""Properties with the addresses of brokers; librdkafka knows both."""
_RUNNING_CODE = ("sasl.kerberos.kinit.cmd", "plugin.library.paths", "ssl.engine.location", "ssl.providers")
_TIMEOUT = "default.api.timeout.ms"
_WITHOUT_EFFECT = frozenset(
    {
        "key.deserializer",
        "value.deserializer",
        "key.serializer",
        "value.serializer",
        "max.poll.records",
        "max.block.ms",
        "buffer.memory",
        "enable.auto.commit",
        "auto.commit.interval.ms",
        "partition.discovery.interval.ms",
        "client.id.prefix",
        "commit.offsets.on.checkpoint",
        "register.consumer.metrics",
        "transaction.timeout.ms",
        "auto.offset.reset",
        _TIMEOUT,
    }
)
"""Properties of Kafka's Java client that need no counterpart here."""
_RENAMED = {
    "max.request.size": "message.max.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "reconnect.backoff.ms": "reconnect.backoff.ms",
}
_OTHER_FORM = {
    "ssl.truststore.location": "ssl.ca.location, a file in PEM form",
    "ssl.truststore.password": "ssl.ca.location, a file in PEM form",
    "ssl.truststore.type": "ssl.ca.location, a file in PEM form",
    "ssl.keystore.type": "ssl.keystore.location, a file in PKCS#12 form",
    "sasl.login.callback.handler.class": "sasl.oauthbearer.method and the other properties sasl.oauthbearer.*",
}
_JAAS = re.compile(r'\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"')
_NAMES = [
    "acks",
    "batch.size",
    "bootstrap.servers",
    "client.id",
    "compression.type",
    "enable.idempotence",
    "fetch.max.bytes",
    "fetch.min.bytes",
    "fetch.wait.max.ms",
    "group.id",
    "group.instance.id",
    "isolation.level",
    "linger.ms",
    "max.partition.fetch.bytes",
    "message.max.bytes",
    "queued.max.messages.kbytes",
    "request.timeout.ms",
    "retries",
    "sasl.mechanism",
    "sasl.password",
    "sasl.username",
    "security.protocol",
    "session.timeout.ms",
    "socket.timeout.ms",
    "ssl.ca.location",
    "ssl.certificate.location",
    "ssl.key.location",
    "ssl.keystore.location",
    "ssl.keystore.password",
]
"""Common properties, for suggestions."""


@dataclass(frozen=True)
class Cluster:
    """The properties of the client, without the prefix ``properties.``, as the table gives them."""

    properties: Mapping[str, str] = field(repr=False)

    @staticmethod
    def of(options: Mapping[str, str], where: str) -> Cluster:
        """Returns the cluster that a table's options name.

        Raises:
            ValidationException: the client does not know a property, or refuses its value.
        """
        cluster = Cluster({key.removeprefix(PREFIX): value for key, value in options.items() if key.startswith(PREFIX)})
        cluster.check(where)
        return cluster

    def _check_allowed(self, where: str) -> None:
        """Refuses servers and files that statements of the session must not use; the names of files are checked with all options of the table."""
        gate = current_gate()
        for name in _SERVERS:
            if name in self.properties:
                gate.host(self.properties[name], f"The option '{PREFIX}{name}' of {where}")
        for name in self.properties:
            if name in _RUNNING_CODE and not gate.is_open:
                raise ValidationException(
                    f"The option '{PREFIX}{name}' of {where} must not be set by statements of this session: it names code that the client runs."
                )

    @property
    def servers(self) -> str:
        """The addresses, for messages."""
        return self.properties.get(SERVERS, "")

    @property
    def group(self) -> str | None:
        """The consumer group whose offsets are read and committed."""
        return self.properties.get(GROUP)

    @property
    def timeout(self) -> float:
        """How many seconds a call may take, and a read may have no progress."""
        return int(self.properties.get(_TIMEOUT, "60000")) / 1000

    def check(self, where: str) -> None:
        """Raises a ``ValidationException`` unless the session allows and the client accepts the properties."""
        self._check_allowed(where)
        for name in self.properties:
            if name in _OTHER_FORM:
                raise ValidationException(
                    f"The option '{PREFIX}{name}' of {where} is one of Kafka's Java client only.",
                    hint=f"use '{PREFIX}' {_OTHER_FORM[name]}",
                )
        timeout = self.properties.get(_TIMEOUT, "1")
        if not timeout.isdecimal() or not int(timeout):
            raise ValidationException(f"The option '{PREFIX}{_TIMEOUT}' of {where} must be a number of milliseconds, but is '{timeout}'.")
        try:
            self.consumer({}, ClientErrors()).close()
        except KafkaException as error:
            raise self._refused(error, where) from None

    def _refused(self, error: KafkaException, where: str) -> ValidationException:
        text = error.args[0].str()
        found = re.search(r'property:? "([^"]+)"', text)
        name = found[1] if found else ""
        if text.startswith("No such"):
            near = closest(name, _NAMES, 1)
            hint = f"did you mean '{PREFIX}{near[0]}'?" if near else "the names are those of librdkafka"
            return ValidationException(f"The option '{PREFIX}{name}' of {where} is not a property of Kafka's client.", hint=hint)
        for key, value in self.properties.items():
            if "password" in key or "secret" in key or "jaas" in key:
                text = text.replace(value, "******")
        return ValidationException(f"The options '{PREFIX}*' of {where} are refused by Kafka's client: {text}.")

    def consumer(self, own: Mapping[str, Any], errors: ClientErrors, *, fetch_wait: int = 500) -> Consumer:
        """Returns a consumer; ``own`` are properties that the table's do not replace. ``fetch_wait`` is ``fetch.wait.max.ms`` in milliseconds unless the table sets it."""
        defaults = {
            GROUP: "table-connector",
            "auto.offset.reset": "error",
            "queued.max.messages.kbytes": 8_192,
            "queued.min.messages": 20_000,
            "fetch.queue.backoff.ms": 20,  # by default, the client fetches nothing for a second once the queue is full
            "fetch.wait.max.ms": fetch_wait,
        }
        fixed = {"enable.auto.commit": False, "enable.auto.offset.store": False, "enable.partition.eof": True, "error_cb": errors}
        return Consumer({**defaults, **self._client, **own, **fixed, "auto.offset.reset": "error"})

    def producer(self, own: Mapping[str, Any], errors: ClientErrors) -> Producer:
        """Returns a producer; ``own`` are properties that the table's do not replace."""
        defaults = {"linger.ms": 5, "queue.buffering.max.messages": 500_000, "message.send.max.retries": 1_000_000}
        return Producer({**defaults, **self._without_group(), **own, "error_cb": errors})

    def admin(self, errors: ClientErrors) -> AdminClient:
        """Returns a client that describes topics."""
        client: dict[str, Any] = {**self._without_group(), "error_cb": errors}
        return AdminClient(client)

    def _without_group(self) -> dict[str, Any]:
        """The properties of clients that are in no group."""
        return {name: value for name, value in self._client.items() if name != GROUP}

    @cached_property
    def _client(self) -> Mapping[str, Any]:
        """The properties with librdkafka's names; its own log is off, since errors are reported."""
        known: dict[str, Any] = {"log_level": 0}
        for name, value in self.properties.items():
            if name == "sasl.jaas.config":
                known |= {f"sasl.{key}": re.sub(r"\\(.)", r"\1", text) for key, text in _JAAS.findall(value)}
            elif name not in _WITHOUT_EFFECT:
                known[_RENAMED.get(name, name)] = value
        return known
