"""The programs of the documentation site run as written and print what the pages say."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sql_client.cli import main
from table_api import EnvironmentSettings, TableEnvironment
from table_api.sql import parse_script

DOCS = Path(__file__).parents[2] / "docs"
PIPELINE = re.compile(r"^## (.*?)$.*?^```(sql|python)\n(.*?)^```\n\n```text\n(.*?)^```", re.DOTALL | re.MULTILINE)
PIPELINES = PIPELINE.findall((DOCS / "cookbook.md").read_text(encoding="utf-8"))
FILE = re.compile(r"Save this as `([\w.]+)`:\n\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_the_cookbook_has_ten_pipelines() -> None:
    assert len(PIPELINES) == 10


@pytest.mark.parametrize(("language", "program", "output"), [one[1:] for one in PIPELINES], ids=[one[0] for one in PIPELINES])
def test_a_pipeline_prints_what_the_page_says(
    language: str, program: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if language == "sql":
        Path("pipeline.sql").write_text(program, encoding="utf-8")
        assert main(["-q", "-f", "pipeline.sql"]) == 0
    else:
        exec(compile(program, "pipeline", "exec"), {"__name__": "__main__"})
    assert _lines(capsys.readouterr().out) == _lines(output)


def test_the_steps_of_the_start_print_what_the_page_says(tmp_path: Path) -> None:
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    for name, content in FILE.findall(page):
        (tmp_path / name).write_text(content, encoding="utf-8")
    steps = [step for block in CONSOLE.findall(page) for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    compared = 0
    for step in steps:
        command, _, output = step.partition("\n")
        if "pip install" in command:  # test_install.py installs
            continue
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        assert _lines(done.stdout) == _lines(output), command
        compared += 1
    assert compared == 5


@pytest.mark.parametrize("page", ["concepts.md", "from-pyflink.md", "from-spark.md", "operating.md", "guide/materialized-tables.md"])
def test_the_programs_of_a_page_run_one_after_the_other(page: str) -> None:
    program = "".join(PYTHON.findall((DOCS / page).read_text(encoding="utf-8")))
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.sql.shuffle.partitions=2 pyspark-shell"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


BLOCK = re.compile(r"^```(sql|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = [
    page
    for page in sorted([*DOCS.parent.glob("*.md"), *DOCS.rglob("*.md"), *DOCS.parent.glob("packages/*/README.md")])
    if page.name != "CHANGELOG.md"
]
HAS_BLOCKS = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", HAS_BLOCKS, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_examples_have_no_syntax_errors(page: Path) -> None:
    for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            compile(text, page.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        elif "…" not in text:
            parse_script(text)


def test_the_module_of_the_guide_has_its_function_and_its_type() -> None:
    names: dict[str, Any] = {}
    exec(compile(PYTHON.findall((DOCS / "guide" / "modules.md").read_text(encoding="utf-8"))[0], "modules.md", "exec"), names)
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as env:
        env.load_module("geo", names["GeoModule"]())
        rows = env.execute_sql("SELECT geo_distance(1, 2, 4, 6), CAST(ROW(1.5, 2.5) AS geo_point)").collect()
        assert [tuple(row) for row in rows] == [(5.0, (1.5, 2.5))]


def test_the_configuration_file_of_the_client_is_that_of_its_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (DOCS.parent / "packages" / "sql-client" / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    for name, content in {
        "sql-client.yaml": example,
        "data/flights.csv": "carrier,dep_delay\nAA,61\nDL,5\nUA,NA\n",
        "my_functions.py": "from table_api.udf import ScalarFunction\n\nclass Twice(ScalarFunction):\n    def eval(self, x: int) -> int:\n        return 2 * x\n",
        "start.sql": "CREATE VIEW all_late AS SELECT carrier, twice(dep_delay) AS n FROM late;",
    }.items():
        Path(name).write_text(content, encoding="utf-8")
    assert main(["--config", "sql-client.yaml", "--result-mode", "csv", "-e", "SELECT * FROM all_late"]) == 0
    assert capsys.readouterr().out == "carrier,n\nAA,122\n"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
