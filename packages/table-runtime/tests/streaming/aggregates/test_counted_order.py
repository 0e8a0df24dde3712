from __future__ import annotations

import random

from table_runtime.streaming.aggregates.counted_order import CountedOrder


def test_it_behaves_like_a_sorted_list() -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    order, model = CountedOrder(), []
    for number in range(6000):
        if chance.random() < (0.8 if number < 4000 else 0.2):
            value, count = chance.randrange(3000) / 2, chance.choice([1, 1, 3])
            order.add(value, count)
            model += [value] * count
            model.sort()
        else:
            value = chance.choice(model) if model and chance.random() < 0.9 else -1.0
            assert order.remove(value, 1) == (value in model)
            if value in model:
                model.remove(value)
        assert order.size == len(model)
        if model:
            position = chance.randrange(len(model))
            assert order.at(position) == model[position]
    assert [value for value, count in order for _ in range(count)] == model
