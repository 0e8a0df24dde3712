from __future__ import annotations

from connector_postgres_cdc import PostgresCdcTableFactory


def test_every_option_has_a_description() -> None:
    factory = PostgresCdcTableFactory()
    for option in (*factory.required_options, *factory.optional_options):
        assert option.description.endswith("."), option.key
