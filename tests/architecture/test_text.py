"""Text that no file may contain: paths of a machine, addresses of package indexes, trailing blanks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

TEXT = (".py", ".toml", ".md", ".sql", ".test", ".yaml", ".yml", ".json", ".jsonl", ".txt", ".cfg", ".lark", "run", ".gitignore")
# In pieces, so that this file does not match.
MACHINE_PATHS = re.compile(
    "|".join(["/" + "root/", "/" + r"home/\w", "/" + r"Users/\w", "/" + "work/", "/" + "opt/", r"\b[A-Z]:\\" + "Users"])
)
INDEX_ADDRESSES = re.compile("|".join(["pythonhosted" + r"\.org", r"pypi" + r"\.org/simple", "arti" + "factory", "extra-" + "index-url"]))


def _hits(repository: Repository, pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(repository.root)}:{number}: {line.strip()[:120]}"
        for path in repository.files(*TEXT)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_contains_a_machine_path(repository: Repository) -> None:
    assert _hits(repository, MACHINE_PATHS) == []


def test_no_file_names_a_package_index(repository: Repository) -> None:
    assert _hits(repository, INDEX_ADDRESSES) == []


def test_no_line_of_code_or_prose_ends_in_blanks(repository: Repository) -> None:
    wrong = [
        f"{path.relative_to(repository.root)}:{number}"
        for path in repository.files(".py", ".toml", ".md", ".sql", "run")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line != line.rstrip()
    ]
    assert wrong == []
