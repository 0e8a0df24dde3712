"""Runs statements on a table environment and prints their results."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self, TextIO, cast

from sql_client.commands import commands_help, is_prompt_command, run_prompt_command
from sql_client.failure import StatementFailed
from sql_client.help_text import HELP
from sql_client.open_set import OpenSet
from sql_client.options import DATA_MODES, MAX_ROWS, PRINT_TIME_COST, RESULT_MODE, VERBOSE, check_option
from sql_client.output_file import OutputFile
from sql_client.progress import ProgressLine, progress_line
from sql_client.rendering import Display, render
from sql_client.savepoints import stop_with_savepoints, wait_without_ending
from sql_client.script import Script, Statement
from sql_client.warning_text import print_warning
from table_api import EnvironmentSettings, ResultKind, TableEnvironment, TableResult
from table_api.delegation import ProgressListener
from table_api.operations.command import SetOptionOperation
from table_api.sql import parse_statement
from table_api.sql.ast import BeginStatementSet, EndStatementSet
from table_common.configuration import Configuration
from table_common.exceptions import TableError, ValidationException
from table_common.gate import Gate

_SET_WORDS = ("BEGIN", "END")
_COMMANDS = frozenset({"QUIT", "EXIT", "HELP", "CLEAR"})
_PREPARES = frozenset({"ADD", "ALTER", "CREATE", "DROP", "LOAD", "RESET", "SET", "UNLOAD", "USE"})
"""The first words of statements that an init script may contain, as in Flink."""


class ClientSession:
    """A table environment with the client's options and commands."""

    def __init__(self, env: TableEnvironment) -> None:
        self.env = env
        self._is_first_result = True
        self._open_set: OpenSet | None = None
        self._output: OutputFile | None = None
        self.expanded = "auto"
        self.last_statement = ""
        self.next_input = ""
        self.uses_pager = False
        self.continues_on_error = False
        self.failures = 0
        self._running: Statement | None = None
        self._unbounded: list[tuple[Statement | None, TableResult]] = []
        self.savepoints: str | None = None
        """The folder of the savepoints of jobs that Ctrl-C or SIGTERM ends; None: they end without."""

    @classmethod
    def open(cls, options: Mapping[str, str]) -> ClientSession:
        """Creates a session, by default on the embedded engine and in batch mode.

        Raises:
            ValidationException: the planner is not installed, or an option is wrong.
        """
        configuration = {"table.planner": "arrow", "execution.runtime-mode": "batch", **options}
        for key, value in configuration.items():
            check_option(key, value)
        settings = EnvironmentSettings.new_instance().with_configuration(Configuration(configuration)).build()
        return cls(TableEnvironment.create(settings))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._output is not None:
            self._output.close()
        self.env.close()

    def run_script(self, script: Script, *, echo: bool = False) -> bool:
        """Runs all statements in order, and stops at the first that fails; returns False if QUIT ended the client.

        With ``echo``, each statement is printed before its result, except in the result modes csv and json.

        Raises:
            StatementFailed: with the statement and its error, unless ``continues_on_error`` is set.
        """
        for statement in script.statements():
            if is_prompt_command(statement.text):
                if not self._run_prompt_command(statement):
                    return False
                continue
            if self._is_command(statement):
                if not self._command(statement.first_word):
                    return False
                continue
            self.last_statement = f"{statement.text.strip()};"
            shown = echo and self._display_mode() not in DATA_MODES
            if shown:
                print(f"> {statement.shown_text};", flush=True)
            try:
                self._run(statement, self._collect if self._open_set is not None or statement.first_word in _SET_WORDS else self._show)
            except StatementFailed as failure:
                if shown:
                    print(flush=True)
                if not self.continues_on_error:
                    raise
                self.failures += 1
                sys.stdout.flush()
                print(f"{failure}\n", file=sys.stderr)
        return True

    def prepare(self, script: Script) -> None:
        """Runs an init script, whose statements define objects and set options, without output.

        Raises:
            StatementFailed: with the statement and its error.
        """
        for statement in script.statements():
            if statement.first_word not in _PREPARES:
                error = ValidationException(
                    f"A script given with --init prepares the session; it cannot have {statement.first_word} statements.",
                    hint="run it with --file; an init script may contain " + ", ".join(sorted(_PREPARES)),
                )
                raise StatementFailed(statement, error)
            self._run(statement, self._execute_silently)

    # --- one statement -----------------------------------------------------------------------------------------------------------

    def check_ended(self) -> None:
        """Checks at the end of the input that no statement set is open.

        Raises:
            StatementFailed: END of a statement set is missing.
        """
        open_set, self._open_set = self._open_set, None
        if open_set is not None:
            raise StatementFailed(open_set.begin, open_set.not_ended())

    def _run(self, statement: Statement, execute: Callable[[Statement], None]) -> None:
        self._running = statement
        try:
            if statement.first_word == "SET":
                self._check_set(statement.text)
            execute(statement)
        except BrokenPipeError:  # the reader of the output is gone; the statement did not fail
            raise
        except Exception as error:  # including internal errors, which must not end the prompt
            raise StatementFailed(statement, error, verbose=self.is_verbose()) from error

    def _collect(self, statement: Statement) -> None:
        """Begins a statement set, adds to it, or runs it at its END."""
        open_set = self._open_set
        node = parse_statement(statement.text)
        if isinstance(node, BeginStatementSet):
            if open_set is not None:
                raise ValidationException("A statement set is open already.", hint="END; runs it")
            self._open_set = OpenSet(statement, self.env)
            self._confirm("Begin a statement set.")
        elif open_set is None:
            raise ValidationException("There is no statement set to end.", hint="BEGIN STATEMENT SET; INSERT …; END;")
        elif not isinstance(node, EndStatementSet):
            open_set.add(statement)
            self._confirm("Added to the statement set.")
        else:
            self._open_set = None
            if open_set.count:
                self._show_result(lambda listener: open_set.statements.execute(progress=listener))
            else:
                self._confirm("The statement set is empty: nothing runs.")

    def _confirm(self, text: str) -> None:
        if self._display_mode() not in DATA_MODES:
            print(f"[INFO] {text}\n", flush=True)

    def _show(self, statement: Statement) -> None:
        self._show_result(lambda listener: self.env.execute_sql(statement.text, progress=listener))

    def _show_result(self, execute: Callable[[ProgressListener], TableResult]) -> None:
        started = time.monotonic()
        with progress_line() as progress:
            result = execute(progress.listener)
            try:
                if result.is_unbounded and result.writes:
                    progress.clear()
                    self._submitted(result)
                elif self._output is not None and result.get_result_kind() is ResultKind.SUCCESS_WITH_CONTENT:
                    self._write_to_file(result, self._output, progress)
                elif self.uses_pager and not self.gate.restricts_code and self._display_mode() not in DATA_MODES:
                    self._show_pages(result, started, progress)
                else:
                    self._is_first_result &= not render(result, self._display(started, progress.clear), sys.stdout)
            except BaseException:
                client = result.get_job_client()
                if client is not None:
                    client.cancel()
                raise
        sys.stdout.flush()
        for warning in result.get_warnings():
            print_warning(warning)

    def _submitted(self, result: TableResult) -> None:
        client = result.get_job_client()
        assert client is not None
        self._unbounded.append((self._running, result))
        self._confirm(f"Job {client.job_id} runs until STOP JOB '{client.job_id}'; or the end of the client. SHOW JOBS; lists it.")

    def wait_for_jobs(self) -> None:
        """Waits for the unbounded INSERTs that a script has started.

        Raises:
            StatementFailed: one of them failed.
            KeyboardInterrupt: Ctrl-C was pressed; they end with a last commit.
        """
        for statement, result in self._unbounded:
            if self.savepoints is not None:
                wait_without_ending(result)
            try:
                result.wait()
            except TableError as error:
                if statement is None:
                    raise
                raise StatementFailed(statement, error, verbose=self.is_verbose()) from error

    def stop_jobs(self) -> None:
        """Stops the unbounded INSERTs with savepoints, if there is a folder for them. Others end when the session closes."""
        if self.savepoints is not None:
            stop_with_savepoints([result for _, result in self._unbounded], self.savepoints)

    def _write_to_file(self, result: TableResult, output: OutputFile, progress: ProgressLine) -> None:
        mode = output.mode or self._display_mode()
        render(result, Display(mode=mode, is_first=output.is_first_result, before_output=progress.clear), output.stream)
        output.is_first_result = False
        output.stream.flush()
        progress.clear()
        print(f"[INFO] Written to '{output.path}'.\n", flush=True)

    def _show_pages(self, result: TableResult, started: float, progress: ProgressLine) -> None:
        """Renders a result for a terminal, in the pager if it has more lines than that."""
        from sql_client.pager import PagedOutput, pager_command  # the prompt alone needs it

        command = pager_command()
        display = self._display(started, progress.clear)
        if display.mode == "table" and (result.is_unbounded or result.style.row_kinds) and result.get_job_client() is not None:
            from sql_client.rendering.live_result import rows_or_live_view  # the prompt alone needs it

            shown = rows_or_live_view(result, progress.clear)
            if shown is None:
                return
            result = shown
        if command is None or result.style.by_type:  # rows of a stream are shown when they come
            render(result, display, sys.stdout)
            return
        output = PagedOutput(command, sys.stdout, shutil.get_terminal_size().lines - 2)
        try:
            render(result, display, cast("TextIO", output))
        except BrokenPipeError:  # the user has left the pager
            client = result.get_job_client()
            if client is not None:
                client.cancel()
        finally:
            output.close()

    def _execute_silently(self, statement: Statement) -> None:
        with progress_line() as progress:
            self.env.execute_sql(statement.text, progress=progress.listener).wait()

    def _check_set(self, text: str) -> None:
        node = parse_statement(text)
        if isinstance(node, SetOptionOperation) and node.key is not None:
            check_option(node.key, node.value or "")

    # --- commands of the prompt -----------------------------------------------------------------------------------------------------

    def _run_prompt_command(self, statement: Statement) -> bool:
        try:
            return run_prompt_command(self, statement.text)
        except StatementFailed:
            raise
        except TableError as error:
            raise StatementFailed(statement, error, verbose=self.is_verbose()) from error

    def run_text(self, text: str) -> bool:
        """Runs statements; returns False if one of them ends the client."""
        last = self.last_statement
        try:
            return self.run_script(Script(text))
        finally:
            self.last_statement = last

    @property
    def gate(self) -> Gate:
        """Says which files the commands of the client may open, as restrictions of the session do for statements."""
        return Gate.of_session(self.env.get_config().get_configuration())

    def set_option(self, key: str, value: str | None) -> None:
        """Sets an option of the session; None resets it."""
        if value is None:
            self.env.execute_sql(f"RESET '{key}'")
            return
        check_option(key, value)
        self.env.get_config().set(key, value)

    def get_option(self, key: str) -> str | None:
        """Returns the text of an option, or None if it is not set."""
        return self.env.get_config().get_configuration().to_map().get(key)

    def write_to(self, path: str | None) -> None:
        """Writes the results that follow to a file; None shows them again.

        Raises:
            ValidationException: the file cannot be written.
        """
        opened = OutputFile(self.gate.path(path, r"The command \o")) if path is not None else None
        if self._output is not None:
            self._output.close()
        self._output = opened
        print(f"Results are {f'written to {opened.path}' if opened is not None else 'shown'}.\n")

    def summarize(self, table: str) -> None:
        """Shows a line per column of a table or query.

        Raises:
            TableError: the table does not exist, or the query is wrong.
        """
        described = self.env.sql_query(table if " " in table else f"SELECT * FROM {table}").describe()
        self._show_result(lambda listener: described.execute())

    def plot(self, x: str, y: str, source: str, file: str | None = None) -> None:
        """Draws two columns of a table or query on the terminal, or as a PNG image into a file.

        Raises:
            TableError: the query is wrong or fails, or the file cannot be written.
        """
        from sql_client.plot import PLOTTED_ROWS, plotted
        from sql_client.plot_axis import axis_of

        query = source if " " in source else f"SELECT * FROM {source}"
        table = self.env.sql_query(query)
        axes = axis_of(table, x), axis_of(table, y)
        with progress_line() as progress:
            drawn = f"SELECT {axes[0].expression}, {axes[1].expression} FROM ({query}) LIMIT {PLOTTED_ROWS}"
            rows = self.env.execute_sql(drawn, progress=progress.listener).collect()
            points = [(axes[0].number(row[0]), axes[1].number(row[1])) for row in rows if row[0] is not None and row[1] is not None]
        if file is not None:
            from sql_client.plot_image import write_plot

            write_plot(points, self.gate.path(file, r"The command \plot"), axes)
            print(f"Wrote {file}.\n")
            return
        size = shutil.get_terminal_size()
        encoding = (sys.stdout.encoding or "").lower()
        width, height = min(size.columns, 120), min(size.lines - 4, 24)
        print(plotted(points, axes=axes, width=width, height=height, braille=encoding.startswith("utf")) + "\n")

    # --- client commands ---------------------------------------------------------------------------------------------------------

    def _is_command(self, statement: Statement) -> bool:
        return statement.text.strip().upper() in _COMMANDS

    def _command(self, word: str) -> bool:
        """Runs a client command; returns False if it ends the client."""
        if word == "HELP":
            print(f"{HELP}\nCommands that begin with a backslash, a line each:\n{commands_help()}\n")
        elif word == "CLEAR" and sys.stdout.isatty():
            print("\033[2J\033[3J\033[H", end="", flush=True)
        return word not in ("QUIT", "EXIT")

    # --- options -----------------------------------------------------------------------------------------------------------------

    def is_verbose(self) -> bool:
        """Returns whether errors are shown with a stack trace."""
        return self.env.get_config().get(VERBOSE)

    def _display_mode(self) -> str:
        return self.env.get_config().get(RESULT_MODE)

    def _display(self, started: float, before_output: Callable[[], None]) -> Display:
        config = self.env.get_config()
        with_time: bool | None = config.get(PRINT_TIME_COST)
        if with_time is None:
            with_time = sys.stdout.isatty()
        limit = config.get(MAX_ROWS)
        return Display(
            mode=self._display_mode(),
            is_first=self._is_first_result,
            max_rows=limit if limit > 0 else None,
            started=started if with_time else None,
            width=shutil.get_terminal_size().columns if sys.stdout.isatty() else None,
            expanded=self.expanded,
            before_output=before_output,
        )
