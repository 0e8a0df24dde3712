"""The command line of the tool: files and folders, ``--check`` and ``--diff``, exit codes."""

from __future__ import annotations

import difflib
import io
import tokenize
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from table_api.migrate.program import Migration, migrate

_DESCRIPTION = """\
Rewrites the imports of programs written for PyFlink: pyflink.table becomes table_api, pyflink.common becomes table_api.common.
A program whose functions divide gets the option that cuts fractions of integer results, as PyFlink does.
Everything else in a file keeps its bytes. What has no counterpart stays as it is and is listed with its line and the reason."""
_EXIT_CODES = """\
exit codes:
  0  everything was rewritten; with --check, there was nothing to rewrite
  1  something has no counterpart; with --check, also: a file would change
  2  a file cannot be read or written, or is not Python"""


def main(arguments: Sequence[str], output: TextIO, errors: TextIO) -> int:
    """Runs the tool and returns its exit code.

    Args:
        arguments: those of the command line, without the program's name.
        output: for diffs and the names of rewritten files.
        errors: for what has no counterpart, and for files that cannot be read.
    """
    parser = ArgumentParser(
        "python -m table_api.migrate", description=_DESCRIPTION, epilog=_EXIT_CODES, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a Python file, or a folder with Python files")
    parser.add_argument("--check", action="store_true", help="change no file; the exit code says whether one would change")
    parser.add_argument("--diff", action="store_true", help="change no file; print what would change")
    options = parser.parse_args(arguments)
    code = 0
    for path in _python_files([Path(file) for file in options.files], errors):
        code = max(code, 2 if path is None else _migrate_file(path, options.check, options.diff, output, errors))
    return code


def _python_files(paths: Sequence[Path], errors: TextIO) -> Iterator[Path | None]:
    """Yields the Python files of the arguments; None, after a message, for an argument that has none."""
    for path in paths:
        if path.is_dir():
            files = sorted(file for file in path.rglob("*.py") if file.is_file())
            yield from files
            if not files:
                print(f"{path}: the folder has no Python file", file=errors)
                yield None
        elif path.suffix == ".ipynb":
            print(f"{path}: notebooks are not read; hint: jupyter nbconvert --to script {path.name}", file=errors)
            yield None
        else:
            yield path


def _migrate_file(path: Path, check: bool, diff: bool, output: TextIO, errors: TextIO) -> int:
    try:
        data = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        old = data.decode(encoding)
        migration = migrate(old)
    except OSError as error:
        print(f"{path}: cannot be read: {error.strerror}", file=errors)
        return 2
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno is not None else ""
        print(f"{path}{line}: is not Python: {error.msg if isinstance(error, SyntaxError) else error}", file=errors)
        return 2
    for finding in migration.findings:
        print(f"{path}, {finding}", file=errors)
    code = 1 if migration.findings else 0
    if migration.text == old:
        return code
    if diff:
        _print_diff(path, old, migration, output)
    if check or diff:
        if not diff:
            print(f"{path}: would be rewritten", file=output)
        return 1 if check else code
    try:
        path.write_bytes(migration.text.encode(encoding))
    except OSError as error:
        print(f"{path}: cannot be written: {error.strerror}", file=errors)
        return 2
    print(f"{path}: rewritten", file=output)
    return code


def _print_diff(path: Path, old: str, migration: Migration, output: TextIO) -> None:
    lines = difflib.unified_diff(old.splitlines(), migration.text.splitlines(), f"{path}", f"{path} (rewritten)", lineterm="")
    for line in lines:
        print(line, file=output)
