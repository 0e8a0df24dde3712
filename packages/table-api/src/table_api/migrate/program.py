"""Rewrites the imports in the text of one program, found by the syntax tree; everything else keeps its bytes.

A program whose functions divide also gets the option that cuts fractions of integer results, as PyFlink does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from table_api.migrate.module_names import counterpart_of, has_name, reason_against
from table_api.migrate.refused_calls import STREAM_METHODS, refusal_of
from table_api.migrate.streams import last_name, stream_calls
from table_common.configuration import PythonOptions
from table_common.frozen_dataclass import dataclass
from table_common.types import DataTypes

_FROM = re.compile(rb"from(?:\s|\\\r?\n)+(?P<module>pyflink(?:[ \t]*\.[ \t]*\w+)*)")
_TEXT = re.compile(r"\bpyflink(\.\w+)+")
_MODULE = "module "
"""Before the target of a name that is a module itself."""
_FUNCTION_NAMES = frozenset(
    {"udf", "udtf", "udaf", "udtaf", "ScalarFunction", "TableFunction", "AggregateFunction", "TableAggregateFunction"}
)
"""Names of PyFlink that make user functions, and the module that has them."""
_INTEGER_TYPES = frozenset({"TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT"})
_TYPE_NAMES = _INTEGER_TYPES | {name for name in dir(DataTypes) if name.isupper()}
_TRUNCATE_FRACTIONS = PythonOptions.PYTHON_TRUNCATE_FRACTIONS.key
_NEWLINE = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a program that the tool leaves as it is, with the reason.

    Example:
        >>> str(Finding(3, "pyflink.table.utils", "it is internal to PyFlink"))
        'line 3: pyflink.table.utils: it is internal to PyFlink'
    """

    line: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Migration:
    """The text of a program after its imports were rewritten, and what was left.

    Example:
        >>> Migration("import table_api\\n", ()).findings
        ()
    """

    text: str
    findings: tuple[Finding, ...]


def migrate(text: str) -> Migration:
    """Returns a program of PyFlink with the imports of this project.

    Example:
        >>> migrate("from pyflink.table import TableEnvironment  # the entry point\\n").text
        'from table_api import TableEnvironment  # the entry point\\n'

    Raises:
        SyntaxError: the text is not Python.
    """
    return _Program(text).migrated()


class _Program:
    def __init__(self, text: str) -> None:
        self._tree = ast.parse(text)
        self._bytes = text.encode("utf-8", "surrogatepass")
        self._line_starts = [0, *(match.end() for match in _NEWLINE.finditer(self._bytes))]
        self._edits: list[tuple[int, int, bytes]] = []
        self._findings: list[Finding] = []
        self._roots: dict[str, str] = {}
        """Names bound by ``import pyflink.…``, by the module of PyFlink that each stands for."""

    def migrated(self) -> Migration:
        documentation = _docstrings(self._tree)
        nodes = list(ast.walk(self._tree))
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and _is_pyflink(node.module) and node.level == 0:
                self._import_from(node)
            elif isinstance(node, ast.Import):
                self._import(node)
        for node in nodes:
            if isinstance(node, ast.Attribute):
                self._attribute(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documentation:
                for match in _TEXT.finditer(node.value):
                    self._find(node, f"the text '{match[0]}'", "texts are not rewritten; change it if it names a module")
        if any(isinstance(node, (ast.Import, ast.ImportFrom)) and _imports_pyflink(node) for node in nodes):
            self._calls_that_are_refused(nodes)
            self._fractions(nodes)
        result = bytearray(self._bytes)
        for start, end, new in sorted(set(self._edits), reverse=True):
            result[start:end] = new
        findings = sorted(set(self._findings), key=lambda finding: (finding.line, finding.what))
        return Migration(result.decode("utf-8", "surrogatepass"), tuple(findings))

    # --- imports -----------------------------------------------------------------------------------------------------------------

    def _import_from(self, node: ast.ImportFrom) -> None:
        assert node.module is not None
        start, end = self._span(node)
        match = _FROM.match(self._bytes, start, end)
        assert match is not None
        targets = {alias: self._target(node.module, alias.name) for alias in node.names}
        missing = [alias for alias, target in targets.items() if target is None]
        for alias in missing:
            self._find(alias, f"{node.module}.{alias.name}", self._why_not(node.module, alias.name))
        found = {target for target in targets.values() if target is not None}
        if not found:
            return
        (target, *others) = sorted(found)
        if not others and not missing and not target.startswith(_MODULE):
            self._edits.append((*match.span("module"), target.encode()))
            return
        # One statement becomes several: a part of its names has another module, or none.
        lines = []
        for target in sorted(found):
            names = [alias for alias, its in targets.items() if its == target]
            if target.startswith(_MODULE):
                lines += [f"import {target.removeprefix(_MODULE)} as {alias.asname or alias.name}" for alias in names]
            else:
                lines.append(f"from {target} import {', '.join(map(_written, names))}")
        if missing:
            lines.append(f"from {node.module} import {', '.join(map(_written, missing))}")
        line_start = self._line_starts[node.lineno - 1]
        indentation = self._bytes[line_start:start]
        newline = b"\r\n" if b"\r\n" in self._bytes else b"\n"
        glue = newline + indentation if not indentation.strip() else b"; "
        self._edits.append((start, end, glue.join(line.encode() for line in lines)))

    def _target(self, module: str, name: str) -> str | None:
        if module == "pyflink":  # the name is a module
            target = counterpart_of(f"pyflink.{name}")
            return None if target is None else f"{_MODULE}{target}"
        target = counterpart_of(module)
        if target is None or reason_against(module, name) is not None:
            return None
        return target if name == "*" or has_name(target, name) else None

    def _why_not(self, module: str, name: str) -> str:
        if module == "pyflink":
            return reason_against(f"pyflink.{name}") or f"PyFlink's module '{name}' has no counterpart"
        reason = reason_against(module, name)
        if reason is not None:
            return reason
        target = counterpart_of(module)
        return f"PyFlink's module '{module}' has no counterpart" if target is None else f"'{target}' has no such name"

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            if not _is_pyflink(alias.name):
                continue
            target = counterpart_of(alias.name)
            if target is None:
                self._find(alias, alias.name, self._why_not(alias.name, ""))
                continue
            start, end = self._span(alias)
            if alias.asname is None:
                self._roots["pyflink"] = "pyflink"
                self._edits.append((start, end, target.encode()))
            else:
                self._edits.append((start, end, f"{target} as {alias.asname}".encode()))

    # --- uses --------------------------------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> None:
        """Rewrites the longest prefix of a path such as ``pyflink.table.expressions.col`` that is a module."""
        path = _path_of(node)
        if path is None or not _is_pyflink(path) or "pyflink" not in self._roots:
            return
        target = counterpart_of(path)
        if target is not None and path != "pyflink":
            self._edits = [edit for edit in self._edits if not (edit[0] == self._span(node)[0] and edit[1] < self._span(node)[1])]
            if not any(edit[0] == self._span(node)[0] for edit in self._edits):
                self._edits.append((*self._span(node), target.encode()))
        elif reason_against(path) is not None:
            self._find(node, path, str(reason_against(path)))

    def _calls_that_are_refused(self, nodes: list[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, ast.Attribute):
                why = refusal_of(node.attr)
                if why is not None:
                    self._find(node, f"{node.attr}", why)
        for use in stream_calls(nodes):
            self._find(
                use,
                use.attr,
                f"there are no methods of data streams: make a table with from_data_stream, and use {STREAM_METHODS[use.attr]}",
            )

    def _fractions(self, nodes: list[ast.AST]) -> None:
        """Sets the option that cuts fractions of integer results, as PyFlink does, where functions of the program divide."""
        if not any(map(_may_return_integers, nodes)):
            return
        divisions = [node for node in nodes if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div)]
        if not divisions:
            return
        environments = [node for node in nodes if isinstance(node, ast.Assign) and _creates_environment(node)]
        for node in environments:
            (target,) = node.targets
            assert isinstance(target, ast.Name)
            start, end = self._span(node)
            indentation = self._bytes[self._line_starts[node.lineno - 1] : start]
            newline = b"\r\n" if b"\r\n" in self._bytes else b"\n"
            glue = newline + indentation if not indentation.strip() else b"; "
            self._edits.append((end, end, glue + f"{target.id}.get_config().set('{_TRUNCATE_FRACTIONS}', 'true')".encode()))
        if not environments:
            why = f"PyFlink cuts a fraction that a function returns for an integer type; set '{_TRUNCATE_FRACTIONS}' to 'true' for that"
            self._find(divisions[0], "/", why)

    # --- places ------------------------------------------------------------------------------------------------------------------

    def _find(self, node: ast.expr | ast.stmt | ast.alias, what: str, why: str) -> None:
        self._findings.append(Finding(node.end_lineno or node.lineno if isinstance(node, ast.Attribute) else node.lineno, what, why))

    def _span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._line_starts[node.lineno - 1] + node.col_offset, self._line_starts[node.end_lineno - 1] + node.end_col_offset


def _is_pyflink(module: str | None) -> bool:
    return module is not None and (module == "pyflink" or module.startswith("pyflink."))


def _imports_pyflink(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.level == 0 and _is_pyflink(node.module)
    return any(_is_pyflink(alias.name) for alias in node.names)


def _creates_environment(node: ast.Assign) -> bool:
    """Returns whether the statement is ``name = TableEnvironment.create(…)``, or the same with another class of environment."""
    path = _path_of(node.value.func) if isinstance(node.value, ast.Call) else None
    return (
        len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and path is not None and path.endswith("TableEnvironment.create")
    )


def _written(alias: ast.alias) -> str:
    return alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"


def _path_of(node: ast.expr) -> str | None:
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else None


def _docstrings(tree: ast.Module) -> set[ast.AST]:
    def of(node: ast.AST) -> Iterator[ast.AST]:
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            yield body[0].value

    return {constant for node in ast.walk(tree) for constant in of(node)}


def _may_return_integers(node: ast.AST) -> bool:
    """Returns whether a node declares a function whose result type is, or has, an integer type, or is not visible here."""
    types: list[ast.expr] = []
    if isinstance(node, ast.FunctionDef) and node.name == "get_result_type":
        types = [part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value is not None]
    elif isinstance(node, ast.Call) and last_name(node.func) in _FUNCTION_NAMES:
        types = [keyword.value for keyword in node.keywords if keyword.arg in ("result_type", "result_types")] or node.args[2:3]
    return any(_INTEGER_TYPES & names if (names := _type_names(type_)) else True for type_ in types)


def _type_names(type_: ast.expr) -> set[str]:
    """Returns the words of a type that are names of SQL's types; empty if the type is only a name of the program."""
    texts = [last_name(part) for part in ast.walk(type_)]
    texts += [part.value for part in ast.walk(type_) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return {word for text in texts for word in re.findall(r"\w+", text.upper()) if word in _TYPE_NAMES}
