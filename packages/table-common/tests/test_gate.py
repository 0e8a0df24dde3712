"""The gate makes the values with which code opens what a statement names."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import ModuleType

import pytest

from table_common.configuration import Configuration
from table_common.exceptions import ValidationException
from table_common.gate import Gate, current_gate, import_allowed, restrictions_in_force
from table_common.restrictions import Restrictions, current_restrictions, keeping_restrictions


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """A gate to the folder ``in``, in which ``link`` leads out."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "inner").symlink_to(tmp_path / "in")
    return Gate(Restrictions(("json",), (f"{tmp_path}/in", "tcp://broker:9092", "http://registry")))


def test_without_restrictions_a_path_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert current_gate().path(f"file://{tmp_path}/link/a%20b", "here") == tmp_path / "link" / "a b"


def test_what_was_checked_is_what_is_opened(gate: Gate, tmp_path: Path) -> None:
    assert gate.path(f"{tmp_path}/in/inner/x", "here") == tmp_path.resolve() / "in" / "x"


def test_a_path_that_leads_out_is_refused_with_its_place(gate: Gate, tmp_path: Path) -> None:
    with pytest.raises(ValidationException, match=r"The option 'path' of table t: the path '.*' must not be used by statements"):
        gate.path(f"file://{tmp_path}/in/%2e%2e/out/x", "The option 'path' of table t")


def test_found_links_are_resolved(gate: Gate, tmp_path: Path) -> None:
    assert gate.found_all([tmp_path / "in" / "a%2e%2e"], "here") == [tmp_path / "in" / "a%2e%2e"]
    with pytest.raises(ValidationException, match="must not be used"):
        gate.found_all([tmp_path / "in" / "x", tmp_path / "in" / "link" / "x"], "here")
    with pytest.raises(ValidationException, match="must not be used"):
        gate.found(tmp_path / "in" / "link", "here")


def test_hosts_are_allowed_by_address(gate: Gate) -> None:
    assert gate.host("broker:9092", "here") == "broker:9092"
    for addresses in ("broker:9093", "broker:9092,evil:9092", "PLAINTEXT://evil:9092", "broker"):
        with pytest.raises(ValidationException, match="must not be used"):
            gate.host(addresses, "here")


def test_a_location_is_a_path_or_a_url(gate: Gate, tmp_path: Path) -> None:
    assert gate.location(f"{tmp_path}/in", "here") == tmp_path.resolve() / "in"
    assert gate.location("http://registry/a", "here") == "http://registry/a"
    with pytest.raises(ValidationException, match="not on this machine"):
        current_gate().path("s3://bucket/x", "here")


def test_modules_and_their_members(gate: Gate) -> None:
    module = import_allowed(gate.module("json", "here"))
    assert isinstance(module, ModuleType)
    assert gate.member(module, "dumps", "here")({}) == "{}"
    with pytest.raises(ValidationException, match="must not be imported"):
        gate.module("os", "here")
    with pytest.raises(AttributeError):
        gate.member(module, "nothing", "here")
    with pytest.raises(ValidationException, match="must not be imported"):
        gate.member(module, "codecs", "here")


def test_a_gate_can_be_kept_for_another_process(gate: Gate) -> None:
    kept = pickle.loads(pickle.dumps(gate))
    with kept.in_force():
        assert current_gate() == gate
        work = keeping_restrictions(lambda: current_gate() == gate)
    assert work()
    assert current_gate().is_open


def test_the_gate_of_a_session_follows_its_options() -> None:
    assert not Gate.of_session(Configuration()).restricts_code
    assert Gate.of_session(Configuration({"table.security.allowed-modules": ""})).restricts_code


def test_what_the_program_chose_is_not_checked() -> None:
    with Gate(Restrictions(paths=())).in_force():
        assert Gate.of_program(Path("/x")) == Path("/x")
        assert Gate.location_of_program("file:///a%20b") == Path("/a%20b")
        assert Gate.location_of_program("s3://b/x/") == "s3://b/x"


def test_nothing_is_restricted_by_default() -> None:
    assert current_restrictions() == Restrictions()


def test_restrictions_hold_inside_of_their_context_only() -> None:
    with restrictions_in_force(Configuration({"table.security.allowed-modules": "a; b.c"})):
        assert current_restrictions() == Restrictions(modules=("a", "b.c"))
    assert current_restrictions() == Restrictions()


def test_empty_list_allows_nothing() -> None:
    with restrictions_in_force(Configuration({"table.security.allowed-paths": ""})):
        assert current_restrictions() == Restrictions(paths=())
