from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyarrow", "hypothesis", "pandas", "numpy"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refuse())
import table_common

names = []
def walk(path, prefix):
    for info in pkgutil.iter_modules(path, prefix):
        if info.name == "table_common.arrow":
            continue
        module = importlib.import_module(info.name)
        names.append(info.name)
        if info.ispkg:
            walk(module.__path__, info.name + ".")

walk(table_common.__path__, "table_common.")
assert "table_common.types.parser" in names
"""


def test_everything_but_the_arrow_part_is_imported_without_pyarrow_and_hypothesis() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
