"""Compares a requirements file with the packages that are installed. Nothing is installed: the environment of a program belongs to its user."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from table_common.exceptions import ValidationException

_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^]]*\])?\s*(?P<versions>(?:(?:===|==|~=|!=|<=|>=|<|>)[^;#]*)?)(?:;.*)?$"
)
_CLAUSE = re.compile(r"(===|==|~=|!=|<=|>=|<|>)\s*(\S+)$")


def check_requirements(file: str, packages: str | None = None) -> None:
    """Checks that each package of a requirements file is installed, in the version that the file names.

    Lines with markers (``; python_version…``) are checked for every environment. Versions with other parts than numbers are not compared.

    Args:
        file: the requirements file.
        packages: the folder of packages that an installation without network would use; it is named in the hint.

    Raises:
        ValidationException: the file does not exist or has a line that is no requirement, or a package is missing or of another version.
    """
    path = Path(file.removeprefix("file://"))
    if not path.is_file():
        raise ValidationException(f"The requirements file '{file}' does not exist.")
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = re.sub(r"(^|\s)#.*", "", line).strip()
        if not text:
            continue
        match = _REQUIREMENT.match(text)
        if match is None:
            raise ValidationException(
                f"The requirements file '{file}' cannot be checked: line {number} is '{text}'.",
                hint="Lines are names with versions, such as 'polars>=1.0'. Install the rest by hand, and leave it out here.",
            )
        problem = _problem(match["name"], match["versions"])
        if problem is not None:
            problems.append(problem)
    if problems:
        source = f" --no-index --find-links {packages}" if packages is not None else ""
        raise ValidationException(
            f"The environment of this process does not have what '{file}' requires: {'; '.join(problems)}.",
            hint=f"Packages are not installed while a program runs. Before it: pip install{source} -r {file}",
        )


def _problem(name: str, versions: str) -> str | None:
    try:
        installed = version(name)
    except PackageNotFoundError:
        return f"{name} is not installed"
    for clause in filter(None, map(str.strip, versions.split(","))):
        match = _CLAUSE.match(clause)
        if match is not None and not _fits(installed, match[1], match[2]):
            return f"{name} is installed as {installed}, not {clause}"
    return None


def _fits(installed: str, operator: str, wanted: str) -> bool:
    if operator in ("==", "!=") and wanted.endswith(".*"):
        prefix = _numbers(wanted[:-2])
        found = _numbers(installed)
        return prefix is None or found is None or (found[: len(prefix)] == prefix) == (operator == "==")
    left, right = _numbers(installed), _numbers(wanted)
    if left is None or right is None:
        return True
    if operator == "~=":
        return left >= right and left[: len(right) - 1] == right[:-1]
    length = max(len(left), len(right))
    left, right = (numbers + (0,) * (length - len(numbers)) for numbers in (left, right))
    comparisons = {"==": left == right, "===": left == right, "!=": left != right}
    return {**comparisons, "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]


def _numbers(text: str) -> tuple[int, ...] | None:
    parts = text.split(".")
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else None
