"""The errors that errors of the client become."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, Deadline, calling, failure_of
from table_common.exceptions import TableRuntimeException, ValidationException

CLUSTER = Cluster({"bootstrap.servers": "broker:9092", "sasl.password": "a secret"})


def test_a_refused_login_is_the_users_fault_and_names_the_options() -> None:
    errors = ClientErrors()
    errors(KafkaError(KafkaError._AUTHENTICATION, "SASL PLAIN: wrong password"))
    errors(KafkaError(KafkaError._TRANSPORT, "connection closed"))
    assert errors.is_refused
    failure = failure_of(None, CLUSTER, errors)
    assert isinstance(failure, ValidationException)
    assert failure.message == "Kafka at broker:9092 refuses the client: SASL PLAIN: wrong password."
    assert "'properties.sasl.username'" in (failure.hint or "")


def test_the_reason_of_a_lost_connection_is_the_last_error_of_the_background() -> None:
    errors = ClientErrors()
    errors(KafkaError(KafkaError._RESOLVE, "broker:9092: Name or service not known"))
    errors(KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"))
    failure = failure_of(KafkaError(KafkaError._TIMED_OUT), CLUSTER, errors, "Reading")
    assert isinstance(failure, TableRuntimeException)
    assert failure.message == "Reading: Kafka at broker:9092 cannot be reached: broker:9092: Name or service not known."


def test_an_error_of_the_broker_has_its_name_and_a_hint() -> None:
    failure = failure_of(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED), CLUSTER)
    assert "TOPIC_AUTHORIZATION_FAILED" in failure.message
    assert "READ and DESCRIBE" in (failure.hint or "")


@pytest.mark.parametrize(
    "code",
    [
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._TRANSPORT,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._WAIT_COORD,
        KafkaError._MSG_TIMED_OUT,
        KafkaError.NOT_LEADER_FOR_PARTITION,
    ],
)
def test_a_job_is_restarted_after_an_error_that_passes(code: int) -> None:
    assert isinstance(failure_of(KafkaError(code), CLUSTER).__cause__, ConnectionError)
    with pytest.raises(TableRuntimeException) as failure, calling(CLUSTER, ClientErrors()):
        raise KafkaException(KafkaError(code))
    assert isinstance(failure.value.__cause__, ConnectionError)


def test_a_job_is_not_restarted_after_an_error_that_stays() -> None:
    assert failure_of(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED), CLUSTER).__cause__ is None
    with pytest.raises(TableRuntimeException) as failure, calling(CLUSTER, ClientErrors()):
        raise KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
    assert isinstance(failure.value.__cause__, KafkaException)


def test_a_deadline_passes_and_begins_again() -> None:
    deadline = Deadline(0.0)
    assert deadline.has_passed
    later = Deadline(100.0)
    later.extend()
    assert later.left > 90
