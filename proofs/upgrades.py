"""Changed statements over a savepoint: `python proofs/upgrades.py [--count N] [--seed N]`.

An example is a random statement that runs over the first rows of random tables to a savepoint, and the same statement with one thing changed (a function, a frame, a
window, a key, a column, a condition, an order, a limit, a side, a type of the tables, …), which resumes after it. Either the start is refused, or the changes that it
gives are those of the changed statement that has run from the beginning: the state is used only if it means the same. What a condition on a table has left out does
not come back, as `docs/reference/checkpoints.md` says. The changed statement that has run from the beginning is itself compared with batch mode. Changes that the
documentation promises to take (another alias, another order of keys, …), and no change at all, must not be refused.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from random_changelogs.checking import checked_examples, run_checker
from random_changelogs.plans import BatchPlan, Session, table_of
from random_upgrades.choices import Change, Choices
from random_upgrades.running import Statement, Turn, difference
from random_upgrades.statements import Text, random_statement
from random_upgrades.tables import VARIANTS, VERSIONS, Rows, random_tables

from table_common.exceptions import TableError
from table_runtime.streaming.checkpoints.state_compatibility import Verdict

__all__ = ["Checker", "examples", "main"]

CHANGES = 4
"""The number of changes that are tried for each statement."""


class Checker:
    """Runs examples in an environment per mode and kind of tables. ``found`` are the descriptions of the failures."""

    def __init__(self, folder: Path) -> None:
        self.found: list[str] = []
        self.checked: Counter[str] = Counter()
        self._streaming: dict[str, Session] = {}
        self._batch: dict[str, Session] = {}
        for number, (name, tables) in enumerate(VARIANTS.items()):
            (folder / str(number)).mkdir()
            self._streaming[name] = Session(folder / str(number), tables)
            self._streaming[name].execute(VERSIONS)
            self._batch[name] = Session(folder / str(number), tables, streaming=False)
            self._batch[name].execute("SET 'table.exec.session-windows-in-batch' = 'true'")

    def close(self) -> None:
        """Ends the sessions."""
        for session in (*self._streaming.values(), *self._batch.values()):
            session.close()

    def check(self, seed: int) -> int:
        """Checks ``CHANGES`` changes of the statement of a seed; returns their number."""
        chance = random.Random(seed)
        choices = Choices(chance)
        old_text = random_statement(choices, seed)
        old = self._statement(old_text)
        if old is None:
            return 0
        tables = random_tables(chance)
        before, after = _turns(chance, tables)
        checked = 0
        for number in range(CHANGES):
            changed = choices.changed()
            if changed is None:
                break
            new_choices, change = changed
            new_text = random_statement(new_choices, seed)
            new = self._statement(new_text)
            if new is None:
                continue
            checked += 1
            where = f"seed {seed}, change {number}, {change}\n  before: {old_text.query}\n  after:  {new_text.query}"
            text = old.manifest()
            upgrade = new.upgrade(text)
            self._note(upgrade.claims, change, is_possible=upgrade.is_possible)
            if not upgrade.is_possible:
                if change.is_harmless or new_text.query == old_text.query == "":
                    self.found.append(f"refused, though it is promised: {where}\n  {new.describe(text)}")
                continue
            cuts = {name: rows.cut for name, rows in tables.items()}
            expected_text = random_statement(new_choices, seed, choices, cuts)
            if not expected_text.is_comparable:
                self.checked["used, with conditions at other places: not compared"] += 1
                continue
            self._compare(old, new, expected_text, (tables, before, after), where, is_delayed="delay" in str(change))
        self._check_unchanged(old_text, old, seed)
        return checked

    def _statement(self, text: Text) -> Statement | None:
        try:
            statement = Statement(self._streaming[text.variant], text.query)
        except TableError as error:
            self.checked[f"not a statement: {str(error).splitlines()[0][:60]}"] += 1
            return None
        if not statement.keeps_state:
            self.checked["statements without state"] += 1
            return None
        return statement

    def _check_unchanged(self, text: Text, old: Statement, seed: int) -> None:
        again = self._statement(text)
        assert again is not None
        claims = again.upgrade(old.manifest()).claims
        if any(claim.verdict is not Verdict.EQUAL for claim in claims):
            self.found.append(f"refused without a change: seed {seed}: {text.query}\n  {again.describe(old.manifest())}")

    def _note(self, claims: Sequence[object], change: Change, *, is_possible: bool) -> None:
        verdicts = {claim.verdict for claim in claims}  # type: ignore[attr-defined]
        self.checked["used" if verdicts == {Verdict.EQUAL} else "converted" if is_possible else "refused"] += 1

    def _compare(
        self,
        old: Statement,
        new: Statement,
        text: Text,
        run: tuple[Mapping[str, Rows], Sequence[Turn], Sequence[Turn]],
        where: str,
        *,
        is_delayed: bool,
    ) -> None:
        """Compares what the changed statement gives after the savepoint with what it gives if it has run from the beginning."""
        tables, before, after = run
        savepoint, first = old.begin(tables, before)
        try:
            second = new.go_on(savepoint, tables, after)
        except Exception as error:
            self.found.append(f"{type(error).__name__}: {error}: {where}\n  {new.describe(savepoint.manifest)}")
            return
        straight = Statement(self._streaming[text.variant], text.query)
        middle, early = straight.begin(tables, before)
        late = straight.go_on(middle, tables, after)
        found, expected = (table_of([*first, *second]), table_of([*early, *late])) if is_delayed else (table_of(second), table_of(late))
        if found != expected:
            lines = "\n  ".join(difference(found, expected))
            self.found.append(f"other rows: {where}\n  {new.describe(savepoint.manifest)}\n  {lines}")
        self.checked["with rows"] += bool(expected)
        if not text.is_ordered and not text.is_streaming_only:
            rows = BatchPlan(self._batch[text.variant], text.query).rows(tables)
            self.checked["compared with batch mode"] += 1
            if table_of([*early, *late]) != rows:
                lines = "\n  ".join(difference(table_of([*early, *late]), rows))
                self.found.append(f"another table than in batch mode: {where}\n  {lines}")


def _turns(chance: random.Random, tables: Mapping[str, Rows]) -> tuple[list[Turn], list[Turn]]:
    """Returns the order in which rows come, before and after the savepoint: table by table, some in two parts."""
    parts: tuple[list[Turn], list[Turn]] = ([], [])
    for number, part in enumerate(parts):
        for name, rows in tables.items():
            start, end = (0, rows.cut) if number == 0 else (rows.cut, len(rows.rows))
            middle = chance.randrange(start, end + 1) if rows.kinds is None else start
            part += [Turn(name, start, middle), Turn(name, middle, end)]
        chance.shuffle(part)
        part.sort(key=lambda turn: turn.start)
    return parts


def examples(count: int, seed: int) -> Iterator[tuple[int, Checker]]:
    """Checks ``count`` changes; yields their number so far and the checker after each statement."""
    return checked_examples(Checker, count, seed)


def main() -> int:
    """Runs the program; returns 1 if a check fails."""
    return run_checker(__doc__, Checker)


if __name__ == "__main__":
    sys.exit(main())
