"""Tests for table_common.catalog.column."""

from __future__ import annotations

from table_common.catalog import Column
from table_common.expressions import FieldReferenceExpression
from table_common.types import DataTypes, TimestampType

TIME = FieldReferenceExpression("ts", TimestampType(3), 0, 0)


def test_columns_have_constructors_and_getters() -> None:
    column = Column.physical("id", DataTypes.INT())
    assert (column.get_name(), column.get_data_type(), column.get_comment()) == ("id", DataTypes.INT(), None)
    assert (column.is_physical(), column.is_persisted(), column.explain_extras()) == (True, True, None)
    assert column.with_comment("key").get_comment() == "key"
    assert column.copy(DataTypes.BIGINT()).as_summary_string() == "`id` BIGINT"
    assert column.rename("key").as_summary_string() == "`key` INT"


def test_computed_and_metadata_columns_say_what_they_are() -> None:
    computed = Column.computed("copy", TIME)
    assert (computed.get_expression(), computed.is_physical(), computed.is_persisted()) == (TIME, False, False)
    assert computed.as_summary_string() == "`copy` TIMESTAMP(3) AS `ts`"
    metadata = Column.metadata("position", DataTypes.BIGINT(), "offset", True)
    assert (metadata.get_metadata_key(), metadata.is_virtual(), metadata.is_persisted()) == ("offset", True, False)
    assert metadata.as_summary_string() == "`position` BIGINT METADATA FROM 'offset' VIRTUAL"
