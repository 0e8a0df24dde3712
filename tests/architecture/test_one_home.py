"""Shared code exists once: options are declared once, and no function is duplicated between distributions."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

LONGEST = 6
"""Functions up to this number of lines may be equal by chance."""
SESSION_OPTION = re.compile(r"^(table|execution|pipeline|python|parallelism|sql-client)\.")


def test_each_session_option_is_declared_once(repository: Repository) -> None:
    places = defaultdict(list)
    for distribution in repository.distributions.values():
        for source in distribution.sources:
            for node in ast.walk(ast.parse(source.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "ConfigOptions.key" and isinstance(node.args[0], ast.Constant):
                    key = str(node.args[0].value)
                    if SESSION_OPTION.match(key):
                        places[key].append(f"{source.relative_to(repository.root)}:{node.lineno}")
    assert len(places) > 20
    twice = {key: found for key, found in places.items() if len(found) > 1}
    assert not twice


def test_no_function_is_duplicated_between_distributions(repository: Repository) -> None:
    places = defaultdict(list)
    for distribution in repository.distributions.values():
        for source in distribution.sources:
            for node in ast.walk(ast.parse(source.read_text())):
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if body and (body[-1].end_lineno or 0) - body[0].lineno + 1 > LONGEST:
                    text = "\n".join(ast.dump(statement) for statement in body)
                    places[text].append((distribution.name, f"{source.relative_to(repository.root)}:{node.lineno} {node.name}"))
    wrong = [[place for _, place in found] for found in places.values() if len({name for name, _ in found}) > 1]
    assert not wrong, "\n".join(map(str, wrong))
