"""The command line: parses options, creates the session, and runs scripts, statements or the prompt.

Exit codes: 0 success, 1 a statement failed, 2 wrong options or set-up, 130 interrupted (Ctrl-C), 141 the output was closed, as ``| head`` does,
143 terminated (SIGTERM).
The engine is imported after the options are validated.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from sql_client.interruption import INTERRUPTED
from sql_client.termination import TERMINATED, Termination

if TYPE_CHECKING:
    from sql_client.config_file import ConfigFile
    from sql_client.scheduler import Scheduler
    from sql_client.script import Script
    from sql_client.session import ClientSession

OK, FAILED, WRONG_USE, OUTPUT_CLOSED = 0, 1, 2, 141

EXAMPLES = """\
examples:
  sql-client                                        the prompt
  sql-client -e "SELECT 1 + 1 AS two"
  sql-client -f load.sql -f report.sql              one after the other, in one session
  sql-client -f report.sql --planner spark
  sql-client --result-mode csv -e "SELECT ..." > result.csv
  cat report.sql | sql-client
  sql-client --scheduler -i catalogs.sql            refresh materialized tables

exit codes: 0 success, 1 a statement failed, 2 wrong options or set-up, 130 interrupted, 141 the output was closed, 143 terminated"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the client and returns its exit code."""
    arguments = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # escape characters that the terminal's encoding lacks
    termination = Termination()
    try:
        with termination:
            code = _run(arguments, termination)
            sys.stdout.flush()
            return TERMINATED if termination.is_requested else code
    except KeyboardInterrupt:
        print("\nTerminated." if termination.is_requested else "\nInterrupted.", file=sys.stderr)
        return TERMINATED if termination.is_requested else INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output at exit, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OUTPUT_CLOSED


def _run(arguments: argparse.Namespace, termination: Termination) -> int:
    if arguments.version:
        from importlib.metadata import version

        print(f"sql-client {version('sql-client')}")
        return OK
    with termination.at_once():  # nothing is open yet
        opened = _open(arguments)
    if isinstance(opened, int):
        return opened
    session, init, work, is_prompt = opened
    from sql_client.failure import StatementFailed

    with session:
        try:
            for script in init:
                session.prepare(script)
            if arguments.scheduler:
                from sql_client.scheduler import Scheduler

                return _schedule(Scheduler(session.env))
            if is_prompt:
                from sql_client.repl import run_prompt

                return run_prompt(session, arguments.history, lambda: termination.is_requested)
            session.continues_on_error = arguments.continue_on_error
            _run_scripts(session, work, quiet=arguments.quiet)
        except StatementFailed as failure:
            sys.stdout.flush()
            print(failure, file=sys.stderr)
            return FAILED
        except KeyboardInterrupt:
            session.stop_jobs()
            raise
        if termination.is_requested:
            session.stop_jobs()
    return FAILED if session.failures else OK


def _schedule(scheduler: Scheduler) -> int:
    from table_common.exceptions import TableException

    try:
        scheduler.run()
    except TableException as error:
        return _wrong_use(str(error))
    print("The scheduler has ended.", file=sys.stderr)
    return INTERRUPTED


def _open(arguments: argparse.Namespace) -> tuple[ClientSession, list[Script], list[Script], bool] | int:
    """Returns the session, the scripts that prepare it, the scripts to run, and whether the prompt is asked for; or the exit code of a wrong use."""
    import sql_client.failure  # here, where an interruption ends the client at once
    from sql_client.script import Script
    from sql_client.session import ClientSession
    from table_common.exceptions import TableError

    _log(verbose=arguments.verbose)
    if arguments.scheduler and arguments.work:
        return _wrong_use("--scheduler runs no scripts or statements; -i runs a script that creates its catalogs")
    is_prompt = not arguments.work and not arguments.scheduler and sys.stdin.isatty()
    if is_prompt and not sys.stdout.isatty():
        return _wrong_use("the prompt needs a terminal for its output; pass a script with -f, or statements with -e")
    try:
        config = _config(arguments)
        path = config_path(arguments)
        placed = zip(config.lines, config.statements, strict=True)  # empty lines before it give a statement its place in the file
        init = [Script("\n" * (line - 1) + f"{statement};", path) for line, statement in placed]
        init += [_read(Script, path) for path in (*config.scripts, *_start_up_script(), *arguments.init)]
        work = [_read(Script, text) if kind == "file" else Script(text) for kind, text in arguments.work]
        if not work and not is_prompt and not arguments.scheduler:
            work = [_read(Script, "-")]
        session = ClientSession.open({**config.options, **_options(arguments)})
        session.savepoints = arguments.stop_with_savepoint
    except (TableError, ValueError, OSError) as error:
        return _wrong_use(str(error))
    if is_prompt:
        import sql_client.repl  # noqa: F401
    return session, init, work, is_prompt


def config_path(arguments: argparse.Namespace) -> str | None:
    """Returns the configuration file: that of ``--config``, of ``$SQL_CLIENT_CONFIG``, or the user's own if it exists; None if there is none."""
    chosen: str | None = arguments.config or os.environ.get("SQL_CLIENT_CONFIG")
    if chosen:
        return chosen
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    default = os.path.join(home, "sql-client", "sql-client.yaml")
    return default if os.path.exists(default) else None


def _config(arguments: argparse.Namespace) -> ConfigFile:
    from sql_client.config_file import ConfigFile, read_config

    path = config_path(arguments)
    return read_config(path) if path is not None else ConfigFile({})


def _start_up_script() -> list[str]:
    script = os.environ.get("SQL_CLIENT_INIT")
    return [script] if script else []


def _run_scripts(session: ClientSession, scripts: Sequence[Script], *, quiet: bool) -> None:
    for script in scripts:
        # Statements of the command line are visible already.
        if not session.run_script(script, echo=not quiet and script.name is not None):
            break
    session.check_ended()
    session.wait_for_jobs()


def _read(script: type[Script], path: str) -> Script:
    from pathlib import Path

    from table_common.gate import Gate

    name = "standard input" if path == "-" else f"the script '{path}'"
    try:
        return script.read("-" if path == "-" else Gate.of_program(Path(path)))
    except OSError as error:
        raise ValueError(f"cannot read {name}: {error.strerror or error}") from error
    except ValueError as error:
        raise ValueError(f"cannot read {name}: {error}") from error


def _options(arguments: argparse.Namespace) -> dict[str, str]:
    """Returns the options of the command line; dedicated arguments take precedence over ``-D``."""
    options = {}
    for text in arguments.define:
        key, separator, value = text.partition("=")
        if not separator or not key:
            from table_common.secrets import mask_text

            raise ValueError(f"-D needs KEY=VALUE, but got '{mask_text('SET ' + text)[0][4:]}'")
        options[key.strip()] = value
    if arguments.jar:
        raise ValueError(
            f"-j {arguments.jar[0]}: jars are not supported: functions, connectors and catalogs are written in Python; -pyfs adds Python files"
        )
    chosen = {
        "python.files": arguments.python_files,
        "python.archives": arguments.python_archives,
        "python.executable": arguments.python_executable,
        "python.requirements": arguments.python_requirements,
        "table.planner": arguments.planner,
        "execution.runtime-mode": arguments.mode,
        "sql-client.execution.result-mode": arguments.result_mode,
        "sql-client.verbose": "true" if arguments.verbose else None,
    }
    return options | {key: value for key, value in chosen.items() if value is not None}


def _log(*, verbose: bool) -> None:
    import logging
    import warnings

    from table_common.configuration import ConfigurationWarning

    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if not verbose:
        for name in ("table.job", "table.statement", "table.scheduler"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # failures and warnings of statements are shown anyway
    warnings.simplefilter("always", ConfigurationWarning)
    warnings.showwarning = _show_warning


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: TextIO | None = None, line: str | None = None
) -> None:
    """Prints a warning without its position in the Python code."""
    from sql_client.warning_text import print_warning

    print_warning(message)


def _wrong_use(message: str) -> int:
    from table_common.terminal_text import escape_controls

    print(escape_controls(f"sql-client: error: {message}", keep="\n\t"), file=sys.stderr)
    return WRONG_USE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]  # it does not return, which argparse's stubs say too
        hint = "; use -f for a script" if message.startswith("unrecognized arguments") and " -" not in message else ""
        self.exit(WRONG_USE, f"{self.prog}: error: {message}{hint}\nTry '{self.prog} --help'.\n")


class _Work(argparse.Action):
    """Collects scripts and statements in the order of the command line."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option: str | None = None) -> None:
        namespace.work = [*namespace.work, (self.dest, str(values))]


def _parser() -> argparse.ArgumentParser:
    from sql_client.options import RESULT_MODES

    parser = _Parser(
        prog="sql-client",
        description="Runs SQL: scripts, statements, or an interactive prompt if neither is given and the input is a terminal.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(work=[])
    parser.add_argument(
        "-f", "--file", metavar="SCRIPT", action=_Work, default=argparse.SUPPRESS, help="run a script ('-': standard input); repeatable"
    )
    parser.add_argument("-e", "--execute", metavar="SQL", action=_Work, default=argparse.SUPPRESS, help="run these statements; repeatable")
    parser.add_argument(
        "-i",
        "--init",
        metavar="SCRIPT",
        action="append",
        default=[],
        help="first run a script that defines tables and sets options, silently",
    )
    parser.add_argument("--planner", metavar="NAME", help="the engine: arrow (in-process, the default) or spark")
    parser.add_argument("--mode", choices=("batch", "streaming"), help="the runtime mode (default: batch)")
    parser.add_argument("-D", dest="define", metavar="KEY=VALUE", action="append", default=[], help="set an option; repeatable")
    parser.add_argument("--result-mode", choices=RESULT_MODES, help="how results are shown (default: tableau)")
    parser.add_argument(
        "--config", metavar="FILE", help="the configuration file (default: $SQL_CLIENT_CONFIG, or sql-client.yaml in ~/.config/sql-client)"
    )
    parser.add_argument(
        "--continue-on-error", action="store_true", help="continue with the next statement of a script if one fails; the exit code is 1"
    )
    parser.add_argument(
        "-pyfs", "--pyFiles", dest="python_files", metavar="FILES", help="Python files of functions: sets python.files, as in Flink"
    )
    parser.add_argument(
        "-pyarch", "--pyArchives", dest="python_archives", metavar="FILES", help="archives of functions: sets python.archives"
    )
    parser.add_argument(
        "-pyexec", "--pyExecutable", dest="python_executable", metavar="PATH", help="the interpreter of functions: sets python.executable"
    )
    parser.add_argument(
        "-pyreq", "--pyRequirements", dest="python_requirements", metavar="FILE", help="required packages: sets python.requirements"
    )
    parser.add_argument(
        "-j", "--jar", metavar="JAR", action="append", default=[], help="refused: functions and connectors are written in Python"
    )
    parser.add_argument(
        "--stop-with-savepoint",
        metavar="FOLDER",
        help="when Ctrl-C or SIGTERM ends the client, write a savepoint of each unbounded INSERT below this folder, a path or a URL",
    )
    parser.add_argument(
        "--scheduler",
        action="store_true",
        help="refresh the materialized tables of the catalogs that -i creates, until Ctrl-C or SIGTERM",
    )
    parser.add_argument("--history", metavar="FILE", help="the file for the history of the prompt")
    parser.add_argument("-q", "--quiet", action="store_true", help="do not repeat the statements of a script before their results")
    parser.add_argument("-v", "--verbose", action="store_true", help="show log messages, and stack traces of errors")
    parser.add_argument("--version", action="store_true", help="show the version")
    return parser
