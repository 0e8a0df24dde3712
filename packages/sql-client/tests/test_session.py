"""The session of the client: commands, init scripts, options and statement sets."""

from __future__ import annotations

import pytest

from sql_client.failure import StatementFailed
from sql_client.script import Script
from sql_client.session import ClientSession
from table_common.exceptions import ValidationException


def test_the_defaults_are_the_embedded_engine_and_batch_mode(session: ClientSession) -> None:
    config = session.env.get_config()
    assert (config.get("table.planner"), config.get("execution.runtime-mode")) == ("arrow", "batch")


def test_a_wrong_option_opens_no_session() -> None:
    with pytest.raises(ValidationException):
        ClientSession.open({"sql-client.execution.result-mode": "pretty"})


@pytest.mark.parametrize("command", ["QUIT", "exit"])
def test_a_command_ends_the_script(session: ClientSession, command: str) -> None:
    assert session.run_script(Script(f"{command}; SELECT nope")) is False


def test_help_lists_the_commands(session: ClientSession, capsys: pytest.CaptureFixture[str]) -> None:
    assert session.run_script(Script("HELP")) is True
    assert "QUIT, EXIT" in capsys.readouterr().out


def test_the_first_failure_stops_a_script(session: ClientSession) -> None:
    with pytest.raises(StatementFailed) as raised:
        session.run_script(Script("CREATE TEMPORARY VIEW v AS SELECT 1 AS a; SELECT nope; DROP TEMPORARY VIEW v"))
    assert raised.value.statement.text.strip() == "SELECT nope"
    assert session.env.list_views() == ["v"]


def test_an_init_script_shows_nothing(session: ClientSession, capsys: pytest.CaptureFixture[str]) -> None:
    session.prepare(Script("SET 'table.local-time-zone' = 'UTC'; CREATE TEMPORARY VIEW v AS SELECT 1 AS a"))
    assert capsys.readouterr().out == ""
    assert session.env.list_views() == ["v"]


def test_an_init_script_has_no_queries(session: ClientSession) -> None:
    with pytest.raises(StatementFailed) as raised:
        session.prepare(Script("SELECT 1"))
    assert "cannot have SELECT statements" in str(raised.value.error)
    assert "an init script may contain ADD, ALTER" in (getattr(raised.value.error, "hint", None) or "")


def test_echo_repeats_statements_unless_results_are_data(session: ClientSession, capsys: pytest.CaptureFixture[str]) -> None:
    session.run_script(Script("SELECT 1 AS a"), echo=True)
    session.run_script(Script("SET 'sql-client.execution.result-mode' = 'csv'"))
    session.run_script(Script("SELECT 2 AS a"), echo=True)
    output = capsys.readouterr().out
    assert "> SELECT 1 AS a;" in output
    assert "> SELECT 2 AS a;" not in output


def test_an_open_statement_set_fails_at_the_end(session: ClientSession) -> None:
    session.run_script(Script("BEGIN STATEMENT SET"))
    with pytest.raises(StatementFailed) as raised:
        session.check_ended()
    assert "END is missing" in str(raised.value.error)
    session.check_ended()
