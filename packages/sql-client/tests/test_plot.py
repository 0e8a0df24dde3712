from __future__ import annotations

import pytest

from sql_client.plot import number_of, plotted
from sql_client.session import ClientSession
from table_common.exceptions import ValidationException


def test_a_plot_of_one_point_and_of_none() -> None:
    assert "*" in plotted([(1.0, 1.0)], braille=False)
    assert plotted([(float("nan"), 1.0)]) == "There are no points to draw: all values are NULL or not finite."


def test_a_plot_is_not_wider_than_it_may_be() -> None:
    assert max(map(len, plotted([(0, 0), (5, 5)], width=30, height=6).splitlines())) <= 30


@pytest.mark.parametrize(
    ("column", "message"), [("nope", "Column 'nope' does not exist"), ("s", "Column 's' of the type CHAR.1. cannot be drawn")]
)
def test_columns_that_are_no_numbers_are_refused(session: ClientSession, column: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        number_of(session.env.sql_query("SELECT 'x' AS s, 1 AS n"), column)
