"""``BEGIN STATEMENT SET; INSERT …; END;`` wherever the client takes statements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sql_client.repl import handle
from sql_client.session import ClientSession

Client = Callable[..., Any]
SET = ["BEGIN STATEMENT SET", "INSERT INTO a VALUES (1)", "INSERT INTO b VALUES (2), (3)", "END"]


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return "".join(
        f"CREATE TABLE {name} (x INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{name}');\n" for name in "ab"
    )


def rows(name: str) -> list[str]:
    return sorted(line for file in Path(name).glob("*.csv") for line in file.read_text().split()) if Path(name).exists() else []


def test_a_script_runs_a_statement_set_as_one_job(client: Client, tables: str) -> None:
    Path("script.sql").write_text(tables + ";\n".join(SET) + ";")
    outcome = client("-q", "-f", "script.sql")
    assert (outcome.code, outcome.err) == (0, "")
    assert "[INFO] Begin a statement set.\n\n[INFO] Added to the statement set.\n\n[INFO] Added to the statement set.\n\n+--" in outcome.out
    assert outcome.out.count("1 row in set") == 1
    assert (rows("a"), rows("b")) == (["1"], ["2", "3"])


def test_standard_input_may_have_a_statement_set(client: Client, tables: str) -> None:
    assert client(stdin=tables + ";\n".join(SET)).code == 0
    assert (rows("a"), rows("b")) == (["1"], ["2", "3"])


def test_statements_of_the_command_line_may_be_a_statement_set(client: Client, tables: str) -> None:
    assert client("-e", tables, *(part for text in SET for part in ("-e", text))).code == 0
    assert (rows("a"), rows("b")) == (["1"], ["2", "3"])


def test_the_prompt_collects_a_statement_set(session: ClientSession, tables: str) -> None:
    for text in (tables, *SET):
        assert handle(session, f"{text};")
    assert (rows("a"), rows("b")) == (["1"], ["2", "3"])


def test_results_for_programs_have_no_confirmations(client: Client, tables: str) -> None:
    assert client("--result-mode", "csv", "-e", tables + ";".join(SET)).out.count("\n") == 2


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (SET[:2], "END is missing, so none of the 1 INSERT statements of this set ran."),
        ([*SET[:2], "SELECT 1"], "A statement set accepts INSERT statements only, not SELECT."),
        ([SET[0], SET[0]], "A statement set is open already."),
        (["END"], "There is no statement set to end."),
        ([SET[0], "INSERT INTO nowhere VALUES (1)"], "'nowhere' does not exist"),
    ],
)
def test_a_wrong_statement_set_fails_and_runs_nothing(client: Client, tables: str, statements: list[str], message: str) -> None:
    Path("script.sql").write_text(tables + ";\n".join(statements) + ";")
    outcome = client("-q", "-f", "script.sql")
    assert outcome.code == 1
    assert message in outcome.err
    assert rows("a") == []


def test_an_empty_statement_set_runs_nothing(client: Client) -> None:
    outcome = client("-e", "BEGIN STATEMENT SET; END;")
    assert (outcome.code, outcome.out) == (0, "[INFO] Begin a statement set.\n\n[INFO] The statement set is empty: nothing runs.\n\n")
