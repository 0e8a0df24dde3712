from __future__ import annotations

import random

import pytest

from table_runtime.streaming.aggregates.bag import Bag


@pytest.mark.parametrize("distinct", [3, 40, 1000])
def test_removal_removes_the_first_equal_value(distinct: int) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    bag: Bag[int] = Bag()
    model: list[int] = []
    for number in range(3000):
        value = chance.randrange(distinct)
        if chance.random() < (0.6 if number < 1500 else 0.3):
            bag.add(value)
            model.append(value)
        else:
            if model and chance.random() < 0.7:
                value = chance.choice([model[0], model[-1], chance.choice(model)])
            assert bag.remove(value) == (value in model)
            if value in model:
                model.remove(value)
        assert (len(bag), bag.first(), bag.last()) == (len(model), model[0] if model else None, model[-1] if model else None)
        if number % 50 == 0:
            assert list(bag) == model


def test_removal_from_a_large_bag_takes_constant_time() -> None:
    bag: Bag[int] = Bag()
    for number in range(200_000):
        bag.add(number)
    for number in reversed(range(0, 200_000, 2)):  # a linear search for each would take minutes
        assert bag.remove(number)
    assert (len(bag), bag.first(), bag.last()) == (100_000, 1, 199_999)
