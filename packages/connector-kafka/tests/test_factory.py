"""The options of the connector ``kafka``, and the errors of what is wrong in them."""

from __future__ import annotations

import pytest

from connector_kafka import KafkaTableFactory
from table_common.exceptions import ValidationException
from table_testing import ConnectorCase

OPTIONS = {
    "topic": "orders",
    "properties.bootstrap.servers": "127.0.0.1:1",
    "format": "json",
    "scan.startup.mode": "earliest-offset",
    "scan.bounded.mode": "latest-offset",
}


class Case(ConnectorCase):
    factory = KafkaTableFactory
    schema = "id BIGINT, name STRING"


class KeyCase(Case):
    primary_key = ("id",)


def refusal(case: ConnectorCase = Case(), *, of_sink: bool = False, without: str = "", **options: str) -> ValidationException:
    given = {key: value for key, value in OPTIONS.items() if key != without} | {
        key.replace("__", "."): value for key, value in options.items()
    }
    with pytest.raises(ValidationException) as caught:
        (case.sink if of_sink else case.source)(given)
    return caught.value


def with_options(**options: str) -> dict[str, str]:
    return OPTIONS | options


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"topic-pattern": "a.*"}, "either 'topic' or 'topic-pattern', but both are set"),
        ({"topic": "no such/topic"}, "'no such/topic', which no topic can have"),
        ({"topic": 'a"b\\\0ü'}, "which no topic can have"),
        ({"value.format": "json"}, "'format' and 'value.format'"),
        ({"key.format": "json"}, "'key.format' of table compliance.suite.tested needs 'key.fields'"),
        ({"key.fields": "id"}, "'key.fields' of table compliance.suite.tested needs 'key.format'"),
        ({"key.format": "json", "key.fields": "ids"}, "The column of 'key.fields' 'ids' does not exist"),
        ({"key.format": "json", "key.fields": "id", "key.fields-prefix": "k_"}, "'value.fields-include' = 'EXCEPT_KEY'"),
        (
            {"key.format": "json", "key.fields": "id", "key.fields-prefix": "k_", "value.fields-include": "EXCEPT_KEY"},
            "does not begin with the prefix 'k_'",
        ),
        ({"scan.startup.mode": "timestamp"}, "needs the option 'scan.startup.timestamp-millis'"),
        ({"scan.bounded.mode": "specific-offsets"}, "needs the option 'scan.bounded.specific-offsets'"),
        ({"scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": "0:1"}, "cannot be read: '0:1'"),
        (
            {"scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": "partition:0,offset:1", "topic": "a;b"},
            "needs a single topic",
        ),
        ({"properties.no.such.property": "1"}, "'properties.no.such.property' of table compliance.suite.tested is not a property"),
        ({"properties.fetch.min.bytes": "many"}, "fetch.min.bytes"),
        ({"properties.ssl.truststore.location": "/a"}, "one of Kafka's Java client only"),
        ({"properties.default.api.timeout.ms": "soon"}, "number of milliseconds"),
        ({"format": "jsn"}, "'jsn'"),
        ({"json.ignore-parse-error": "true"}, "ignore-parse-errors"),
    ],
)
def test_what_is_wrong_is_said(options: dict[str, str], text: str) -> None:
    with pytest.raises(ValidationException) as caught:
        Case().source(with_options(**options))
    assert text in str(caught.value)


def test_a_table_without_topic_is_refused() -> None:
    assert "but none is set" in str(refusal(without="topic"))


def test_a_table_without_format_is_refused_with_the_formats() -> None:
    error = refusal(without="format")
    assert "missing: format" in error.message
    assert "debezium-json" in (error.hint or "")


def test_a_pattern_that_is_no_regular_expression_is_refused() -> None:
    options = {key: value for key, value in OPTIONS.items() if key != "topic"} | {"topic-pattern": "a(b"}
    with pytest.raises(ValidationException, match="is not a regular expression"):
        Case().source(options)


def test_a_misspelt_property_has_a_suggestion() -> None:
    with pytest.raises(ValidationException) as caught:
        Case().source(with_options(**{"properties.isolation.levl": "read_committed"}))
    assert "'properties.isolation.level'" in (caught.value.hint or "")


def test_a_refused_login_property_shows_no_password() -> None:
    options = {"properties.security.protocol": "SASL_PLAIN", "properties.sasl.password": "SASL_PLAIN"}
    with pytest.raises(ValidationException) as caught:
        Case().source(with_options(**options))
    assert "SASL_PLAIN" not in str(caught.value)


def test_a_primary_key_needs_the_other_connector() -> None:
    assert "'upsert-kafka'" in (refusal(KeyCase()).hint or "")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"topic": "a;b"}, "its options name a, b"),
        ({"sink.partitioner": "org.example.Mine"}, "must be one of default, fixed, round-robin"),
        ({"sink.partitioner": "round-robin", "key.format": "json", "key.fields": "id"}, "rows of a key would have no order"),
    ],
)
def test_what_is_wrong_for_writing_is_said(options: dict[str, str], text: str) -> None:
    with pytest.raises(ValidationException) as caught:
        Case().sink(with_options(**options))
    assert text in str(caught.value)


def test_a_configuration_of_jaas_is_understood() -> None:
    from connector_kafka.cluster import Cluster

    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="ada" password="a\\"b";'
    cluster = Cluster.of({"properties.bootstrap.servers": "127.0.0.1:1", "properties.sasl.jaas.config": jaas}, "a test")
    assert cluster._client["sasl.username"] == "ada"
    assert cluster._client["sasl.password"] == 'a"b'
    assert "a\\" not in repr(cluster)
