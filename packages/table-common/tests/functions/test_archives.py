"""Archives that functions read below the working directory."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import link_archives, unpacked_archive


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = tmp_path / "content"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "word.txt").write_text("hello")
    return folder


@pytest.mark.parametrize("kind", ["zip", "tar", "gztar"])
def test_archives_are_unpacked_once(kind: str, content: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "made"), kind, content)
    folder = unpacked_archive(archive)
    assert (Path(folder) / "inner" / "word.txt").read_text() == "hello"
    assert unpacked_archive(f"file://{archive}") == folder


def test_folder_is_itself(content: Path) -> None:
    assert unpacked_archive(str(content)) == str(content)


def test_text_is_no_archive(content: Path) -> None:
    with pytest.raises(ValidationException, match=r"word\.txt' is not an archive"):
        unpacked_archive(str(content / "inner" / "word.txt"))


def test_archive_must_exist() -> None:
    with pytest.raises(ValidationException, match=r"The archive '/no/such\.zip' does not exist"):
        unpacked_archive("/no/such.zip")


def test_folder_is_below_the_working_directory(content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    link_archives({"data/words": str(content)})
    link_archives({"data/words": str(content)})
    assert Path("data/words/inner/word.txt").read_text() == "hello"


def test_existing_files_are_kept(content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    with pytest.raises(ValidationException, match="has something of this name"):
        link_archives({"data": str(content)}, replace=True)


def test_link_that_leads_nowhere_is_replaced(content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(tmp_path / "gone")
    link_archives({"data": str(content)})
    assert Path("data/inner/word.txt").read_text() == "hello"


@pytest.mark.parametrize("has_filters", [True, False])
@pytest.mark.parametrize("kind", ["file", "link"])
def test_nothing_is_written_outside_of_the_folder(kind: str, has_filters: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_filters:  # as Python before 3.11.4
        monkeypatch.delattr(tarfile, "tar_filter", raising=False)
    with tarfile.open(tmp_path / "a.tar", "w") as tarred:
        member = tarfile.TarInfo("../outside" if kind == "file" else "link")
        if kind == "link":
            member.type, member.linkname = tarfile.LNKTYPE, "../../outside"
        tarred.addfile(member)
    with pytest.raises(ValidationException, match="outside of its folder"):
        unpacked_archive(str(tmp_path / "a.tar"))
