from __future__ import annotations

from log_tables import captured, decoder

from connector_postgres_cdc.rows import METADATA


def test_names_are_quoted() -> None:
    assert captured('a"b').sql == '"public"."a""b"'
    assert captured().where == "PostgreSQL's table 'public.t'"


def test_the_schema_ends_with_the_row_kinds() -> None:
    shape = decoder(upsert=True, metadata=tuple(METADATA))._shape
    assert shape.schema.names == ["id", "s", *METADATA, "$row_kind"]
    assert shape.schema.field("op_ts").nullable, "a deletion may have its key only"
    assert [field.name for field in shape.fields] == ["id", "s"]
