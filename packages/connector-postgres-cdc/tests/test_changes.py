"""Random changes of a table by hand-made messages, against a model that goes through them one by one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from log_tables import decoded, decoder
from pgoutput_bytes import begin, delete, insert, messages, relation, update

VALUES = st.tuples(
    st.sampled_from(["1", "2", "3"]), st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
)
CHANGES = st.lists(st.tuples(st.sampled_from(["insert", "update", "delete", "begin"]), VALUES, VALUES), max_size=30)


@given(changes=CHANGES, is_upsert=st.booleans())
def test_rows_are_those_of_a_model(changes: list[tuple[str, Any, Any]], is_upsert: bool) -> None:
    parts, expected = [begin(5), relation(("id", "s"))], []
    for kind, old, new in changes:
        if kind == "begin":
            parts.append(begin(7))
        elif kind == "insert":
            parts.append(insert(new))
            expected.append(("+I", *new))
        elif kind == "delete":
            parts.append(delete(old))
            expected.append(("-D", *old))
        else:
            parts.append(update(new, old))
            if old[0] != new[0]:
                expected += [("-D", *old), ("+I", *new)]
            else:
                expected += [("+U", *new)] if is_upsert else [("-U", *old), ("+U", *new)]
    assert decoded(decoder(upsert=is_upsert), messages(*parts)) == expected
