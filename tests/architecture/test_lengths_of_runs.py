"""The markers of conftest.py: what runs by day and what only at night."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = "pytester"
Collect = Callable[..., list[str]]
CONFTEST = (Path(__file__).parents[2] / "conftest.py").read_text(encoding="utf-8")
PROGRAM = """
import pytest

@pytest.mark.night
def test_long():
    pass

@pytest.mark.sampled(1)
@pytest.mark.parametrize("a", "xyz")
@pytest.mark.parametrize(("b", "c"), [(1, 2), (3, 4)])
def test_each_value(a, b, c):
    print(f"<{a}{b}>")

@pytest.mark.sampled(2)
@pytest.mark.parametrize("a", "xyz")
@pytest.mark.parametrize("b", range(3))
@pytest.mark.parametrize("c", [True, False])
def test_each_pair(a, b, c):
    print(f"<{a}{b}{c}>")
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Collect:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(PROGRAM)

    def collect(*arguments: str, tests: str = "") -> list[str]:
        monkeypatch.setenv("TESTS", tests)
        lines = pytester.runpytest_subprocess("--collect-only", "-q", "-p", "no:cacheprovider", "-W", "ignore", *arguments).outlines
        return [line.partition("::")[2] for line in lines if "::" in line]

    return collect


def test_by_day_each_value_or_pair_of_values_occurs_and_the_long_tests_do_not_run(run: Collect) -> None:
    names = run()
    values = [name for name in names if name.startswith("test_each_value")]
    assert len(values) == 3
    assert {text for name in values for text in name.rpartition("[")[2][:-1].split("-")} == {"x", "y", "z", "1", "2", "3", "4"}
    pairs = [name.rpartition("[")[2][:-1].split("-") for name in names if name.startswith("test_each_pair")]
    assert len(pairs) < 3 * 3 * 2
    for one, other, count in ((0, 1, 6), (0, 2, 6), (1, 2, 9)):
        assert len({(pair[one], pair[other]) for pair in pairs}) == count
    assert len(names) == len(values) + len(pairs)


def test_at_night_everything_runs(run: Collect) -> None:
    assert len(run(tests="night")) == 1 + 6 + 18


def test_what_is_named_runs_by_day(run: Collect) -> None:
    file = next(Path.cwd().glob("test_*.py")).name
    assert run(f"{file}::test_long") == ["test_long"]
    assert len(run(f"{file}::test_each_value")) == 6
