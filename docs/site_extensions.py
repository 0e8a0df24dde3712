"""What the site needs beside mkdocs.yml: examples in docstrings are code, and pages load nothing from other hosts."""

from __future__ import annotations

import re
from typing import Any

import griffe

_SECTION = re.compile(r"^( *)Example:$", re.MULTILINE)
_REMOTE_SCRIPT = re.compile(r'<script[^>]*src="https?://[^"]*"[^>]*></script>')


class ExamplesAreCode(griffe.Extension):
    """Takes a section ``Example:`` of a docstring as Griffe's ``Examples:``, whose lines with a prompt are code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = _SECTION.sub(r"\1Examples:", obj.docstring.value)


def on_post_page(output: str, **_: Any) -> str:
    """Takes out the script that the theme's offline plug-in loads from another host, for search in pages that no server gives."""
    return _REMOTE_SCRIPT.sub("", output)


def on_post_template(output_content: str, **_: Any) -> str:
    """Does the same to the page of addresses that do not exist."""
    return _REMOTE_SCRIPT.sub("", output_content)
