"""A secret that is a word of the project's own texts changes no message: it reads as with any other secret, but for the statement below it.

A secret that is no such word is masked wherever it stands. The words are those of the loaded modules, chosen at random with a printed seed.
"""

from __future__ import annotations

import random
import re

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableError
from table_common.exceptions import TableException
from table_common.redaction import HiddenValues
from table_common.secrets.words_of_messages import is_of_messages
from table_testing.rounds import rounds

SEED = 20_260_129
WORDS = 40
NEUTRAL = "Qz7xUnlikely9"
STATEMENTS = [
    "SET x.password = {secret}",
    "CREATE TABLE k (a INT, b NOSUCHTYPE) WITH ('connector' = 'filesystem', 'password' = '{secret}')",
    "CREATE TABLE k (a INT, a INT) WITH ('connector' = 'filesystem', 'password' = '{secret}')",
    "CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'password' = '{secret}')",
    "SELECT nosuch(1) /* 'password' = '{secret}' */",
    "SELECT b FROM t /*+ OPTIONS('password' = '{secret}') */",
    "SELECT a FROM t /*+ OPTIONS('password' = '{secret}') */ GROUP BY b",
    "INSERT INTO nosuch /*+ OPTIONS('password' = '{secret}') */ SELECT a FROM t",
    "SELECT CAST(a AS ROW<b INT>) FROM t /*+ OPTIONS('password' = '{secret}') */",
]


def messages(secret: str) -> list[tuple[str, str | None]]:
    """Returns message and hint of the error of each statement, with a secret in it."""
    found = []
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
        for statement in STATEMENTS:
            with pytest.raises(TableError) as caught:
                env.execute_sql(statement.format(secret=secret))
            found.append((caught.value.message, caught.value.hint))
    return found


def test_words_of_messages_are_not_masked_in_messages() -> None:
    expected = messages(NEUTRAL)
    words = sorted(
        {word for message, hint in expected for word in re.findall(r"[A-Za-z]{3,}", re.sub(r"'[^']*'", "", f"{message} {hint}"))}
    )
    chosen = random.Random(SEED).sample(words, min(WORDS, len(words)))
    for word in chosen:
        assert messages(word) == expected, f"seed {SEED}, word {word}"


def test_other_secrets_are_masked_wherever_they_stand() -> None:
    chooser = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz"
    for _ in rounds(200):
        secret = "".join(chooser.choices(letters + "0123456789-._" * chooser.randrange(2), k=chooser.randrange(8, 20)))
        if is_of_messages(secret):
            continue
        hidden = HiddenValues.of_options({"password": secret})
        text = chooser.choice(["refused {} now", "{}", "x{}y", "'{}'", "of ({})"]).format(secret)
        assert secret not in hidden.in_text(text), f"seed {SEED}"
        assert secret not in hidden.in_own_text(text), f"seed {SEED}"


@pytest.mark.parametrize("word", ["value", "column", "table", "type"])
def test_word_is_masked_where_it_is_a_value(word: str) -> None:
    """In quotes, after a sign, and everywhere in the text of another library."""
    assert is_of_messages(word)
    hidden = HiddenValues.of_options({"password": word})
    error = TableException(f"The {word} '{word}' is wrong (password={word}): no {word} {word} here.")
    error.__cause__ = ValueError(f"no {word} {word} here")
    hidden.in_error(error)
    assert error.message == f"The {word} '******' is wrong (password=******): no ****** ****** here."
    assert str(error.__cause__) == "no ****** ****** here"
