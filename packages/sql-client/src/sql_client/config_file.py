"""The configuration file ``sql-client.yaml``: options, modules, catalogs, tables, views and functions of each session.

It becomes the statements that a start-up script would have, in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from table_common.exceptions import ValidationException, closest
from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from yaml import MappingNode, Node

_SECTIONS = ("options", "modules", "catalogs", "tables", "functions", "init")
_CORE = "core"
_TABLE_KEYS = ("name", "columns", "options", "query")
_FUNCTION_KEYS = ("name", "class", "language")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """What a file sets: the options of the session, its statements with their lines in the file, and the start-up scripts that follow them."""

    options: Mapping[str, str]
    statements: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    scripts: tuple[str, ...] = ()


def read_config(path: str) -> ConfigFile:
    """Reads a file.

    Raises:
        ValidationException: it cannot be read, is not YAML, or has an unknown key or a wrong value; the message has line and column.
    """
    import yaml

    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise ValidationException(
            f"The configuration file '{path}' cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise ValidationException(f"{path}{where}: this is not YAML: {error.problem}.") from error
    if root is None:
        return ConfigFile({})
    return _Reader(path).file(root)


class _Reader:
    def __init__(self, path: str) -> None:
        self._path = path
        self._modules: list[str] = []

    def file(self, root: Node) -> ConfigFile:
        sections = self._mapping(root, _SECTIONS, "the file")
        statements: list[str] = []
        lines: list[int] = []
        for name, write in _WRITERS.items():
            for item in self._list(sections[name], name) if name in sections else []:
                statements.append(write(self, item))
                lines.append(item.start_mark.line + 1)
        options = self._options(sections["options"]) if "options" in sections else {}
        scripts = [self._text(item) for item in self._list(sections["init"], "init")] if "init" in sections else []
        folder = Path(self._path).expanduser().parent
        return ConfigFile(options, tuple(statements), tuple(lines), tuple(str(folder / script) for script in scripts))

    def module(self, item: Node) -> str:
        from yaml import ScalarNode

        if isinstance(item, ScalarNode):
            return self._loaded(self._text(item), "")
        fields = self._mapping(item, ("name", "options"), "a module")
        return self._loaded(self._required(item, fields, "name", "a module"), self._with(fields))

    def _loaded(self, name: str, options: str) -> str:
        self._modules.append(_name(name))
        if name == _CORE:  # it is loaded already: it moves to its place in the list
            return f"USE MODULES {', '.join(self._modules)}"
        return f"LOAD MODULE {_name(name)}{options}"

    def catalog(self, item: Node) -> str:
        fields = self._mapping(item, ("name", "options"), "a catalog")
        return f"CREATE CATALOG {_name(self._required(item, fields, 'name', 'a catalog'))}{self._with(fields)}"

    def table(self, item: Node) -> str:
        fields = self._mapping(item, _TABLE_KEYS, "a table")
        name = _path(self._required(item, fields, "name", "a table"))
        if "query" in fields:
            if "options" in fields or "columns" in fields:
                raise self._error(item, "a table has either a 'query' or 'options'")
            return f"CREATE TEMPORARY VIEW {name} AS {self._text(fields['query']).rstrip().rstrip(';')}"
        if "options" not in fields:
            raise self._error(item, "a table needs 'options', or a 'query'")
        columns = f" ({self._text(fields['columns']).strip()})" if "columns" in fields else ""
        return f"CREATE TEMPORARY TABLE {name}{columns}{self._with(fields)}"

    def function(self, item: Node) -> str:
        fields = self._mapping(item, _FUNCTION_KEYS, "a function")
        name = _path(self._required(item, fields, "name", "a function"))
        language = self._text(fields["language"]) if "language" in fields else "PYTHON"
        return f"CREATE TEMPORARY FUNCTION {name} AS {_quoted(self._required(item, fields, 'class', 'a function'))} LANGUAGE {language}"

    def _with(self, fields: Mapping[str, Node]) -> str:
        if "options" not in fields:
            return ""
        return f" WITH ({', '.join(f'{_quoted(key)} = {_quoted(value)}' for key, value in self._options(fields['options']).items())})"

    def _options(self, node: Node) -> dict[str, str]:
        return {key: self._text(value) for key, value in self._mapping(node, None, "options").items()}

    def _required(self, item: Node, fields: Mapping[str, Node], key: str, what: str) -> str:
        if key not in fields:
            raise self._error(item, f"{what} needs the key '{key}'")
        return self._text(fields[key])

    def _mapping(self, node: Node, known: tuple[str, ...] | None, what: str) -> dict[str, Node]:
        from yaml import MappingNode

        if not isinstance(node, MappingNode):
            keys = f" with the keys {', '.join(known)}" if known else ""
            raise self._error(node, f"{what} must be a mapping{keys}")
        fields: dict[str, Node] = {}
        for key_node, value in self._pairs(node):
            key = self._text(key_node)
            if known is not None and key not in known:
                similar = closest(key, known, limit=1)
                advice = f"did you mean '{similar[0]}'?" if similar else f"known keys of {what}: {', '.join(known)}"
                raise self._error(key_node, f"the key '{key}' is unknown; {advice}")
            if key in fields:
                raise self._error(key_node, f"the key '{key}' is there twice")
            fields[key] = value
        return fields

    def _pairs(self, node: MappingNode) -> list[tuple[Node, Node]]:
        return list(node.value)

    def _list(self, node: Node, section: str) -> list[Node]:
        from yaml import ScalarNode, SequenceNode

        if isinstance(node, ScalarNode) and section == "init":
            return [node]
        if not isinstance(node, SequenceNode):
            raise self._error(node, f"'{section}' must be a list; each item begins with '- '")
        return list(node.value)

    def _text(self, node: Node) -> str:
        from yaml import ScalarNode

        if not isinstance(node, ScalarNode):
            raise self._error(node, "this must be a text or a number")
        return str(node.value)

    def _error(self, node: Node, problem: str) -> ValidationException:
        mark = node.start_mark
        return ValidationException(f"{self._path}, line {mark.line + 1}, column {mark.column + 1}: {problem}.")


_WRITERS: dict[str, Callable[[_Reader, Node], str]] = {
    "modules": _Reader.module,
    "catalogs": _Reader.catalog,
    "functions": _Reader.function,
    "tables": _Reader.table,
}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(text: str) -> str:
    return "`" + text.replace("`", "``") + "`"


def _path(text: str) -> str:
    return ".".join(map(_name, text.split(".")))
