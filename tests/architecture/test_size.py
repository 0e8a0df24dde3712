"""``scripts/size.py`` counts the files, lines, imports and type tests of packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MOST_TYPE_TESTS = 166
"""Type tests on operations in the whole project; a lower number is written here when some go."""
SCRIPT = Path(__file__).parents[2] / "scripts" / "size.py"
OPERATIONS = "class FilterOperation:\n    pass\n"
READER = """import os
from table_api.operations import (
    FilterOperation,
)

__all__ = ["f"]


def f(node: object) -> int:
    if isinstance(node, int | FilterOperation) or type(node) is FilterOperation or isinstance(node, str):
        return 1
    match node:
        case FilterOperation():
            return 2
    return os.getpid()
"""


def test_lines_imports_and_type_tests_on_operations_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "packages" / "table-api" / "src" / "table_api"
    (source / "operations").mkdir(parents=True)
    (source / "operations" / "filter.py").write_text(OPERATIONS)
    (source / "reader.py").write_text(READER)
    done = subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, check=True)
    _, package, total = done.stdout.splitlines()
    assert package.split() == ["table-api", "2", "17", "29.4", "%", "3"]
    assert total.split()[1:] == package.split()[1:]


def test_type_tests_on_operations_stay_few() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=True)
    total = done.stdout.splitlines()[-1].split()
    assert total[0] == "all"
    assert int(total[-1]) <= MOST_TYPE_TESTS, (
        "by_class, transform_up(…, of=…) and nodes_of choose by class; a property of the operation says what it knows"
    )
