"""What the site needs beside mkdocs.yml: examples in docstrings are code, and pages load nothing from other hosts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

_SECTION = re.compile(r"^( *)Example:$", re.MULTILINE)
_REMOTE_SCRIPT = re.compile(r'<script[^>]*src="https?://[^"]*"[^>]*></script>')


class ExamplesAreCode(griffe.Extension):
    """Takes a section ``Example:`` of a docstring as Griffe's ``Examples:``, whose lines with a prompt are code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = _SECTION.sub(r"\1Examples:", obj.docstring.value)


class NamesOfStubs(griffe.Extension):
    """Takes the names in the ``__init__.pyi`` of a package as its ``__all__``, which is a list only when the program runs."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        waiting = [pkg]
        while waiting:
            module = waiting.pop()
            waiting += [inner for inner in module.modules.values() if not inner.is_alias]
            stub = Path(str(module.filepath)).with_suffix(".pyi")
            if stub.name == "__init__.pyi" and stub.exists():
                own = re.findall(r"^from .+ import (\w+)$", Path(str(module.filepath)).read_text(encoding="utf-8"), re.MULTILINE)
                module.exports = [name for name, member in module.members.items() if member.is_alias and name not in own]


def on_post_page(output: str, **_: Any) -> str:
    """Takes out the script that the theme's offline plug-in loads from another host, for search in pages that no server gives."""
    return _REMOTE_SCRIPT.sub("", output)


def on_post_template(output_content: str, **_: Any) -> str:
    """Does the same to the page of addresses that do not exist."""
    return _REMOTE_SCRIPT.sub("", output_content)
