from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Client = Callable[..., Any]
ONE = "+---+\n| a |\n+---+\n| 1 |\n+---+\n1 row in set\n\n"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | bytes], str]:
    """Writes a script into the current directory and returns its name."""
    monkeypatch.chdir(tmp_path)
    numbers = iter(range(10))

    def write(text: str | bytes) -> str:
        path = Path(f"script{next(numbers)}.sql")
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write


def test_statements_of_the_command_line_are_not_repeated(client: Client) -> None:
    assert client("-e", "SELECT 1 AS a; SHOW TABLES") == (0, ONE + "Empty set\n\n", "")


def test_statements_of_a_script_are_repeated_before_their_results(client: Client, script: Any) -> None:
    assert client("-f", script("SELECT 1\n  AS a;")) == (0, "> SELECT 1\n  AS a;\n" + ONE, "")


def test_quiet_repeats_nothing(client: Client, script: Any) -> None:
    assert client("-q", "-f", script("SELECT 1 AS a;")) == (0, ONE, "")


def test_a_statement_without_rows_is_confirmed(client: Client) -> None:
    assert client("-e", "CREATE TEMPORARY VIEW v AS SELECT 1").out == "[INFO] Execute statement succeeded.\n\n"


def test_the_last_statement_needs_no_semicolon(client: Client, script: Any) -> None:
    assert client("-q", "-f", script("SELECT 2 AS a;\nSELECT 1 AS a")).out.endswith(ONE)


@pytest.mark.parametrize("arguments", [(), ("-f", "-")])
def test_standard_input_is_a_script(client: Client, arguments: tuple[str, ...]) -> None:
    assert client(*arguments, stdin="SELECT 1 AS a;") == (0, "> SELECT 1 AS a;\n" + ONE, "")


def test_scripts_and_statements_run_in_the_order_given_in_one_session(client: Client, script: Any) -> None:
    define = script("CREATE TEMPORARY VIEW v AS SELECT 1 AS a;")
    outcome = client("-q", "--result-mode", "csv", "-e", "SELECT 2 AS b", "-f", define, "-e", "SELECT * FROM v")
    assert outcome == (0, "b\n2\n\na\n1\n", "")


def test_an_init_script_prepares_silently(client: Client, script: Any) -> None:
    assert client("-i", script("CREATE TEMPORARY VIEW v AS SELECT 1 AS a;"), "-e", "SELECT * FROM v") == (0, ONE, "")


def test_an_init_script_cannot_query(client: Client, script: Any) -> None:
    outcome = client("-i", script("SET 'a' = 'b';\nSELECT 1;"), "-e", "SELECT 2")
    assert (outcome.code, outcome.out) == (1, "")
    assert "script0.sql, line 2: this statement failed:\n\n  SELECT 1\n" in outcome.err
    assert "it cannot have SELECT statements" in outcome.err


@pytest.mark.parametrize("word", ["QUIT", "exit", "Quit"])
def test_quit_ends_a_script_and_the_client(client: Client, script: Any, word: str) -> None:
    assert client("-q", "-f", script(f"SELECT 1 AS a;\n{word};\nSELECT nonsense;"), "-e", "SELECT 2") == (0, ONE, "")


def test_help_is_a_word_of_scripts_too(client: Client) -> None:
    assert "ends with a semicolon" in client("-e", "HELP;").out


def test_a_failing_statement_is_shown_with_its_lines_and_its_place_in_the_script(client: Client, script: Any) -> None:
    name = script(
        "-- first\nCREATE TEMPORARY VIEW v AS SELECT 1 AS x;\n\nSELECT x\nFROM v\nWHERE x > 1\n  AND FROM x;\nSELECT 'not reached';\n"
    )
    outcome = client("-q", "-f", name)
    assert outcome.code == 1
    assert "not reached" not in outcome.out
    assert outcome.err == (
        "script0.sql, lines 4 to 7: this statement failed:\n\n"
        "    4  SELECT x\n    5  FROM v\n    6  WHERE x > 1\n    7    AND FROM x\n\n"
        "[SqlParserException] Unexpected 'FROM', expected an expression.\n"
        "at line 7, column 7:\n    AND FROM x;\n        ^^^^\n"
    )


def test_a_position_after_another_statement_is_relative_to_the_line(client: Client, script: Any) -> None:
    assert (
        "at line 1, column 18:\n  SELECT 1; SELECT nope;\n                   ^^^^\n"
        in client("-q", "-f", script("SELECT 1; SELECT nope;")).err
    )


def test_the_error_of_a_statement_of_the_command_line_names_no_file(client: Client) -> None:
    assert client("-e", "SELECT nope").err.startswith("This statement failed:\n\n  SELECT nope\n\n[ValidationException] ")


def test_a_statement_that_is_not_closed_fails(client: Client, script: Any) -> None:
    outcome = client("-q", "-f", script("SELECT 1 AS a;\nSELECT 'abc"))
    assert (outcome.code, outcome.out) == (1, ONE)
    assert "script0.sql, line 2" in outcome.err
    assert "is not closed" in outcome.err


def test_a_failure_while_running_is_a_failure(client: Client) -> None:
    outcome = client("-e", "SELECT 1 / x FROM (VALUES (1), (0)) AS t (x)")
    assert (outcome.code, outcome.out) == (1, "")
    assert "[TableRuntimeException] Division by zero" in outcome.err


def test_a_failing_insert_is_reported_once(client: Client, tmp_path: Path) -> None:
    define = f"CREATE TABLE t (x INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 't'}')"
    outcome = client("-e", define, "-e", "INSERT INTO t SELECT 1 / x FROM (VALUES (0)) AS v (x)")
    assert outcome.code == 1
    assert outcome.err.count("Division by zero") == 1


def test_verbose_shows_where_an_error_came_from(client: Client) -> None:
    assert "Traceback (most recent call last)" in client("-v", "-e", "SELECT nope").err


def test_an_unexpected_error_is_called_a_bug(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("table_api.TableEnvironment.execute_sql", fail)
    outcome = client("-e", "SELECT 1")
    assert outcome.code == 1
    assert "[ZeroDivisionError] oops\nhint: This is an internal error; please report it" in outcome.err


def test_a_byte_order_mark_and_crlf_are_accepted(client: Client, script: Any) -> None:
    assert client("-q", "-f", script(b"\xef\xbb\xbfSELECT\r\n 1 AS a;\r\n")) == (0, ONE, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-f", "nowhere.sql"), "cannot read the script 'nowhere.sql': No such file or directory"),
        (("-f", "."), "cannot read the script '.': Is a directory"),
        (("-e", "SELECT 1", "--planner", "arow"), "No planner 'arow' is installed. Did you mean 'arrow'?"),
        (("-e", "SELECT 1", "-D", "key"), "-D needs KEY=VALUE, but got 'key'"),
        (("-e", "SELECT 1", "-D", "table.exec.timeout=soon"), "Option 'table.exec.timeout' takes a duration"),
        (("-e", "SELECT 1", "-D", "sql-client.execution.result-mode=pdf"), "takes one of 'tableau'"),
        (("--bad",), "unrecognized arguments: --bad\n"),
        (("a.sql",), "unrecognized arguments: a.sql; use -f for a script"),
        (("--mode", "fast"), "invalid choice: 'fast'"),
        (("-j", "udf.jar", "-e", "SELECT 1"), "-j udf.jar: jars are not supported"),
    ],
)
def test_wrong_options_have_exit_code_2_and_a_message(client: Client, script: Any, arguments: tuple[str, ...], message: str) -> None:
    outcome = client(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_a_script_that_is_not_utf_8_is_refused_with_the_line(client: Client, script: Any) -> None:
    outcome = client("-f", script(b"SELECT 1;\nSELECT 'caf\xe9';"))
    assert (outcome.code, outcome.out) == (2, "")
    assert "it is not UTF-8 text: line 2 has the byte 0xe9" in outcome.err


def test_no_statement_runs_if_a_later_script_cannot_be_read(client: Client, script: Any) -> None:
    assert client("-e", "SELECT 1", "-f", "nowhere.sql").out == ""


def test_an_interruption_has_exit_code_130(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("table_api.TableEnvironment.execute_sql", interrupt)
    outcome = client("-e", "SELECT 1")
    assert (outcome.code, outcome.err) == (130, "\nInterrupted.\n")


def test_options_of_the_command_line_are_those_of_the_session(client: Client) -> None:
    outcome = client(
        "-D", "table.display.max-column-width=5", "-D", "a=b", "--mode", "streaming", "-q", "--result-mode", "csv", "-e", "SET"
    )
    assert outcome.out == (
        "key,value\na,b\nexecution.runtime-mode,streaming\nsql-client.execution.result-mode,csv\n"
        "table.display.max-column-width,5\ntable.planner,arrow\n"
    )


def test_reset_restores_the_options_of_the_command_line(client: Client) -> None:
    outcome = client("-D", "pipeline.name=b", "-e", "SET 'pipeline.name' = 'c'; RESET; SET 'sql-client.execution.result-mode' = 'csv'; SET")
    assert "pipeline.name,b\n" in outcome.out


def test_an_unknown_option_causes_one_warning(client: Client) -> None:
    outcome = client("-D", "table.dml-snyc=true", "-e", "SET 'table.dml-snyc' = 'false'; SELECT 1")
    assert (outcome.code, outcome.err) == (
        0,
        "[WARN] The option 'table.dml-snyc' is not known and has no effect; did you mean 'table.dml-sync'?\n",
    )


def test_python_files_of_the_command_line_can_be_imported(client: Client, tmp_path: Path) -> None:
    (tmp_path / "functions_of_client.py").write_text(
        "from table_api.udf import ScalarFunction\n\nclass Twice(ScalarFunction):\n    def eval(self, x: int) -> int:\n        return 2 * x\n"
    )
    define = f"python.files={tmp_path / 'functions_of_client.py'}"
    outcome = client("-D", define, "-e", "CREATE FUNCTION twice AS 'functions_of_client.Twice' LANGUAGE PYTHON; SELECT twice(21) AS n")
    assert (outcome.code, "42" in outcome.out) == (0, True)


def test_the_python_options_of_flinks_client(client: Client, tmp_path: Path) -> None:
    (tmp_path / "functions_of_flag.py").write_text(
        "from table_api.udf import ScalarFunction\n\nclass Twice(ScalarFunction):\n    def eval(self, x: int) -> int:\n        return 2 * x\n"
    )
    statements = "CREATE FUNCTION twice AS 'functions_of_flag.Twice' LANGUAGE PYTHON; SELECT twice(21) AS n"
    outcome = client("-pyfs", str(tmp_path / "functions_of_flag.py"), "-e", statements)
    assert (outcome.code, "42" in outcome.out) == (0, True)
    assert (
        client("--pyFiles", str(tmp_path / "functions_of_flag.py"), "-q", "--result-mode", "csv", "-e", "SET").out.count("python.files")
        == 1
    )


def test_a_script_goes_on_after_an_error_if_asked_to(client: Client, script: Any) -> None:
    outcome = client("-q", "--continue-on-error", "-f", script("SELECT nope;\nSELECT 1 AS a;\nSELECT neither;"))
    assert (outcome.code, outcome.out) == (1, ONE)
    assert "script0.sql, line 1: this statement failed" in outcome.err
    assert "script0.sql, line 3: this statement failed" in outcome.err


def test_a_start_up_script_of_the_environment(client: Client, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQL_CLIENT_INIT", script("CREATE TEMPORARY VIEW v AS SELECT 1 AS a;"))
    assert client("-e", "SELECT * FROM v") == (0, ONE, "")


def test_long_text_is_cut_to_the_column_width(client: Client) -> None:
    assert "| abcde... |" in client("-D", "table.display.max-column-width=8", "-e", "SELECT 'abcdefghijkl' AS a").out


def test_an_invalid_value_of_a_client_option_is_refused_when_it_is_set(client: Client) -> None:
    outcome = client("-e", "SET 'sql-client.execution.result-mode' = 'pdf'; SELECT 1")
    assert (outcome.code, outcome.out) == (1, "")
    assert "takes one of 'tableau', 'table', 'changelog', 'csv', 'json', 'parquet', but got 'pdf'" in outcome.err


def test_an_unknown_option_of_the_client_causes_a_warning(client: Client) -> None:
    outcome = client("-e", "SET 'sql-client.display.color-schema' = 'DARK'")
    assert outcome.code == 0
    assert outcome.err.startswith("[WARN] The option 'sql-client.display.color-schema' is unknown to this client and has no effect")


def test_the_version_is_shown(client: Client) -> None:
    assert client("--version").out.startswith("sql-client 0.")
