"""Docstrings of the public surface: an example for each name, the errors of functions that raise, and the Flink class of SPI classes.

``tests/integration/test_examples.py`` runs the examples.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPI_FACES = (
    "table_api.delegation",
    "table_common.catalog",
    "table_common.connector",
    "table_common.connector.sink",
    "table_common.connector.sink.abilities",
    "table_common.connector.source",
    "table_common.connector.source.abilities",
    "table_common.connector.sql",
    "table_common.factories",
    "table_common.module",
)
"""The packages that authors of connectors, formats, catalogs, modules and planners import."""
FACES = (
    "table_api",
    "table_api.udf",
    *SPI_FACES,
    "table_common.configuration",
    "table_common.data",
    "table_common.exceptions",
    "table_common.expressions",
    "table_common.functions",
    "table_common.inference",
    "table_common.java_patterns",
    "table_common.patterns",
    "table_testing",
    "table_common.tree",
    "table_common.types",
)
"""The packages in which each name needs an example."""
RAISING_FACES = (
    *FACES,
    "table_api.catalog",
    "table_api.expressions",
    "table_api.operations",
    "table_api.window",
    "table_common.arrow",
    "table_common.redaction",
    "table_common.secrets",
)
"""The packages in which functions must document their errors."""
RAISES_IN_GENERAL = {
    "Catalog": "an object does not exist, or exists already",
    "DataGetters": "the value is NULL or has another type",
}
"""Classes whose docstring documents the error of all their methods, also for subclasses."""
WITHOUT_FLINK_CLASS = {
    "AsyncPredictTableFunction": "Flink's planner generates code instead",
    "AsyncSearchRuntimeProvider": "Flink's planner generates code that calls the function",
    "SearchRuntimeProvider": "Flink's planner generates code that calls the function",
    "VectorSearchCall": "Flink's planner has it in its nodes",
    "PredictCall": "Flink's planner has it in its nodes",
    "PredictTableFunction": "Flink's planner generates code instead",
    "Predictions": "Flink's functions return a list of rows for each row",
    "CommitContext": "Flink identifies a commit by checkpoint",
    "CommitMessage": "any picklable object; Flink's sinks have a type parameter",
    "DecodedMessages": "Flink decodes one message at a time",
    "ExpressionServices": "Flink's planner generates code instead",
    "FileReadContext": "parameters of FileFormat.read",
    "FileScanProvider": "Flink has one reader for files; here each engine has its own",
    "FileSinkProvider": "Flink has one writer for files; here each engine has its own",
    "FoundView": "Flink expands views in Calcite",
    "InProcessData": "Flink has no tables in the memory of the program",
    "InProcessScanProvider": "Flink has no tables in the memory of the program",
    "InferredSchema": "Flink's CREATE TABLE needs columns",
    "JobExecution": "Flink's results come through a socket",
    "JobOptions": "Flink's options of a job are in its configuration",
    "JobState": "Flink's job manager holds the status",
    "LookupSettings": "Flink's connectors each read the options of lookups",
    "NoExpressionServices": "see ExpressionServices",
    "Offset": "a JSON value; Flink's splits hold positions of any type",
    "PlannerCapabilities": "Flink has one engine",
    "ReadLimit": "Flink's sources read without limits, because epochs do not end them",
    "Session": "Flink's planner sees the environment itself",
    "SqlQuery": "Flink's JDBC dialects concatenate the text",
    "SupportsArrowArray": "the PyCapsule protocol of Arrow",
    "SupportsOrderedLimitPushDown": "Flink pushes no order into sources",
    "WriterContext": "Flink identifies a write by checkpoint and subtask",
}
"""Classes of the SPI that correspond to no class of Flink, with reasons."""


def _classes_and_functions(face: str) -> Iterator[tuple[str, Any]]:
    package = importlib.import_module(face)
    for name in package.__all__:
        value = getattr(package, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            yield name, value


@pytest.mark.parametrize("face", FACES)
def test_each_public_class_and_function_has_an_example(face: str) -> None:
    assert [name for name, value in _classes_and_functions(face) if ">>> " not in (value.__doc__ or "")] == []


def test_each_class_that_begins_a_window_has_an_example() -> None:
    windows = importlib.import_module("table_api.window")
    assert [name for name in ("Over", "Session", "Slide", "Tumble") if ">>> " not in (getattr(windows, name).__doc__ or "")] == []


def test_the_site_has_every_public_name() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "api").glob("*.md")))
    shown = set(re.findall(r"^::: (\S+)$", pages, re.MULTILINE))
    assert {*RAISING_FACES, "table_api_bridge"} <= shown
    for face in (*RAISING_FACES, "table_api_bridge"):
        package = importlib.import_module(face)
        # The generator of the pages takes a name that a module has, too, for the module.
        modules = {path.stem for path in Path(str(package.__file__)).parent.glob("*.py")} if hasattr(package, "__path__") else set()
        hidden = {f"{face}.{name}.{name}" for name in modules & set(package.__all__) if not inspect.ismodule(getattr(package, name))}
        assert hidden <= shown


# --- errors --------------------------------------------------------------------------------------------------------------------------


def _plain_function(member: object) -> Any:
    """Returns the function of a method, property or decorated function, or None."""
    if isinstance(member, staticmethod | classmethod):
        member = member.__func__
    if isinstance(member, property):
        member = member.fget
    if isinstance(member, cached_property):
        member = member.func
    member = inspect.unwrap(member) if callable(member) else member
    return member if inspect.isfunction(member) and str(member.__module__).startswith("table_") else None


def _public_functions(name: str, value: Any) -> Iterator[tuple[str, Any, str]]:
    """Yields the public functions of a class or function with their names and docstrings; a constructor has also that of its class."""
    if inspect.isfunction(value):
        yield name, value, inspect.getdoc(value) or ""
        return
    if not value.__module__.startswith("table_"):
        return
    in_general = {inner for base in value.__mro__ if base.__name__ in RAISES_IN_GENERAL for inner in vars(base)}
    for inner, member in _members(value).items():
        if inspect.isclass(member) and not inner.startswith("_") and member.__qualname__.startswith(f"{value.__qualname__}."):
            yield from _public_functions(f"{name}.{inner}", member)
        function = _plain_function(member)
        is_public = inner == "__init__" or not inner.startswith(("_", "test_"))
        if function is None or not is_public or inner in in_general:
            continue
        documented = getattr(value, inner) if isinstance(member, staticmethod | classmethod) else member
        of_class = (inspect.getdoc(value) or "") if inner == "__init__" else ""
        yield f"{name}.{inner}", function, (inspect.getdoc(documented) or inspect.getdoc(getattr(value, inner)) or "") + of_class


def _members(cls: type) -> dict[str, Any]:
    """Returns the members that a class defines or inherits from classes of this project."""
    ours = [base for base in reversed(cls.__mro__) if base.__module__.startswith("table_")]
    return {name: member for base in ours for name, member in vars(base).items()}


def _raises(function: Any) -> bool:
    """Returns whether the body has a ``raise`` statement that does more than to re-raise a caught error."""
    try:
        source = inspect.getsource(function)
    except OSError:  # a generated method
        return False
    nodes = list(ast.parse(textwrap.dedent(source)).body[0].body)  # type: ignore[attr-defined]  # a function
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Raise) and node.exc is not None:
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            nodes.extend(ast.iter_child_nodes(node))
    return False


@pytest.mark.parametrize("face", RAISING_FACES)
def test_each_public_function_that_raises_names_its_errors(face: str) -> None:
    functions = (found for name, value in _classes_and_functions(face) for found in _public_functions(name, value))
    assert sorted({name for name, function, text in functions if _raises(function) and "Raises:" not in text}) == []


@pytest.mark.parametrize(("module", "name"), [("table_common.catalog", "Catalog"), ("table_common.data.row_data", "DataGetters")])
def test_a_class_that_documents_errors_for_its_methods_names_them(module: str, name: str) -> None:
    assert name in RAISES_IN_GENERAL
    assert "Raises:" in (getattr(importlib.import_module(module), name).__doc__ or "")


# --- sources -------------------------------------------------------------------------------------------------------------------------


def test_each_class_of_the_spi_names_the_flink_class_that_it_follows() -> None:
    classes = {name: value for face in SPI_FACES for name, value in _classes_and_functions(face) if inspect.isclass(value)}
    without = {name for name, value in classes.items() if "Source:" not in (value.__doc__ or "")}
    assert sorted(without - set(WITHOUT_FLINK_CLASS)) == []
    assert sorted(set(WITHOUT_FLINK_CLASS) - without) == []
