"""What PySpark keeps private, and what differs between its versions, stands in one module of each distribution that uses it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository

ALLOWED = "spark_internals.py"
PUBLIC = (
    "pyspark",
    "pyspark.accumulators",
    "pyspark.errors",
    "pyspark.logger",
    "pyspark.sql",
    "pyspark.sql.datasource",
    "pyspark.sql.types",
    "pyspark.testing.utils",
)
"""The modules of PySpark that its documentation names, and the one that is loaded for a warning."""
OF_PY4J = {"_gateway_client", "_create_new_connection"}


@pytest.mark.parametrize("name", ["table_planner_spark", "table_api_bridge"])
def test_one_module_has_the_private_names_of_pyspark(name: str, repository: Repository) -> None:
    found = {source: _private(source) for source in repository.distributions[name].sources if source.name != ALLOWED}
    assert {str(source): names for source, names in found.items() if names} == {}


def test_the_rule_finds_private_names(tmp_path: Path) -> None:
    source = tmp_path / "example.py"
    source.write_text(
        "from pyspark.sql.pandas.types import to_arrow_schema\nclass A:\n    def f(self): self._a = spark._jvm; return self._a\n"
    )
    assert _private(source) == ["_jvm", "pyspark.sql.pandas.types"]


def _private(source: Path) -> list[str]:
    """Returns the attributes with an underscore that are not the module's own, and the undocumented modules of PySpark that it imports."""
    tree = list(ast.walk(ast.parse(source.read_text())))
    attributes = [node for node in tree if isinstance(node, ast.Attribute)]
    own = {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")}
    own |= {node.name for node in tree if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    own |= {node.target.id for node in tree if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    used = {node.attr for node in attributes if node.attr.startswith("_") and not node.attr.startswith("__")}
    imported = [node.module or "" for node in tree if isinstance(node, ast.ImportFrom)]
    imported += [alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names]
    private = {module for module in imported if module.partition(".")[0] == "pyspark" and module not in PUBLIC}
    private |= {
        alias.name for node in tree if isinstance(node, ast.ImportFrom) for alias in node.names if _is_private_of_pyspark(node, alias)
    }
    return sorted((used - own - OF_PY4J) | private)


def _is_private_of_pyspark(node: ast.ImportFrom, alias: ast.alias) -> bool:
    return (node.module or "").startswith("pyspark") and alias.name.startswith("_")
