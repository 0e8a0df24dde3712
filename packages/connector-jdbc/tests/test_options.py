"""Each option says what it does."""

from __future__ import annotations

from connector_jdbc import JdbcTableFactory
from connector_jdbc.options import WITHOUT_EFFECT


def test_each_option_has_a_description() -> None:
    factory = JdbcTableFactory()
    ours = [option for option in (*factory.required_options, *factory.optional_options) if not option.key.startswith("lookup.")]
    assert [option.key for option in ours if not option.description] == []
    assert all("not used" in option.description for option in WITHOUT_EFFECT)
