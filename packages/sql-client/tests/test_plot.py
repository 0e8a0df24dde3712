from __future__ import annotations

import pytest

from sql_client.commands import run_prompt_command
from sql_client.plot import plotted
from sql_client.plot_axis import axis_of
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
        axis_of(session.env.sql_query("SELECT 'x' AS s, 1 AS n"), column)


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        ("DATE '2013-01-31'", ["2013-01-31", "2013-02-28"]),
        ("DATE '0001-01-01'", ["0001-01-01", "0001-01-29"]),
        ("TIMESTAMP '2013-01-31 23:30:00'", ["2013-01-31", "2013-02-28"]),
        ("CAST(TIMESTAMP '2013-01-31 23:30:00' AS TIMESTAMP_LTZ(3))", ["2013-01-31", "2013-02-28"]),
    ],
)
def test_dates_and_timestamps_are_labeled_as_dates(
    session: ClientSession, column: str, labels: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_prompt_command(session, rf"\plot x y SELECT {column} + n * INTERVAL '28' DAY AS x, n AS y FROM (VALUES 0, 1) AS t (n)")
    assert capfd.readouterr().out.rstrip().splitlines()[-1].split() == labels


def test_an_axis_of_days_can_be_the_vertical_one(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_prompt_command(session, r"\plot n d SELECT DATE '2013-01-01' + n * INTERVAL '28' DAY AS d, n FROM (VALUES 0, 1) AS t (n)")
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith("2013-01-29 |")
    assert lines[-4].startswith("2013-01-01 |")


def test_times_of_day_are_labeled_as_such(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_prompt_command(session, r"\plot x x SELECT TIME '08:15:00' + n * INTERVAL '6' HOUR AS x FROM (VALUES 0, 1) AS t (n)")
    assert capfd.readouterr().out.rstrip().splitlines()[-1].split() == ["08:15", "14:15"]
