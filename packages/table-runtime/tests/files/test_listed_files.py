"""Listings of folders and patterns, by which changes of files are recognized."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.gate import Gate
from table_common.restrictions import Restrictions
from table_runtime.files.listed_files import Listing, file_of, state_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two files, a hidden one, and a link to a file outside."""
    (tmp_path / "t" / "sub").mkdir(parents=True)
    for name in ("a.csv", "sub/b.csv", ".hidden"):
        (tmp_path / "t" / name).write_text(name)
    (tmp_path / "outside.csv").write_text("outside")
    return tmp_path / "t"


def test_a_folder_is_listed_by_relative_names_with_states(folder: Path) -> None:
    listing = Listing.of([str(folder)], "t")
    assert listing == {"a.csv": state_of(folder / "a.csv"), "sub/b.csv": state_of(folder / "sub" / "b.csv")}
    assert file_of("sub/b.csv", [str(folder)]) == folder / "sub" / "b.csv"


def test_a_pattern_is_listed_by_paths(folder: Path) -> None:
    pattern = f"{folder}/*.csv"
    assert list(Listing.of([pattern], "t")) == [str(folder / "a.csv")]
    assert file_of(str(folder / "a.csv"), [pattern]) == folder / "a.csv"
    assert Listing.of([f"{folder}/x*"], "t") == {}


def test_a_folder_that_does_not_exist_is_an_error_with_the_table(folder: Path) -> None:
    with pytest.raises(TableRuntimeException, match="Table t: "):
        Listing.of([f"{folder}/missing"], "t")


def test_a_link_or_a_name_that_leads_out_is_refused(folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder.parent / "outside.csv")
    with Gate(Restrictions(paths=(str(folder),))).in_force():
        for path in (str(folder), f"{folder}/*.csv"):
            with pytest.raises(ValidationException, match="must not be used"):
                Listing.of([path], "t")
        with pytest.raises(ValidationException, match="must not be used"):
            file_of("../outside.csv", [str(folder)])
