from __future__ import annotations

from pathlib import Path

import pytest

from sql_client.commands import COMMANDS, is_prompt_command
from sql_client.failure import StatementFailed
from sql_client.repl import is_complete
from sql_client.script import Script
from sql_client.session import ClientSession


def _run(session: ClientSession, *lines: str) -> bool:
    ends = [session.run_script(Script(line)) for line in lines]
    return all(ends)


@pytest.mark.parametrize("text", [r"\d", r"\d flights", ".tables", r" \? ", r"\foo"])
def test_a_line_with_a_backslash_or_a_dot_is_a_command_and_needs_no_semicolon(text: str) -> None:
    assert is_prompt_command(text)
    assert is_complete(text)


@pytest.mark.parametrize("text", ["SELECT 1", ".5", "\\d\nSELECT", "SELECT '\\d'"])
def test_other_text_is_none(text: str) -> None:
    assert not is_prompt_command(text)


def test_tables_are_listed_and_described(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    _run(session, "CREATE TEMPORARY VIEW flights AS SELECT 1 AS delay;", ".tables", r"\d flights")
    out = capfd.readouterr().out
    assert "|    flights |" in out
    assert "| delay |  INT |" in out


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (r"\tming", r"The command '\tming' does not exist. Did you mean '\timing'?"),
        (".tabels", "The command '.tabels' does not exist. Did you mean '.tables'?"),
        (r"\ddl", r"The command needs an argument: \ddl TABLE"),
        (r"\x maybe", "'maybe' is neither on nor off."),
        (r"\plot a", "A plot needs two columns and a table or query."),
        (r"\plot SELECT a, b FROM t", "A plot needs two columns and a table or query."),
        (r"\i nowhere.sql", "The script 'nowhere.sql' cannot be read: No such file or directory"),
        (r"\o /nowhere/x.csv", "The file '/nowhere/x.csv' cannot be written: No such file or directory."),
        (r"\mode pdf", "takes one of 'tableau'"),
    ],
)
def test_wrong_commands_have_a_message(session: ClientSession, written: str, message: str) -> None:
    with pytest.raises(StatementFailed) as failure:
        _run(session, written)
    assert message in failure.value.reason


def test_rows_are_shown_as_records(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    _run(session, r"\x on", "SELECT 1 AS a, 'x\ny' AS long;")
    assert "-[ RECORD 1 ]\na    | 1\nlong | x\\ny\n1 row in set" in capfd.readouterr().out


def test_timing_is_switched(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    _run(session, r"\timing on", "SELECT 1;", r"\timing off", "SELECT 1;")
    out = capfd.readouterr().out
    assert out.count("1 row in set (") == 1


def test_results_are_written_to_a_file(session: ClientSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _run(session, rf"\o {tmp_path / 'x.csv'}", "SELECT 1 AS a;", r"\o", "SELECT 2 AS b;")
    assert (tmp_path / "x.csv").read_text() == "a\n1\n"
    assert "| b |" in capfd.readouterr().out


def test_the_extension_of_the_file_is_its_format(session: ClientSession, tmp_path: Path) -> None:
    _run(session, rf"\o {tmp_path / 'x.json'}", "SELECT 1 AS a;", rf"\o {tmp_path / 'x.parquet'}", "SELECT 1 AS a;", r"\o")
    assert (tmp_path / "x.json").read_text() == '{"a": 1}\n'
    assert (tmp_path / "x.parquet").read_bytes()[-4:] == b"PAR1"


def test_a_script_is_read(session: ClientSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.sql").write_text("SELECT 1 AS a;\nSELECT 2 AS b;\n")
    _run(session, rf"\i {tmp_path / 'a.sql'}")
    assert "| b |" in capfd.readouterr().out


def test_the_last_statement_is_edited(session: ClientSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "sed -i s/1/42/")
    _run(session, "SELECT 1 AS a;", r"\timing on", r"\e")
    assert session.next_input == "SELECT 42 AS a;"


def test_two_columns_are_drawn(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    _run(session, "CREATE TEMPORARY VIEW v AS SELECT * FROM (VALUES (DATE '2020-01-01', 1), (DATE '2020-01-02', 3)) AS t (d, n);")
    _run(session, r"\plot d n v", r"\plot n n SELECT n FROM v WHERE n > 1")
    assert " 3 |" in capfd.readouterr().out


def test_a_plan_is_shown(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    _run(session, r"\plan SELECT a FROM (VALUES (1), (2)) AS t (a) WHERE a > 1")
    out = capfd.readouterr().out
    assert "== Optimized Logical Plan ==" in out
    assert "Filter" in out


def test_a_table_is_summarized(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    _run(session, "SET 'sql-client.execution.result-mode' = 'csv';")
    _run(session, "CREATE TEMPORARY VIEW v AS SELECT * FROM (VALUES (1, 'it''s'), (3, CAST(NULL AS STRING))) AS t (n, s);", r"\summary v")
    assert capfd.readouterr().out == ("column,type,min,max,avg,distinct,nulls,rows\nn,INT,1,3,2.0,2,0,2\ns,STRING,it's,it's,,1,1,2\n")


def test_quit_ends_the_client(session: ClientSession) -> None:
    assert not _run(session, r"\q")


def test_every_command_is_in_the_help(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    _run(session, r"\?")
    out = capfd.readouterr().out
    assert all(command.usage in out for command in COMMANDS)
