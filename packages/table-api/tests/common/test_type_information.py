"""The types of data streams are SQL types."""

from __future__ import annotations

import pytest

from table_api.common import Types
from table_common.exceptions import ValidationException

EXPECTED = {
    "STRING": "STRING",
    "BOOLEAN": "BOOLEAN",
    "BYTE": "TINYINT",
    "SHORT": "SMALLINT",
    "INT": "INT",
    "LONG": "BIGINT",
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "CHAR": "CHAR(1)",
    "BIG_INT": "DECIMAL(38, 0)",
    "BIG_DEC": "DECIMAL(38, 18)",
    "INSTANT": "TIMESTAMP_LTZ(9)",
    "SQL_DATE": "DATE",
    "SQL_TIME": "TIME(0)",
    "SQL_TIMESTAMP": "TIMESTAMP(9)",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_simple_types(name: str) -> None:
    assert str(getattr(Types, name)()) == EXPECTED[name]


def test_types_of_other_types() -> None:
    assert str(Types.ROW([Types.INT(), Types.STRING()])) == str(Types.TUPLE([Types.INT(), Types.STRING()])) == "ROW<`f0` INT, `f1` STRING>"
    assert str(Types.ROW_NAMED(["a"], [Types.INT()])) == "ROW<`a` INT>"
    assert str(Types.MAP(Types.STRING(), Types.LIST(Types.INT()))) == "MAP<STRING, ARRAY<INT>>"
    assert str(Types.PRIMITIVE_ARRAY(Types.BYTE())) == "BYTES"
    assert str(Types.PRIMITIVE_ARRAY(Types.INT())) == "ARRAY<INT NOT NULL>"
    assert Types.BASIC_ARRAY(Types.INT()) == Types.OBJECT_ARRAY(Types.INT())


def test_what_has_no_sql_type_is_refused() -> None:
    with pytest.raises(ValidationException, match=r"no SQL type.*\n.*ROW_NAMED"):
        Types.PICKLED_BYTE_ARRAY()
    with pytest.raises(ValidationException, match="has 2 names, but 1 types"):
        Types.ROW_NAMED(["a", "b"], [Types.INT()])
