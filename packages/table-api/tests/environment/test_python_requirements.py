"""Requirements files are compared with the installed packages."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from table_api.environment.python_requirements import check_requirements
from table_common.exceptions import ValidationException

PYTEST = version("pytest")
MAJOR = int(PYTEST.split(".")[0])


def _file(tmp_path: Path, text: str) -> str:
    file = tmp_path / "requirements.txt"
    file.write_text(text)
    return str(file)


@pytest.mark.parametrize(
    "line",
    [
        "pytest",
        "",
        "# comment",
        "pytest  # comment",
        "pytest[dev]",
        f"pytest=={PYTEST}",
        f"pytest=={MAJOR}.*",
        f"pytest ~= {MAJOR}.0",
        f"pytest>={MAJOR}, <{MAJOR + 1}",
        f"pytest!={MAJOR + 1}.*",
        "pytest>=1.0rc1",
        "pytest; python_version > '3'",
        "no-such-package-1; python_version < '3'",
        "pytest[dev] @ https://example.org/pytest.whl",
    ],
)
def test_what_is_installed_is_accepted(tmp_path: Path, line: str) -> None:
    check_requirements(_file(tmp_path, f"{line}\n"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("no-such-package-1", "no-such-package-1 is not installed"),
        (f"pytest=={MAJOR + 1}", f"pytest is installed as {PYTEST}, not =={MAJOR + 1}"),
        (f"pytest=={MAJOR + 1}.*", f"pytest is installed as {PYTEST}, not =={MAJOR + 1}"),
        (f"pytest<{MAJOR}", f"pytest is installed as {PYTEST}, not <{MAJOR}"),
        (f"pytest>={PYTEST}.1rc1", f"pytest is installed as {PYTEST}, not >={PYTEST}.1rc1"),
        ("no-such-package-1; python_version > '3'", "no-such-package-1 is not installed"),
        (f"pytest~={MAJOR + 1}.0", f"pytest is installed as {PYTEST}, not ~={MAJOR + 1}"),
    ],
)
def test_what_is_missing_is_listed(tmp_path: Path, line: str, problem: str) -> None:
    file = _file(tmp_path, f"{line}\n")
    with pytest.raises(ValidationException) as caught:
        check_requirements(file, "wheels")
    assert problem in caught.value.message
    assert caught.value.hint == (
        f"Packages are not installed while a program runs. Before it: pip install --no-index --find-links wheels -r {file}"
    )


def test_other_lines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationException, match=r"line 2 is '-r other\.txt'"):
        check_requirements(_file(tmp_path, "pytest\n-r other.txt\n"))
    with pytest.raises(ValidationException, match=r"'absent\.txt' does not exist"):
        check_requirements("absent.txt")
