"""Our frozen dataclass behaves as the standard one does."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any, ClassVar

import pytest

from table_common.frozen_dataclass import _INTERPRETED, dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Base:
    """A base."""

    KIND: ClassVar[str] = "base"
    a: int
    b: int = 2
    flag: bool = field(default=True, kw_only=True)


@dataclass(frozen=True, slots=True)
class Derived(Base):
    """Overrides a default and adds fields of every sort."""

    b: int = 5
    options: dict[str, int] = field(default_factory=dict, hash=False)
    cached: int = field(default=9, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError("negative")


def test_fields_are_set_by_position_name_and_default() -> None:
    value = Derived(1, options={"x": 1}, flag=False)
    assert (value.a, value.b, value.flag, value.options, value.cached, value.KIND) == (1, 5, False, {"x": 1}, 9, "base")


def test_a_factory_makes_a_new_value_each_time() -> None:
    assert Derived(1).options is not Derived(1).options


def test_a_missing_argument_is_a_type_error_naming_it() -> None:
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required positional argument: 'a'"):
        Derived()  # type: ignore[call-arg]


def test_post_init_runs() -> None:
    with pytest.raises(ValueError, match="negative"):
        Derived(-1)


def test_equality_compares_fields_of_the_same_class() -> None:
    assert Derived(1) == Derived(1)
    assert Derived(1) != Derived(2)
    assert Base(1, 5) != Derived(1)


def test_equal_values_have_equal_hashes() -> None:
    assert hash(Derived(1, options={"x": 1})) == hash(Derived(1, options={"y": 2}))
    assert len({Base(1), Base(1), Base(2)}) == 2


def test_fields_cannot_be_set_or_deleted() -> None:
    value = Derived(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.a = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.a


def test_values_have_slots_and_no_dict() -> None:
    assert not hasattr(Derived(1), "__dict__")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_are_equal(copied: Any) -> None:
    assert copied(Derived(1, options={"x": 1})) == Derived(1, options={"x": 1})


def test_the_standard_functions_know_the_fields() -> None:
    assert [f.name for f in dataclasses.fields(Derived)] == ["a", "b", "flag", "options", "cached"]
    assert replace(Derived(1), a=3) == Derived(3)
    assert dataclasses.is_dataclass(Derived)


def test_repr_is_the_standard_one() -> None:
    assert repr(Derived(1)) == "Derived(a=1, b=5, flag=True, options={})"


def test_patterns_match_by_position() -> None:
    match Derived(1, 7):
        case Base(a, b):
            assert (a, b) == (1, 7)


def test_other_options_create_the_standard_class() -> None:
    @dataclass
    class Mutable:
        x: int = 1

    value = Mutable()
    value.x = 2
    assert value == Mutable(2)


@dataclass
class Counter:
    """May change."""

    count: int = 0
    seen: list[int] = field(default_factory=list)


@dataclass(frozen=True, order=True)
class Version:
    """Has an order, and no slots."""

    major: int
    minor: int = 0


@dataclass(frozen=True, eq=False)
class Handle:
    """Is equal to itself only."""

    name: str = ""


def test_a_class_that_is_not_frozen_can_change_and_has_no_hash() -> None:
    counter = Counter()
    counter.count += 1
    assert counter == Counter(1)
    assert counter.seen == []
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


def test_order_compares_fields_in_turn() -> None:
    assert sorted([Version(2), Version(1, 5), Version(1)]) == [Version(1), Version(1, 5), Version(2)]
    assert Version(1) <= Version(1)
    assert Version(2) > Version(1, 9)
    with pytest.raises(TypeError):
        Version(1) < 1  # type: ignore[operator]  # noqa: B015


def test_without_slots_defaults_are_attributes_of_the_class() -> None:
    assert Version.minor == 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        Version(1).major = 2  # type: ignore[misc]


def test_without_eq_objects_are_equal_to_themselves_only() -> None:
    handle = Handle("a")
    assert handle == handle
    assert handle != Handle("a")
    assert pickle.loads(pickle.dumps(handle)).name == "a"


def test_the_first_objects_are_made_without_a_compiled_method_and_are_equal_to_the_later_ones() -> None:
    @dataclass(frozen=True, slots=True)
    class Node:
        a: int
        b: tuple[int, ...] = ()
        c: list[int] = field(default_factory=list, kw_only=True)
        d: int = field(init=False, default=7)

    first = [Node(number, b=(2,), c=[3]) for number in range(_INTERPRETED)]
    assert not hasattr(Node.__init__, "__code__") or Node.__init__.__code__.co_name == "first_call"
    later = [Node(number, (2,), c=[3]) for number in range(_INTERPRETED)]
    assert Node.__init__.__qualname__.endswith("Node.__init__")
    assert first == later
    assert first[0].d == 7
    assert Node(1).c is not Node(1).c


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((1, 2, 3), {}), ((1,), {"a": 2}), ((2,), {"a": 1, "b": 3}), ((1,), {"unknown": 2})]
)
def test_a_wrong_first_call_is_the_error_of_the_standard_decorator(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    class Fields:
        a: int
        b: int = 0

    ours: Any = dataclass(frozen=True)(type("Node", (Fields,), {"__annotations__": Fields.__annotations__, "b": 0}))
    theirs: Any = dataclasses.dataclass(frozen=True)(type("Node", (Fields,), {"__annotations__": Fields.__annotations__, "b": 0}))
    with pytest.raises(TypeError) as expected:
        theirs(*args, **kwargs)
    with pytest.raises(TypeError) as raised:
        ours(*args, **kwargs)
    assert str(raised.value) == str(expected.value)
