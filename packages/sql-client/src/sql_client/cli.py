"""The command line: reads options, makes the session, runs a script, statements or the prompt.

Exit codes: 0 all went well, 1 a statement failed, 2 the command line or the set-up is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from sql_client.rendering import RESULT_MODES
from sql_client.session import ClientSession, StatementFailed
from table_common.exceptions import TableError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the client and returns its exit code."""
    options = _parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO if options.verbose else logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    try:
        settings = dict(_pair(text) for text in options.define)
        session = ClientSession.open(options.planner, options.mode, settings, options.result_mode, verbose=options.verbose)
    except (TableError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        with session:
            return _run(session, options)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away, as `| head` does
        sys.stderr.close()
        return 0


def _run(session: ClientSession, options: argparse.Namespace) -> int:
    for path, echo in ((options.init, False), (options.file, True)):
        if path is None:
            continue
        try:
            text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            print(f"error: cannot read the script '{path}': {error}", file=sys.stderr)
            return 2
        if not _script(session, text, path, echo=echo and not options.quiet):
            return 1
    for text in options.execute:
        if not _script(session, text, "--execute", echo=False):
            return 1
    if options.file is not None or options.execute:
        return 0
    if not sys.stdin.isatty():
        return 0 if _script(session, sys.stdin.read(), "standard input", echo=not options.quiet) else 1
    from sql_client.repl import run_prompt

    return run_prompt(session, options.history)


def _script(session: ClientSession, text: str, name: str, *, echo: bool) -> bool:
    try:
        session.run_script(text, echo=echo)
    except StatementFailed as failure:
        sys.stdout.flush()
        where = f"{name}, line {failure.line}" if name != "--execute" else name
        print(f"\nThis statement failed ({where}):\n\n{failure.statement.strip()}\n\n{failure}", file=sys.stderr)
        return False
    return True


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise ValueError(f"-D takes key=value, but got '{text}'")
    return key, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sql-client", description="Runs SQL scripts, or an interactive prompt if no script is given.", allow_abbrev=False
    )
    parser.add_argument("-f", "--file", metavar="SCRIPT", help="run the statements of a file and exit; '-' is standard input")
    parser.add_argument(
        "-e", "--execute", metavar="SQL", action="append", default=[], help="run these statements and exit; may be repeated"
    )
    parser.add_argument("-i", "--init", metavar="SCRIPT", help="run the statements of a file first")
    parser.add_argument("--planner", default="arrow", help="the engine: arrow (in-process, the default) or spark")
    parser.add_argument("--mode", choices=("batch", "streaming"), default="batch", help="runtime mode (default: batch)")
    parser.add_argument("-D", dest="define", metavar="KEY=VALUE", action="append", default=[], help="set an option; may be repeated")
    parser.add_argument("--result-mode", choices=RESULT_MODES, default=None, help="how results are shown (default: tableau)")
    parser.add_argument("--history", metavar="FILE", help="where the prompt keeps its history")
    parser.add_argument("-q", "--quiet", action="store_true", help="do not repeat the statements of a script")
    parser.add_argument("-v", "--verbose", action="store_true", help="show log messages and the causes of errors")
    return parser
