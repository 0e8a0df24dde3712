from __future__ import annotations

from pathlib import Path

import pytest

from table_common.exceptions import ValidationException
from table_common.factories import Factory, FormatFactory


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


def test_two_distributions_with_one_identifier_are_named(site: Path) -> None:
    _install(site, "first-formats", "[table.formats]\nmine = a:B\n")
    _install(site, "second-formats", "[table.formats]\nmine = c:D\n")
    with pytest.raises(ValidationException, match="provided more than once: by first-formats, second-formats"):
        FormatFactory.discover("mine")


def test_the_error_of_a_failed_import_names_the_distribution(site: Path) -> None:
    _install(site, "broken-formats", "[table.formats]\nbroken = no_such_module_anywhere:B\n")
    with pytest.raises(ValidationException, match="The format 'broken' of broken-formats cannot be loaded"):
        FormatFactory.discover("broken")


def test_an_entry_of_another_kind_is_refused(site: Path) -> None:
    _install(site, "odd-formats", "[table.formats]\nodd = pathlib:PurePath\n")
    with pytest.raises(ValidationException, match="which is not a FormatFactory"):
        FormatFactory.discover("odd")


class Planner(Factory):
    GROUP = "table.planners"
    KIND = "planner"


def test_the_error_of_a_missing_factory_names_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    with pytest.raises(ValidationException, match=r"No planner 'spark' is installed\. Installed planners: none") as caught:
        Planner.discover("spark")
    assert caught.value.hint == "pip install table-planner-spark"


def test_a_misspelt_identifier_suggests_an_installed_one(site: Path) -> None:
    _install(site, "letters", "[table.formats]\nletters = letters_module:Letters\n")
    with pytest.raises(ValidationException, match="Did you mean 'letters'"):
        FormatFactory.discover("leters")
