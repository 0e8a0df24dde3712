from __future__ import annotations

from pathlib import Path

import pytest
from planted_errors import LedgerSuite

from table_common.exceptions import ValidationException
from table_testing.connector_case import ConnectorCase, read_rows, refused, same_rows


def test_the_row_type_is_that_of_the_declared_columns() -> None:
    assert LedgerSuite().row_type.field_names == ("id", "name", "amount", "is_new")


def test_a_source_reads_the_rows_of_its_table(tmp_path: Path) -> None:
    suite = LedgerSuite()
    source = suite.source(suite.create_table(tmp_path, suite.rows))
    assert same_rows(read_rows(source, suite.row_type), suite.rows)


def test_rows_are_the_same_in_any_order_but_not_in_any_number() -> None:
    assert same_rows([(1,), (2,)], [(2,), (1,)])
    assert not same_rows([(1,), (1,)], [(1,)])


def test_a_suite_without_create_table_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match="defines no create_table"):
        ConnectorCase().create_table(tmp_path, [])


def test_a_refusal_is_a_validation_exception() -> None:
    def refuse() -> None:
        raise ValidationException("no")

    assert refused(refuse).message == "no"
    with pytest.raises(AssertionError, match="nothing was refused"):
        refused(lambda: None)
