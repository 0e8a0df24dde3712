from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from table_common.factories.entry_point import InstalledEntry, installed_entries


def _install(site: Path, distribution: str, text: str) -> None:
    folder = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(text)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path in which distributions can be installed; caches are by path, so each test has its own."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_entries_of_the_group_are_found_with_their_distribution(site: Path) -> None:
    _install(site, "my-formats", "[console_scripts]\nother = a:b\n\n[things]\n# a comment\none = package.module:Thing\n two=p:Q\n")
    assert installed_entries("things") == (
        InstalledEntry("one", "package.module:Thing", "my-formats"),
        InstalledEntry("two", "p:Q", "my-formats"),
    )


def test_the_first_distribution_of_a_name_on_the_path_counts(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(site / "later", "mine", "[things]\nold = p:Old\n")
    _install(site / "first", "mine", "[things]\nnew = p:New\n")
    monkeypatch.syspath_prepend(str(site / "later"))
    monkeypatch.syspath_prepend(str(site / "first"))
    assert [entry.name for entry in installed_entries("things")] == ["new"]


def test_a_path_that_does_not_exist_is_passed_over(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(site, "mine", "[things]\none = p:Q\n")
    monkeypatch.syspath_prepend(str(site / "nowhere"))
    assert [entry.name for entry in installed_entries("things")] == ["one"]


def test_distributions_in_archives_are_found(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = site / "distributions.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 1.0\n")
        file.writestr("zipped-1.0.dist-info/entry_points.txt", "[things]\none = p:Q\n")
    monkeypatch.syspath_prepend(str(archive))
    assert installed_entries("things") == (InstalledEntry("one", "p:Q", "zipped"),)


def test_the_standard_library_finds_the_same() -> None:
    expected = {(entry.name, entry.value) for entry in entry_points(group="console_scripts")}
    assert {(entry.name, entry.value) for entry in installed_entries("console_scripts")} == expected


def test_an_entry_loads_its_object() -> None:
    assert InstalledEntry("path", "pathlib:Path.home", "python").load() == Path.home


def test_an_entry_without_its_object_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="'pathlib' has no 'Nothing'"):
        InstalledEntry("path", "pathlib:Nothing", "python").load()


def test_discovery_does_not_load_the_metadata_library() -> None:
    program = "import sys; from table_common.factories import FormatFactory; FormatFactory.identifiers(); print('importlib.metadata' in sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {program}"], capture_output=True, text=True
    )
    assert finished.stdout.strip() == "False", finished.stderr
