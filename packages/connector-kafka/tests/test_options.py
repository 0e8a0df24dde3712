"""All options are described, and the guide has them."""

from __future__ import annotations

from connector_kafka import KafkaTableFactory, UpsertKafkaTableFactory


def test_every_option_has_a_description() -> None:
    for factory in (KafkaTableFactory(), UpsertKafkaTableFactory()):
        for option in (*factory.required_options, *factory.optional_options):
            assert option.description.endswith((".", "`.")), option.key
