"""Text that no file may contain: paths of a machine, addresses of package indexes, trailing blanks, British spelling."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

TEXT = (".py", ".toml", ".md", ".sql", ".test", ".yaml", ".yml", ".json", ".jsonl", ".txt", ".cfg", ".lark", "run", ".gitignore")
# In pieces, so that this file does not match.
MACHINE_PATHS = re.compile(
    "|".join(["/" + "root/", "/" + r"home/\w", "/" + r"Users/\w", "/" + "work/", "/" + "opt/", r"\b[A-Z]:\\" + "Users"])
)
INDEX_ADDRESSES = re.compile("|".join(["pythonhosted" + r"\.org", r"pypi" + r"\.org/simple", "arti" + "factory", "extra-" + "index-url"]))

# Stems of the verbs in -ise, of their nouns and of names made of them. Flink's key of legacy casts is what it is.
STEMS = (
    "amort author canonical central custom emphas equal final formal general initial item local material maxim memo minim modern normal optim organ "
    "parameter parametr parenthes prior quant random real recogn scrutin serial special stabil standard summar symbol synchron token util vector visual"
)
BRITISH = re.compile(
    rf"(?:un|re|de|non)?(?:{STEMS.replace(' ', '|')})i[s](?:e[drs]?|ers|ing|able|ations?)|analy[s](?:e[dr]?|ers|ing)"
    r"|(?:mis)?behavi[o]urs?|(?:dis)?(?:col|fav|hon|neighb)[o]ur(?:s|ed|ing|able|hood)?|catalog[u]es?|cent[r]es?|(?:kilo)?met[r]es?|licen[c]es?"
    r"|defen[c]e|gr[e]y|fulfi[l]s?|artefa[c]ts?|(?:label|model|travel)[l](?:ed|ing)",
)
"""A list, not a rule, because `raise` and `precise` are no British forms; with brackets, so that this file does not match."""
WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+")
NOT_AMERICAN = {
    "packages/table-common/src/table_common/secrets/keys.py": "the keys of options of others",
}
"""Files, or folders, that keep British forms, and why."""


def _hits(repository: Repository, pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(repository.root)}:{number}: {line.strip()[:120]}"
        for path in repository.files(*TEXT)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_contains_a_machine_path(repository: Repository) -> None:
    assert _hits(repository, MACHINE_PATHS) == []


def test_no_file_names_a_package_index(repository: Repository) -> None:
    assert _hits(repository, INDEX_ADDRESSES) == []


def _british(text: str) -> set[str]:
    return {word for word in set(WORD.findall(text)) if BRITISH.fullmatch(word.lower())}


def test_the_spelling_is_american(repository: Repository) -> None:
    files = {
        str(path.relative_to(repository.root)): path
        for path in repository.files(".py", ".pyi", ".md", ".toml", ".yaml", ".yml", ".sql", ".test")
    }
    texts = {
        name: f"{name}\n{path.read_text(encoding='utf-8')}" for name, path in files.items() if not name.startswith(tuple(NOT_AMERICAN))
    }
    found = {name: _british(re.sub("legacy[-_]cast[-_]behavi", "", text, flags=re.IGNORECASE)) for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_no_line_of_code_or_prose_ends_in_blanks(repository: Repository) -> None:
    wrong = [
        f"{path.relative_to(repository.root)}:{number}"
        for path in repository.files(".py", ".toml", ".md", ".sql", "run")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line != line.rstrip()
    ]
    assert wrong == []
