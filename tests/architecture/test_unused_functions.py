"""A private function of a module is used or registered there: one that nothing names is a handler whose ``@….register`` was forgotten."""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository


def test_every_private_function_is_named_in_its_module(repository: Repository) -> None:
    unused = []
    for distribution in repository.distributions.values():
        for source in distribution.sources:
            text = source.read_text(encoding="utf-8")
            words = Counter(re.findall(r"\w+", text))
            unused += [
                f"{source.relative_to(repository.root)}: {node.name}"
                for node in ast.parse(text).body
                if isinstance(node, ast.FunctionDef | ast.ClassDef)
                and node.name.startswith("_")
                and not node.name.startswith("__")
                and not node.decorator_list
                and words[node.name] == 1
            ]
    assert not unused
