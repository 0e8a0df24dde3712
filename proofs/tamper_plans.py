"""Modified compiled plans run or end in one of our errors.

    python proofs/tamper_plans.py [--engine arrow|spark] [--count 5000] [--seed 1] [--report FILE]

Queries of the conformance corpus, of the project's own cases and random ones are compiled as insertions into a ``blackhole`` table. In the JSON of
each plan one to three parts are removed, or replaced by other parts, by parts of another plan or by unrelated
values. Then the plan is loaded and run in a child process (``mutants_worker.py``), so that a crash or a hang is detected.

The exit status is 1 if any plan failed.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mutate_sql import PATIENCE, Job, Worker, originals, outcomes, print_bad

PLANS = 400
"""The maximum number of plans to modify."""
WRONG: list[Any] = [None, True, False, 0, -1, 1 << 31, 1 << 63, 10**30, "", "x", "\x00", "a" * 5000, [], {}, 1.5, 1e308, [[]], [None]]
WRONG += [
    {"$node": 1},
    {"$node": 99},
    {"$node": []},
    {"$enum": "X.Y"},
    {"$enum": []},
    {"$enum": "JoinType.FULL"},
    {"$decimal": "x"},
    {"$decimal": "NaN"},
]
WRONG += [
    {"$decimal": "1e99999"},
    {"$date": "1"},
    {"$date": "0001-01-01"},
    {"$bytes": "zz"},
    {"$bytes": []},
    {"$float": "q"},
    {"$float": "nan"},
]
WRONG += [
    {"$seconds": 1e300},
    {"$seconds": "x"},
    {"$map": 1},
    {"$map": [[1, 2]]},
    {"$map": [[[], 1]]},
    {"$map": [[{}, 1]]},
    {"$table": {}},
    {"$table": []},
]
WRONG += [
    {"$function": "COUNT"},
    {"$function": "UPPER"},
    {"$function": {}},
    {"$userFunction": {"class": "os.system"}},
    {"$userFunction": 1},
]
WRONG += [
    {"$type": text} for text in ("ARRAY<", "INT", "STRING NOT NULL", "ROW<a INT>", "DECIMAL(99, 1)", "SYMBOL", "NULL", "TIMESTAMP(3)")
]
WRONG += [
    {"$type": "TIMESTAMP(3)", "kind": "X"},
    {"$type": "INT", "kind": "ROWTIME"},
    {"$type": []},
    {"type": "Filter"},
    {"type": []},
    {"$unknown": 1},
]
SMALL = ["true", "1", "0", "", "a", "NULL", "INT", "t", "-1", "id"]


def plans(generator: random.Random, count: int) -> Iterator[Job]:
    """Yields compiled plans."""
    worker = Worker("arrow")
    found = originals(generator, count * 2)
    generator.shuffle(found)
    made = 0
    for job in found:
        answer = worker.ask("compile", job)
        if "plan" in answer:
            made += 1
            yield replace(job, sql=answer["plan"])
        if made == count:
            break
    worker.close()


def tampered(text: str, other: str, generator: random.Random) -> str:
    """Returns the JSON of a plan with one to three modified parts."""
    changed, stranger = json.loads(text), json.loads(other)
    for _ in range(generator.choice((1, 1, 1, 2, 3))):
        places = [path for path, _ in _places(changed)][1:]
        if not places:
            break
        # Most parts are deeply nested; drawing a depth first also selects outer ones.
        depth = generator.choice([len(path) for path in places])
        path = generator.choice([one for one in places if len(one) == depth] if generator.random() < 0.3 else places)
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        holder_key = path[-1]
        match generator.randrange(9):
            case 0:
                del holder[holder_key]
            case 1 | 2:
                holder[holder_key] = copy.deepcopy(generator.choice(_places(changed))[1])
            case 3:
                holder[holder_key] = copy.deepcopy(generator.choice(_places(stranger))[1])
            case 4 if _like(changed, path):
                holder[holder_key] = copy.deepcopy(generator.choice(_like(changed, path)))
            case 5:
                holder[holder_key] = _near(holder[holder_key], generator)
            case 6 if isinstance(holder, list):
                holder.insert(holder_key, copy.deepcopy(generator.choice(holder)))
            case _:
                holder[holder_key] = copy.deepcopy(generator.choice(WRONG))
    return json.dumps(changed)


def _like(document: Any, path: tuple[Any, ...]) -> list[Any]:
    """Returns a value with the same key from elsewhere in the document, so that it has the expected type."""
    return [value for other, value in _places(document) if other and other[-1] == path[-1] and other != path]


def _near(value: Any, generator: random.Random) -> Any:
    """Returns another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + generator.choice((-1, 1, 2, 1000))
        case str():
            return generator.choice([*SMALL, value[:-1], value * 2, value.upper()])
        case list():
            return value[::-1] if generator.random() < 0.5 else value[:-1]
        case dict():
            return dict(list(value.items())[::-1]) if generator.random() < 0.5 else {**value, "x": 1}
    return generator.choice(SMALL)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """Returns every part of a document with its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(path, value), *(place for key, item in items for place in _places(item, (*path, key)))]


def main() -> int:
    """Runs the proof."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("arrow", "spark"), default="arrow")
    parser.add_argument("--count", type=int, default=5000, help="plans that are run (default: 5000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="file for all plans and their outcomes, as lines of JSON")
    parser.add_argument(
        "--patience", type=float, default=PATIENCE, help="time limit of a plan in seconds (default: 10); increase it on a loaded machine"
    )
    arguments = parser.parse_args()
    print(f"{arguments.count} plans on {arguments.engine}, seed {arguments.seed}", flush=True)
    generator = random.Random(arguments.seed)
    found = list(plans(generator, min(PLANS, arguments.count)))
    print(f"{len(found)} compiled plans", flush=True)
    drawn = sorted((generator.choice(found) for _ in range(arguments.count)), key=lambda job: job.setup)
    todo = [replace(job, sql=tampered(job.sql, generator.choice(found).sql, generator)) for job in drawn]
    return print_bad(outcomes(arguments.engine, todo, arguments.patience, "plan"), arguments.report)


if __name__ == "__main__":
    sys.exit(main())
