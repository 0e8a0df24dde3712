"""The dependencies of the distribution: versions in what is published, folders in a checkout. And the build backend that decides which.

No index has the distributions of a checkout, so `pip install ./packages/table-engines` must find them beside it. The sdist names
versions, and so does every wheel that is built from it. An index refuses a wheel that names folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import hatchling.build
from hatchling.build import (
    build_editable,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)
from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

BUILDS_SDIST = "TABLE_ENGINES_BUILDS_SDIST"  # hatchling loads the hook as another module: only the environment is common to both
VERSIONS = ">=0.1,<0.2"
EMBEDDED = ("table-common[arrow]", "table-api[arrow]", "table-runtime[planner]")
OBJECT_STORES = ("s3", "gcs", "azure")
EXTRAS = {
    "client": ("sql-client",),
    "spark": ("table-api-bridge", "table-planner-spark"),
    "sqlite": ("connector-sqlite",),
    "jdbc": ("connector-jdbc",),
    "kafka": ("connector-kafka",),
    "postgres-cdc": ("connector-postgres-cdc",),
    **{store: (f"table-runtime[{store}]",) for store in OBJECT_STORES},
}


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Builds the sdist, which names versions."""
    os.environ[BUILDS_SDIST] = "yes"
    return hatchling.build.build_sdist(sdist_directory, config_settings)


class SiblingsHook(MetadataHookInterface):
    """Declares the siblings by version, or by folder if they are beside this one."""

    def update(self, metadata: dict[str, Any]) -> None:
        extras = {
            **EXTRAS,
            "all": tuple(requirement for extra, of_extra in EXTRAS.items() if extra not in OBJECT_STORES for requirement in of_extra),
        }
        metadata["dependencies"] = self._declarations(EMBEDDED)
        metadata["optional-dependencies"] = {extra: self._declarations(requirements) for extra, requirements in extras.items()}

    def _declarations(self, requirements: Iterable[str]) -> list[str]:
        return [declaration for requirement in requirements for declaration in self._declare(requirement)]

    def _declare(self, requirement: str) -> Iterator[str]:
        name = requirement.partition("[")[0]
        sibling = Path(self.root).resolve().parent / name
        if BUILDS_SDIST in os.environ or not (sibling / "pyproject.toml").is_file():
            yield requirement + VERSIONS
            return
        # To pip, a name with extras is another requirement, so that it would look for the plain one on the index.
        yield from dict.fromkeys(f"{one} @ {sibling.as_uri()}" for one in (name, requirement))
