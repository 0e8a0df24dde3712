from __future__ import annotations

import pytest

from table_common.connector import ChangelogMode
from table_common.data import RowKind


def test_the_named_modes_have_flinks_kinds() -> None:
    assert str(ChangelogMode.insert_only()) == "[+I]"
    assert str(ChangelogMode.upsert()) == "[+I,+U,-D]"
    assert str(ChangelogMode.all()) == "[+I,-U,+U,-D]"


def test_upsert_deletions_carry_the_key_only_by_default() -> None:
    assert ChangelogMode.upsert().key_only_deletes
    assert not ChangelogMode.upsert(key_only_deletes=False).key_only_deletes


def test_a_builder_collects_kinds() -> None:
    mode = ChangelogMode.new_builder().add_contained_kind(RowKind.INSERT).add_contained_kind(RowKind.DELETE).key_only_deletes(True).build()
    assert mode == ChangelogMode(frozenset({RowKind.INSERT, RowKind.DELETE}), True)


def test_contains_only_is_true_for_the_single_kind() -> None:
    assert ChangelogMode.insert_only().contains_only(RowKind.INSERT)
    assert not ChangelogMode.all().contains_only(RowKind.INSERT)
    assert ChangelogMode.all().contains(RowKind.UPDATE_BEFORE)
    assert not ChangelogMode.upsert().contains(RowKind.UPDATE_BEFORE)


def test_a_mode_without_kinds_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ChangelogMode.new_builder().build()
