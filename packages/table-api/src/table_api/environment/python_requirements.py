"""Compares a requirements file with the packages that are installed. Nothing is installed: the environment of a program belongs to its user."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from packaging.requirements import Requirement


def check_requirements(file: str, packages: str | None = None) -> None:
    """Checks that each package of a requirements file is installed, in the version that the file names.

    Lines whose markers (``; python_version…``) do not hold for this process are not checked. A pre-release that is installed fits if its version does.

    Args:
        file: the requirements file.
        packages: the folder of packages that an installation without network would use; it is named in the hint.

    Raises:
        ValidationException: the file does not exist or has a line that is no requirement, or a package is missing or of another version.
    """
    path = Path(file.removeprefix("file://"))
    if not path.is_file():
        raise ValidationException(f"The requirements file '{file}' does not exist.")
    from packaging.requirements import InvalidRequirement, Requirement  # few programs need it

    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = re.sub(r"(^|\s)#.*", "", line).strip()
        if not text:
            continue
        try:
            problem = _problem(Requirement(text))
        except InvalidRequirement as error:
            raise ValidationException(
                f"The requirements file '{file}' cannot be checked: line {number} is '{text}'.",
                hint="Lines are names with versions, such as 'polars>=1.0'. Install the rest by hand, and leave it out here.",
            ) from error
        if problem is not None:
            problems.append(problem)
    if problems:
        source = f" --no-index --find-links {packages}" if packages is not None else ""
        raise ValidationException(
            f"The environment of this process does not have what '{file}' requires: {'; '.join(problems)}.",
            hint=f"Packages are not installed while a program runs. Before it: pip install{source} -r {file}",
        )


def _problem(requirement: Requirement) -> str | None:
    if requirement.marker is not None and not requirement.marker.evaluate():
        return None
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return f"{requirement.name} is not installed"
    if requirement.url is not None or requirement.specifier.contains(installed, prereleases=True):
        return None
    return f"{requirement.name} is installed as {installed}, not {requirement.specifier}"
