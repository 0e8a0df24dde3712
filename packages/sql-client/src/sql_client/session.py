"""Runs statements one by one on a table environment and shows what they give."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from sql_client.progress import progress_line
from sql_client.rendering import RESULT_MODES, render
from table_api import EnvironmentSettings, TableEnvironment
from table_api.sql import split_statements
from table_common.configuration import Configuration
from table_common.exceptions import TableError, ValidationException

__all__ = ["ClientSession", "StatementFailed"]

RESULT_MODE_KEY = "sql-client.execution.result-mode"


class StatementFailed(Exception):  # it is an outcome that the caller reports
    """A statement of a script failed; ``statement`` is its text and ``line`` where it begins."""

    def __init__(self, message: str, statement: str, line: int) -> None:
        super().__init__(message)
        self.statement = statement
        self.line = line


class ClientSession:
    """An environment with the client's own options."""

    def __init__(self, env: TableEnvironment, *, verbose: bool = False) -> None:
        self.env = env
        self.verbose = verbose

    @classmethod
    def open(
        cls, planner: str, mode: str, options: Mapping[str, str], result_mode: str | None = None, *, verbose: bool = False
    ) -> ClientSession:
        """Makes the session.

        Raises:
            ValidationException: the planner is not installed, or an option is wrong.
        """
        builder = EnvironmentSettings.new_instance().with_planner(planner).with_configuration(Configuration(options))
        settings = (builder.in_batch_mode() if mode == "batch" else builder.in_streaming_mode()).build()
        session = cls(TableEnvironment.create(settings), verbose=verbose)
        session.env.get_config().set("table.dml-sync", "true")
        if result_mode is not None:
            session.env.get_config().set(RESULT_MODE_KEY, result_mode)
        return session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.env.close()

    def run_script(self, text: str, *, echo: bool) -> None:
        """Runs all statements of a text, in order; stops at the first that fails.

        Raises:
            StatementFailed: with the statement and the line where it begins.
        """
        for span in split_statements(text):
            statement = text[span.start : span.end]
            if not statement.strip():
                continue
            if echo:
                print(f"> {statement.strip()}")
            try:
                self.execute(statement)
            except TableError as error:
                raise StatementFailed(self.describe(error), statement, text.count("\n", 0, span.start) + 1) from error

    def execute(self, statement: str) -> None:
        """Runs one statement and prints its result; Ctrl-C cancels its job.

        Raises:
            TableError: the statement failed.
        """
        started = time.monotonic()
        with progress_line() as progress:
            result = self.env.execute_sql(statement, progress=progress.listener)
            try:
                render(result, self.result_mode(), sys.stdout, before_output=progress.clear)
            except KeyboardInterrupt:
                client = result.get_job_client()
                if client is not None:
                    client.cancel()
                raise
        if sys.stdout.isatty():
            print(f"({time.monotonic() - started:.2f} s)")
        print()

    def result_mode(self) -> str:
        """Returns how results are shown now.

        Raises:
            ValidationException: the option was set to something else.
        """
        mode = self.env.get_config().get(RESULT_MODE_KEY, "tableau").lower()
        if mode not in RESULT_MODES:
            raise ValidationException.unknown("Result mode", mode, RESULT_MODES, where=f"option '{RESULT_MODE_KEY}'")
        return mode

    def describe(self, error: BaseException) -> str:
        """Returns the text of an error for a person: our message alone, with its causes if asked for."""
        text = f"[{type(error).__name__}] {error}"
        if self.verbose:
            text += "\n" + "".join(traceback.format_exception(error))
        return text
