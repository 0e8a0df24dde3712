import pytest

from table_api.operations.changelog import ALL_KINDS, INSERT_ONLY, Changes, DeleteKind, ModifyKind, UpdateKind, modify_kinds_of
from table_common.connector import ChangelogMode, RowKind


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (INSERT_ONLY, "I"),
        (Changes(ALL_KINDS, UpdateKind.BEFORE_AND_AFTER, DeleteKind.FULL_DELETE), "I,UB,UA,D"),
        (Changes(ALL_KINDS, UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.DELETE_BY_KEY), "I,UA,PD"),
    ],
)
def test_changes_are_printed_as_in_flink(changes: Changes, text: str) -> None:
    assert str(changes) == text


def test_changes_convert_to_a_changelog_mode() -> None:
    changes = Changes(ALL_KINDS, UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.DELETE_BY_KEY)
    assert changes.changelog_mode == ChangelogMode.upsert()
    assert INSERT_ONLY.changelog_mode == ChangelogMode.insert_only()
    assert INSERT_ONLY.is_insert_only
    assert not changes.is_insert_only


def test_row_kinds_describe_kinds_of_changes() -> None:
    assert modify_kinds_of(RowKind) == ALL_KINDS
    assert modify_kinds_of([RowKind.INSERT]) == {ModifyKind.INSERT}
    assert modify_kinds_of([RowKind.UPDATE_AFTER, RowKind.DELETE]) == {ModifyKind.UPDATE, ModifyKind.DELETE}
