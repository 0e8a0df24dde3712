r"""Commands of the prompt: ``\d``, ``\timing`` and others that begin with a backslash, and their forms with a dot, as in sqlite."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

from table_common.exceptions import ValidationException, closest
from table_common.frozen_dataclass import dataclass
from table_common.gate import Gate


class Client(Protocol):
    """What commands use of the client."""

    expanded: str
    last_statement: str

    @property
    def gate(self) -> Gate:
        """Says which files commands may open."""

    next_input: str

    def run_text(self, text: str) -> bool:
        """Runs statements; returns False if one of them ends the client."""

    def set_option(self, key: str, value: str | None) -> None:
        """Sets an option of the session; None resets it."""

    def get_option(self, key: str) -> str | None:
        """Returns the value of an option, or None."""

    def write_to(self, path: str | None) -> None:
        """Writes the following results to a file; None: shows them again."""

    def summarize(self, table: str) -> None:
        """Shows a line per column of a table: its least and greatest value, and how many are distinct or NULL."""

    def plot(self, x: str, y: str, source: str, file: str | None) -> None:
        """Draws two columns of a table or query."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its usage, what it does, and the function that runs it and returns False if the client is to end."""

    usage: str
    text: str
    run: Callable[[Client, str], bool]

    @property
    def name(self) -> str:
        """The name with its backslash."""
        return self.usage.split()[0]


def is_prompt_command(text: str) -> bool:
    """Returns whether an input is a command: one line that begins with a backslash, or with a dot and a letter."""
    line = text.strip()
    return "\n" not in line and (line.startswith("\\") or (line[:1] == "." and line[1:2].isalpha()))


def run_prompt_command(client: Client, text: str) -> bool:
    """Runs a command; returns False if it ends the client.

    Raises:
        ValidationException: the command does not exist, or its argument is wrong.
    """
    name, _, argument = text.strip().rstrip(";").partition(" ")
    written = name
    if name.startswith("."):
        name = _DOT.get(name.lower(), "\\" + name[1:].lower())
    command = _BY_NAME.get(name)
    if command is None:
        similar = closest(written, tuple(_DOT if written.startswith(".") else _BY_NAME), limit=1)
        raise ValidationException(
            f"The command '{written}' does not exist." + (f" Did you mean '{similar[0]}'?" if similar else ""),
            hint=r"\? lists the commands; SQL statements end with a semicolon",
        )
    return command.run(client, argument.strip())


def commands_help() -> str:
    """Returns a line per command."""
    width = max(len(command.usage) for command in COMMANDS)
    return "\n".join(f"  {command.usage.ljust(width)}  {command.text}" for command in COMMANDS)


def _statement(template: str) -> Callable[[Client, str], bool]:
    return lambda client, argument: client.run_text(template.format(argument).rstrip())


def _describe(client: Client, argument: str) -> bool:
    return client.run_text(f"DESCRIBE {argument}" if argument else "SHOW TABLES")


def _functions(client: Client, argument: str) -> bool:
    like = f" LIKE '%{argument.replace(chr(39), chr(39) * 2)}%'" if argument else ""
    return client.run_text(f"SHOW FUNCTIONS{like}")


def _required(usage: str, run: Callable[[Client, str], bool]) -> Callable[[Client, str], bool]:
    def checked(client: Client, argument: str) -> bool:
        if not argument:
            raise ValidationException(f"The command needs an argument: {usage}")
        return run(client, argument)

    return checked


def _switch(argument: str, current: bool, usage: str) -> bool:
    if argument.lower() not in ("", "on", "off"):
        raise ValidationException(f"'{argument}' is neither on nor off.", hint=usage)
    return not current if not argument else argument.lower() == "on"


def _timing(client: Client, argument: str) -> bool:
    key = "sql-client.display.print-time-cost"
    on = _switch(argument, client.get_option(key) != "false", r"\timing on, \timing off")
    client.set_option(key, "true" if on else "false")
    print(f"Timing is {'on' if on else 'off'}.\n")
    return True


def _expanded(client: Client, argument: str) -> bool:
    if argument.lower() == "auto":
        client.expanded = "auto"
    else:
        client.expanded = "on" if _switch(argument, client.expanded == "on", r"\x on, \x off, \x auto") else "off"
    print(f"Expanded display is {'automatic: of rows that are too wide' if client.expanded == 'auto' else client.expanded}.\n")
    return True


def _mode(client: Client, argument: str) -> bool:
    client.set_option("sql-client.execution.result-mode", argument)
    return True


def _output(client: Client, argument: str) -> bool:
    client.write_to(argument.strip("'\"") or None)
    return True


def _read(client: Client, argument: str) -> bool:
    from sql_client.script import Script

    path = argument.strip("'\"")
    try:
        script = Script.read(client.gate.path(path, r"The command \i"))
    except (OSError, ValueError) as error:
        raise ValidationException(f"The script '{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return client.run_text(script.text)


def _edit(client: Client, argument: str) -> bool:
    from sql_client.editor import edited

    if client.gate.restricts_code:
        raise ValidationException(r"The command \e starts a program, which the restrictions of this session do not allow.")
    client.next_input = edited(argument or client.last_statement)
    return True


def _plot(client: Client, argument: str) -> bool:
    first, _, rest = argument.partition(" ")
    file = first if first.lower().endswith(".png") else None
    x, _, rest = (rest.strip() if file else argument).partition(" ")
    y, _, source = rest.strip().partition(" ")
    if not y or not source.strip() or x.upper() in ("SELECT", "VALUES", "WITH"):  # a query instead of the columns
        raise ValidationException(
            "A plot needs two columns and a table or query.",
            hint=r"\plot x y table, \plot x y SELECT …, or \plot file.png x y table for an image",
        )
    client.plot(x.rstrip(","), y, source.strip(), file)
    return True


def _summary(client: Client, argument: str) -> bool:
    client.summarize(argument)
    return True


def _help(client: Client, argument: str) -> bool:
    return client.run_text("HELP")


def _clear(client: Client, argument: str) -> bool:
    if sys.stdout.isatty():
        print("\033[2J\033[3J\033[H", end="", flush=True)
    return True


COMMANDS = (
    Command(r"\?", "shows this text", _help),
    Command(r"\d [TABLE]", "lists the tables and views, or the columns of one", _describe),
    Command(r"\df [TEXT]", "lists the functions, or those with the text in their name", _functions),
    Command(r"\dv", "lists the views", _statement("SHOW VIEWS")),
    Command(r"\dn", "lists the databases", _statement("SHOW DATABASES")),
    Command(r"\l", "lists the catalogs", _statement("SHOW CATALOGS")),
    Command(r"\ddl TABLE", "shows the CREATE TABLE statement", _required(r"\ddl TABLE", _statement("SHOW CREATE TABLE {}"))),
    Command(r"\plan QUERY", "shows how a query will run", _required(r"\plan QUERY", _statement("EXPLAIN {}"))),
    Command(r"\summary TABLE", "shows the range of each column, its distinct and its NULL values", _required(r"\summary TABLE", _summary)),
    Command(r"\plot [FILE.png] X Y SOURCE", "draws two columns of a table or query in the terminal, or as an image", _plot),
    Command(r"\timing [on|off]", "shows the duration of statements", _timing),
    Command(r"\x [on|off|auto]", "shows each row as a record, a line per column", _expanded),
    Command(r"\mode MODE", "sets how results are shown: tableau, table, changelog, csv, json", _required(r"\mode MODE", _mode)),
    Command(r"\o [FILE]", "writes results to a file (.csv, .json, .parquet or text); without a name shows them again", _output),
    Command(r"\i FILE", "runs the statements of a file", _required(r"\i FILE", _read)),
    Command(r"\e [SQL]", "opens the last statement in an editor ($VISUAL, $EDITOR)", _edit),
    Command(r"\clear", "clears the screen", _clear),
    Command(r"\q", "ends the client", lambda client, argument: False),
)
_BY_NAME = {command.name: command for command in COMMANDS} | {
    name: command
    for names, target in ((("\\h", "\\help"), "\\?"), (("\\quit", "\\exit"), "\\q"), (("\\dt", "\\d+"), "\\d"))
    for name in names
    for command in COMMANDS
    if command.name == target
}
_DOT = {
    ".tables": "\\d",
    ".schema": "\\ddl",
    ".help": "\\?",
    ".quit": "\\q",
    ".exit": "\\q",
    ".mode": "\\mode",
    ".timer": "\\timing",
    ".read": "\\i",
    ".output": "\\o",
    ".databases": "\\dn",
    ".functions": "\\df",
}
