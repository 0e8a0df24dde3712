"""Dependencies of user functions: the options that record them, and refused paths."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from table_api import TableEnvironment, ValidationException


def test_python_files_are_listed_in_the_option(env: TableEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [])
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("")
        env.add_python_file(str(tmp_path / name))
    assert env.get_config().get("python.files", "") == f"{tmp_path}/b.py,{tmp_path}/a.py"


def test_of_two_modules_of_one_name_the_last_is_imported(env: TableEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "two_of_this_name.py").write_text(f"found = {name!r}\n")
        env.add_python_file(str(tmp_path / name))
    assert importlib.import_module("two_of_this_name").found == "second"


def test_a_python_file_that_does_not_exist_is_refused(env: TableEnvironment, tmp_path: Path) -> None:
    with pytest.raises(ValidationException, match="does not exist"):
        env.add_python_file(str(tmp_path / "missing.py"))


@pytest.mark.parametrize("path", ["a,b.zip", "a#b.zip"])
def test_an_archive_whose_path_the_option_cannot_hold_is_refused(env: TableEnvironment, path: str) -> None:
    with pytest.raises(ValidationException, match="cannot be added as an archive"):
        env.add_python_archive(path)


def test_an_archive_is_not_unpacked_outside_the_working_directory(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"unpacked inside the working directory, but '\.\./up' is outside"):
        env.add_python_archive("data.zip", "../up")


def test_a_requirements_file_is_checked_and_recorded_with_its_cache(env: TableEnvironment, tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("pytest\n")
    env.set_python_requirements(str(file), "cache")
    assert env.get_config().get("python.requirements", "") == f"{file}#cache"
    file.write_text("no-such-package-1\n")
    with pytest.raises(ValidationException, match=r"no-such-package-1 is not installed\..*\n.*pip install -r"):
        env.set_python_requirements(str(file))


def test_cached_files_are_listed_by_name(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_text("")
    env.register_cached_file(str(tmp_path / "model.bin"), "model")
    assert env.get_config().get("pipeline.cached-files", "") == f"name:model,path:{tmp_path}/model.bin"


def test_a_cached_file_needs_a_name_without_separators(env: TableEnvironment, tmp_path: Path) -> None:
    with pytest.raises(ValidationException, match="cannot be registered as a cached file"):
        env.register_cached_file(str(tmp_path), "a;b")
