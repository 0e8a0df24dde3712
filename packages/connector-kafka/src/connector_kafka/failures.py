"""Turns the errors of Kafka's client into errors that say what failed, where, and what to do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from confluent_kafka import KafkaError, KafkaException

from table_common.exceptions import TableError, TableRuntimeException, ValidationException

_HINTS = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "the user needs READ and DESCRIBE on the topic to read it, WRITE to write it",
    KafkaError.GROUP_AUTHORIZATION_FAILED: "the user needs READ on the group 'properties.group.id'",
    KafkaError.MSG_SIZE_TOO_LARGE: "'properties.message.max.bytes' is the client's limit; the topic has max.message.bytes, the broker message.max.bytes",
    **dict.fromkeys(
        (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH),
        "another process writes this job's rows and has taken over: only one process may run a job",
    ),
    **dict.fromkeys(
        (KafkaError._STATE, KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT),
        "the transaction has ended: another process writes this job's rows and has taken over, or it took longer than 'properties.transaction.timeout.ms'",
    ),
    KafkaError.INVALID_TRANSACTION_TIMEOUT: "'properties.transaction.timeout.ms' may be at most the broker's transaction.max.timeout.ms",
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "the user needs WRITE on the transactional id; 'sink.transactional-id-prefix' is its first part",
    KafkaError._MSG_TIMED_OUT: "'properties.delivery.timeout.ms' is how long a message is tried",
}
_PASSING = frozenset(
    {
        KafkaError._MSG_TIMED_OUT,
        KafkaError._UNKNOWN_PARTITION,  # also while the brokers are down; if it is gone for good, a restart says that there is no such topic
        KafkaError._UNKNOWN_TOPIC,
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.CONCURRENT_TRANSACTIONS,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.KAFKA_STORAGE_ERROR,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.NOT_COORDINATOR,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.REPLICA_NOT_AVAILABLE,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.THROTTLING_QUOTA_EXCEEDED,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.UNSTABLE_OFFSET_COMMIT,
    }
)
"""Errors of brokers that go down, come up, or hand partitions over."""
_UNREACHABLE = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._FAIL,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._TRANSPORT,
        KafkaError._UNKNOWN_BROKER,
        KafkaError._WAIT_CACHE,
        KafkaError._WAIT_COORD,
    }
)
"""Errors of the client that has no connection, or got no answer in time; a request that it had not sent by then was *timed out in queue*."""
_AUTHENTICATION = (KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED)


class Endpoint(Protocol):
    """A cluster, as messages name it."""

    @property
    def servers(self) -> str:
        """The addresses."""

    @property
    def timeout(self) -> float:
        """How many seconds a call may take."""


class ClientErrors:
    """The last error that a client's background threads reported: a failed connection, or a refused login."""

    def __init__(self) -> None:
        self.last: KafkaError | None = None

    def __call__(self, error: KafkaError) -> None:
        if error.code() != KafkaError._ALL_BROKERS_DOWN and (self.last is None or self.last.code() not in _AUTHENTICATION):
            self.last = error

    @property
    def is_refused(self) -> bool:
        """Whether the broker refused the login, which retries do not change."""
        return self.last is not None and self.last.code() in _AUTHENTICATION


class Deadline:
    """A time limit for progress; ``extend`` begins it again."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.extend()

    def extend(self) -> None:
        """Begins the time again: there was progress."""
        self._end = time.monotonic() + self._seconds

    @property
    def left(self) -> float:
        """The seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """Whether the time is over."""
        return self.left == 0.0


def failure_of(error: KafkaError | None, cluster: Endpoint, errors: ClientErrors | None = None, what: str = "") -> TableError:
    """Returns the error for a failed call; ``error`` None says that there was no answer in time. ``what`` begins the message: *Reading … failed*.

    If the call may succeed later, the cause of the error is a ``ConnectionError``, so that an unbounded job is restarted.
    """
    last = errors.last if errors is not None else None
    reported = last if error is None or error.code() in _UNREACHABLE - {KafkaError._RESOLVE} else error
    place = f"Kafka at {cluster.servers}"
    begin = f"{what}: " if what else ""
    if reported is not None and reported.code() in _AUTHENTICATION:
        return ValidationException(
            f"{begin}{place} refuses the client: {_reason(reported)}.",
            hint="check 'properties.security.protocol', 'properties.sasl.mechanism', 'properties.sasl.username' and 'properties.sasl.password'",
        )
    if reported is None or reported.code() in _UNREACHABLE:
        reason = _reason(reported) if reported is not None else f"no answer in {cluster.timeout:g} s"
        return _passing(
            TableRuntimeException(
                f"{begin}{place} cannot be reached: {reason}.",
                hint="check the option 'properties.bootstrap.servers', and that the broker runs; 'properties.default.api.timeout.ms' is the time limit",
            ),
            reason,
        )
    failure = TableRuntimeException(
        f"{begin}{place} reports an error: {_reason(reported)} ({reported.name()}).", hint=_HINTS.get(reported.code())
    )
    return _passing(failure, _reason(reported)) if reported.code() in _PASSING else failure


@contextmanager
def calling(cluster: Endpoint, errors: ClientErrors, what: str = "") -> Iterator[None]:
    """Turns the client's exceptions within the block into errors."""
    try:
        yield
    except KafkaException as error:
        failure = failure_of(error.args[0], cluster, errors, what)
        raise failure from failure.__cause__ or error


def _passing(failure: TableError, reason: str) -> TableError:
    failure.__cause__ = ConnectionError(reason)
    return failure


def _reason(error: KafkaError) -> str:
    return " ".join(error.str().split()).rstrip(".")
