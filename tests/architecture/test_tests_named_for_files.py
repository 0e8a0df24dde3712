"""The unit test of ``a/b/c.py`` is ``tests/a/b/test_c.py`` of the same distribution, below ``tests/<extra>`` if it needs an extra."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

SHORT = 80
"""Files up to this number of lines may be tested through their users."""
FOLDERS_OF_EXTRAS = ("", "arrow", "connect", "extras", "object_stores", "streaming", "with_pandas")
"""Folders of tests that run in an environment with an extra (``UNIT_TEST_RUNS`` in noxfile.py)."""


def _without_own_test(repository: Repository) -> set[str]:
    names = set()
    for distribution in repository.distributions.values():
        for source in distribution.sources:
            if source.name == "__init__.py" or len(source.read_text(encoding="utf-8").splitlines()) <= SHORT:
                continue
            package, *inner = source.relative_to(distribution.root / "src").parts
            test = Path(*inner[:-1], f"test_{inner[-1]}")
            if not any((distribution.root / "tests" / extra / test).exists() for extra in FOLDERS_OF_EXTRAS):
                names.add("/".join([package, *inner]))
    return names


def test_a_file_of_more_than_80_lines_has_a_unit_test_with_its_name(repository: Repository) -> None:
    missing = sorted(_without_own_test(repository))
    assert not missing, f"write tests/<folder>/test_<file>.py of the same distribution for: {missing}"
