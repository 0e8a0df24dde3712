from __future__ import annotations

import os
from pathlib import Path

import pytest

from table_common.durable_files import publish_new, sync_file, sync_folder


@pytest.fixture(params=["links", "no links", "links are refused"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def refuse(*_: object) -> None:
        raise PermissionError("Operation not permitted")

    if request.param == "no links":
        monkeypatch.delattr(os, "link")
    elif request.param == "links are refused":
        monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "staged").write_text("new")
    return tmp_path


def test_a_new_name_has_the_staged_content(folder: Path) -> None:
    publish_new(folder / "staged", folder / "target")
    assert (folder / "target").read_text() == "new"


def test_a_file_that_exists_stays_as_it_is(folder: Path) -> None:
    (folder / "target").write_text("old")
    with pytest.raises(FileExistsError):
        publish_new(folder / "staged", folder / "target")
    assert (folder / "target").read_text() == "old"


def test_files_and_folders_are_synced_also_where_folders_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    sync_file(tmp_path / "file")
    sync_folder(tmp_path)
    monkeypatch.delattr(os, "O_DIRECTORY")
    sync_folder(tmp_path / "missing")
