"""CHANGELOG.md and the fragments in ``changelog.d``: short, named by topic and kind, with links to pages that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"
FRAGMENTS = ROOT / "changelog.d"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(added|changed|fixed|removed)\.md")
MOST_CHARACTERS = 80
MOST_LINES = 5
MOST_LINES_OF_A_RELEASE = 200


def faults(name: str, text: str) -> list[str]:
    """Returns what is wrong with a fragment."""
    lines = text.splitlines()
    return [
        *([] if NAME.fullmatch(name) else [f"{name}: the name must be <topic>.<kind>.md, of the kind added, changed, fixed or removed"]),
        *([] if 0 < len(lines) <= MOST_LINES else [f"{name}: a fragment has 1 to {MOST_LINES} lines, not {len(lines)}"]),
        *(
            f"{name}:{number}: longer than {MOST_CHARACTERS} characters"
            for number, line in enumerate(lines, 1)
            if len(line) > MOST_CHARACTERS
        ),
        *([] if text.startswith("- ") else [f"{name}: the text must begin with '- ', as an entry of CHANGELOG.md does"]),
    ]


def test_fragments_are_short_and_named_by_topic_and_kind() -> None:
    files = [path for path in sorted(FRAGMENTS.iterdir()) if path.name != ".gitkeep"]
    assert [fault for path in files for fault in faults(path.name, path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kafka.md", "- A change."),
        ("kafka.improved.md", "- A change."),
        ("Kafka.fixed.md", "- A change."),
        ("kafka.fixed.md", ""),
        ("kafka.fixed.md", "A change."),
        ("kafka.fixed.md", "- " + "long " * 20),
        ("kafka.fixed.md", "- One.\n" * 6),
    ],
)
def test_a_wrong_fragment_is_found(name: str, text: str) -> None:
    assert faults("kafka-headers.fixed.md", "- The header of a message may be NULL.\n") == []
    assert faults(name, text)


def test_a_release_has_at_most_200_lines() -> None:
    releases = re.split(r"^## ", CHANGELOG.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert releases
    assert [release.partition("\n")[0] for release in releases if release.count("\n") > MOST_LINES_OF_A_RELEASE] == []


def test_links_of_the_changelog_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", CHANGELOG.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []
