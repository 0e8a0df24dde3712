from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from sql_client.completion import SqlCompleter
from sql_client.repl import handle, is_complete, open_history, run_prompt
from sql_client.session import ClientSession

CTRL_C, CTRL_D, ENTER, UP = "\x03", "\x04", "\r", "\x1b[A"


@pytest.fixture
def keyboard() -> Iterator[PipeInput]:
    with create_pipe_input() as pipe:
        yield pipe


def _type(session: ClientSession, keyboard: PipeInput, history: Path, keys: str) -> int:
    keyboard.send_text(keys)
    return run_prompt(session, str(history), terminal_input=keyboard, terminal_output=DummyOutput())


@pytest.mark.parametrize(
    "text",
    ["", "  \n", "SELECT 1;", "SELECT 1; -- done", "SELECT\n1 ;\n", "SELECT ';';", "quit", " HELP ", "CLEAR;", 'SELECT "a";', "SELECT @a;"],
)
def test_enter_runs_a_complete_statement(text: str) -> None:
    assert is_complete(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "SELECT 1; SELECT",
        "SELECT ';",
        "SELECT 1 -- ;",
        "SELECT 1 /* ;",
        "SELECT `a;",
        'SELECT "a;',
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;",
    ],
)
def test_enter_begins_a_new_line_in_an_incomplete_statement(text: str) -> None:
    assert not is_complete(text)


def test_a_statement_over_several_lines_runs(
    session: ClientSession, keyboard: PipeInput, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _type(session, keyboard, tmp_path / "history", f"SELECT 1{ENTER}AS a;{ENTER}quit{ENTER}") == 0
    assert "| a |\n+---+\n| 1 |" in capfd.readouterr().out


def test_an_error_does_not_end_the_prompt(
    session: ClientSession, keyboard: PipeInput, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _type(session, keyboard, tmp_path / "history", f"SELECT nope;{ENTER}SELECT 7 AS a;{ENTER}{CTRL_D}") == 0
    captured = capfd.readouterr()
    assert "Column 'nope' does not exist" in captured.err
    assert "| 7 |" in captured.out


def test_ctrl_c_clears_the_input(session: ClientSession, keyboard: PipeInput, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _type(session, keyboard, tmp_path / "history", f"SELECT nonsense{CTRL_C}SELECT 7 AS a;{ENTER}{CTRL_D}")
    captured = capfd.readouterr()
    assert captured.err == ""
    assert "| 7 |" in captured.out


def test_the_history_outlives_the_prompt(session: ClientSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    history = tmp_path / "folder" / "history"
    for keys in (f"SELECT 7{ENTER}AS a;{ENTER}{CTRL_D}", f"{UP}{ENTER}{CTRL_D}"):
        with create_pipe_input() as keyboard:
            _type(session, keyboard, history, keys)
    assert capfd.readouterr().out.count("| 7 |") == 2


def test_only_the_user_can_read_the_history(tmp_path: Path) -> None:
    assert isinstance(open_history(str(tmp_path / "history")), FileHistory)
    assert stat.S_IMODE((tmp_path / "history").stat().st_mode) == 0o600


def test_the_permissions_of_an_existing_history_are_restricted(tmp_path: Path) -> None:
    (tmp_path / "history").touch(0o644)
    open_history(str(tmp_path / "history"))
    assert stat.S_IMODE((tmp_path / "history").stat().st_mode) == 0o600


def test_secrets_of_a_statement_are_not_kept_in_the_history(tmp_path: Path) -> None:
    open_history(str(tmp_path / "history")).append_string("SET 'password' = 'hunter2Zq';")
    assert "SET 'password' = '******';" in (tmp_path / "history").read_text()


def test_the_history_is_in_the_state_folder_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    open_history(None)
    assert (tmp_path / "sql-client" / "history").exists()


def test_a_history_that_cannot_be_written_is_kept_in_memory_with_a_warning(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert isinstance(open_history(str(tmp_path / "file" / "history")), InMemoryHistory)
    assert "[WARN] The history is not saved" in capfd.readouterr().err


def test_of_several_statements_the_one_that_failed_is_shown(session: ClientSession, capfd: pytest.CaptureFixture[str]) -> None:
    assert handle(session, "SELECT 1;\nSELECT nope;")
    assert "This statement failed:\n\n  SELECT nope\n" in capfd.readouterr().err


def test_an_unexpected_error_does_not_end_the_prompt(
    session: ClientSession, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("table_api.TableEnvironment.execute_sql", fail)
    assert handle(session, "SELECT 1;")
    assert "This is an internal error" in capfd.readouterr().err


def test_a_cancelled_statement_does_not_end_the_prompt(
    session: ClientSession, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("table_api.TableEnvironment.execute_sql", interrupt)
    assert handle(session, "SELECT 1;")
    assert capfd.readouterr().err == "Cancelled.\n\n"


def _completed(session: ClientSession, marked: str) -> list[str]:
    """Returns the texts that completion at | leads to."""
    position = marked.index("|")
    text = marked.replace("|", "")
    found = SqlCompleter(session.env).get_completions(Document(text, position), CompleteEvent())
    return [text[: position + hint.start_position] + hint.text + text[position:] for hint in found]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("SEL|", ["SELECT"]),
        ("qu|", ["QUIT"]),
        ("SELECT * FROM fli|", ["SELECT * FROM flights"]),
        ("SELECT tail| FROM flights", ["SELECT tailnum FROM flights"]),
        ("SELECT f.| FROM flights f", ["SELECT f.`year` FROM flights f", "SELECT f.tailnum FROM flights f"]),
        ("SELECT `yea| FROM flights", ["SELECT `year` FROM flights", "SELECT YEAR FROM flights"]),
        ("SELECT `year` FROM fli|", ["SELECT `year` FROM flights"]),
        ("SELECT 'it|", []),
        ("SELECT FLO| FROM flights", ["SELECT FLOOR FROM flights"]),
        ("WITH w AS (SELECT 1 AS width) SELECT wid| FROM w", ["WITH w AS (SELECT 1 AS width) SELECT width FROM w"]),
        ("WITH wide AS (SELECT 1 AS a) SELECT * FROM wi|", ["WITH wide AS (SELECT 1 AS a) SELECT * FROM wide"]),
        ("SELECT d.| FROM (SELECT 1 AS a) AS d", ["SELECT d.a FROM (SELECT 1 AS a) AS d"]),
        ("SET 'table.exec.time|", ["SET 'table.exec.timeout"]),
        ("SET 'sql-client.verb|", ["SET 'sql-client.verbose"]),
        (
            "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'pat|",
            ["CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path"],
        ),
        ("USE CATALOG def|", ["USE CATALOG default_catalog"]),
        (r"\tim|", [r"\timing"]),
        (r"\d fli|", [r"\d flights"]),
    ],
)
def test_completion_replaces_the_word_before_the_cursor(session: ClientSession, marked: str, expected: list[str]) -> None:
    session.env.execute_sql("CREATE TEMPORARY VIEW flights AS SELECT 'N1' AS tailnum, 2013 AS `year`")
    assert _completed(session, marked) == expected


def test_completion_takes_less_than_50_ms_with_1000_tables(session: ClientSession) -> None:
    for number in range(1_000):
        session.env.execute_sql(f"CREATE TABLE table_{number} (a INT, b STRING) WITH ('connector' = 'datagen')")
    assert len(_completed(session, "SELECT * FROM table_9|")) == 111  # also loads what completion needs
    for marked in ("SELECT * FROM table_9|", "SELECT | FROM table_1, table_2", "SELECT * FROM table_1 AS t WHERE t.|", "SET '|"):
        assert min(_seconds(session, marked) for _ in range(10)) < 0.05


def _seconds(session: ClientSession, marked: str) -> float:
    started = time.process_time()
    assert _completed(session, marked)
    return time.process_time() - started
