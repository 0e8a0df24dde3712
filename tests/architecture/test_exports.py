"""The names of a package stand once, in its stub; ``scripts/exports.py`` writes them into the package."""

from __future__ import annotations

import ast
import runpy
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

ROOT = Path(__file__).parents[2]


SCRIPT = SimpleNamespace(**runpy.run_path(str(ROOT / "scripts" / "exports.py")))


def test_packages_have_the_names_of_their_stubs() -> None:
    stubs = list(SCRIPT.stubs(ROOT))
    texts = {stub: stub.with_suffix(".py").read_text(encoding="utf-8") for stub in stubs}
    assert len(stubs) > 50
    assert [str(stub) for stub, text in texts.items() if SCRIPT.with_exports(text, stub) != text] == [], "run python scripts/exports.py"


def test_a_name_that_a_stub_gains_is_written_into_its_package(tmp_path: Path) -> None:
    stub = tmp_path / "src" / "table_some" / "part" / "__init__.pyi"
    stub.parent.mkdir(parents=True)
    stub.write_text("from table_some.part.b import B as B\nfrom table_some.part.b import A as A\nfrom table_other import c as c\n")
    empty = 'lazy_exports(\n    __name__,\n    """\n    """,\n)\n'
    written = 'lazy_exports(\n    __name__,\n    """\n    table_other: c\n    .b: A B\n    """,\n)\n'
    assert SCRIPT.with_exports(empty, stub) == written


def test_a_stub_has_nothing_but_names_of_its_distribution_and_of_table_common() -> None:
    wrong = []
    for stub in SCRIPT.stubs(ROOT):
        own = stub.parts[stub.parts.index("src") + 1]
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            is_of_names = isinstance(node, ast.ImportFrom) and all(alias.name in ("*", alias.asname) for alias in node.names)
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            if (
                not is_of_names
                or not module.startswith((f"{own}.", "table_common."))
                or (own != "table_common" and module.startswith("table_common.arrow."))
            ):
                wrong.append(f"{stub}: {ast.unparse(node)}")
    assert wrong == []


def test_packages_take_names_only_from_floors_below_them(repository: Repository) -> None:
    """The import contracts read no stubs."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    wrong = []
    for contract in contracts:
        for container in contract.get("containers", ()):
            floors = {name.strip(): floor for floor, layer in enumerate(contract["layers"]) for name in layer.split("|")}
            for distribution in repository.distributions.values():
                for one in repository.imports[distribution.package]:
                    package = distribution.module_of(one.source)
                    if package.startswith(f"{container}.") and one.module.startswith(f"{container}."):
                        here, there = (module.removeprefix(f"{container}.").partition(".")[0] for module in (package, one.module))
                        if here != there and floors[there] <= floors[here]:
                            wrong.append(str(one))
    assert wrong == []
