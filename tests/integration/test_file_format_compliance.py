"""The plug-in's file format passes the compliance suite, and the suite detects violations."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from table_common.factories import FormatFactory
from table_testing import FileFormatCompliance

SOURCES = Path(__file__).parent / "plugin" / "src"


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Imports the plug-in's module from its sources; its entry point exists only after installation."""
    monkeypatch.syspath_prepend(str(SOURCES))
    from geo_plugin.document import DocumentFormatFactory

    TestDocumentFormat.factory = DocumentFormatFactory
    monkeypatch.setattr(FormatFactory, "discover", classmethod(lambda cls, name: DocumentFormatFactory()))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "geo_plugin"]:
        del sys.modules[name]


class TestDocumentFormat(FileFormatCompliance):
    factory: ClassVar[Any]
    refused = ("DATE", "DECIMAL(10, 2)", "ARRAY<INT>")


def test_the_format_of_the_guide_passes_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "formats.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    (tmp_path / "feather_format.py").write_text(example, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    made: Any = importlib.import_module("feather_format").FeatherFormatFactory
    monkeypatch.setattr(FormatFactory, "discover", classmethod(lambda cls, name: made()))
    suite = type("Suite", (FileFormatCompliance,), {"factory": made})()
    tests = [name for name in dir(suite) if name.startswith("test_")]
    assert len(tests) > 10
    for name in tests:
        getattr(suite, name)()


def test_the_suite_detects_a_reader_that_drops_names() -> None:
    class Forgetful(TestDocumentFormat.factory):  # type: ignore[misc]  # set when a test begins
        def create_file_format(self, options: Any) -> Any:
            right = super().create_file_format(options)
            read = right.read

            def wrong(file: Any, context: Any) -> Any:
                for batch in read(file, context):
                    yield batch.rename_columns(list(reversed(batch.schema.names)))

            right.read = wrong
            return right

    class Suite(TestDocumentFormat):
        factory = Forgetful

    with pytest.raises(Exception, match=r".+"):
        Suite().test_columns_are_given_by_name_in_any_order()
