"""Random regular expressions over Java's whole grammar, and random texts for them."""

from __future__ import annotations

import random

__all__ = ["random_pattern", "random_text"]


def _words(text: str) -> list[str]:
    return text.split()


CHARACTERS = [*"abcABk12 ", *"éÉß_-]}&ſK😀\n#'\"~"]
ESCAPES = _words(
    r"\d \D \w \W \s \S \h \H \v \V \e \a \t \n \r \f \cA \07 \012 \0101 \x61 \x{61} \x{1F600} \u0061 \uD83D\uDE00 \. \\ \] \- \é"
)
PROPERTIES = _words(
    r"\p{L} \pL \PL \p{Lu} \p{Ll} \P{Lu} \p{IsL} \p{IsAlphabetic} \p{IsLatin} \p{IsGreek} \p{InBasicLatin} \p{Alpha} \p{Lower} \p{Upper} "
    r"\p{Punct} \p{Space} \p{javaLowerCase} \p{javaWhitespace} \p{sc=Latn} \p{gc=Lu} \p{blk=Emoticons} \p{IsPunctuation} \p{IsWhite_Space} "
    r"\p{N} \p{S} \p{Mn} \p{IsUppercase} \p{javaLetterOrDigit} \p{ASCII} \p{Cntrl} \p{Print} \p{LC} \p{IsDigit} \P{IsWord}"
)
ODD = _words(
    r"( [ ) * + ? { a{,2} \i \p{Foo \p{isL} \p{Foo} \p{} (?z) \ [a [z-a] \k<no> \x6 \u00 \E a{2,1} (?<1>a) \8 [\d-a] [a-\d] [] [^] []a] [^]a] [a-] "
    r"[-a] [&&] [a&&] [&&a] [a&&&b] [a&b] [a&&b&c] {2} a{2}{3} a** a{99999999999} (? (?< (?<n (?i [[] [a[] x{1 \c \N{ \0 \08 \Q \Qa \Q]\E \Q1\E "
    r"[\Qa-b]\E] (?<n>b)(?<n>b) (?#a) (?P<n>a)"
)
PLACES = ["^", "$", r"\b", r"\B", r"\A", r"\z", r"\Z", r"\G"]
WRAPPED = [
    *("(?=%s)", "(?!%s)", "(?>%s)", "(?<=%s)", "(?<!%s)", "(?i:%s)", "(?iu:%s)", "(?m:%s)", "(?s:%s)", "(?-i:%s)", "(?<n>%s)", "(?U:%s)"),
    *(r"(?<n>%s)\k<n>", r"(%s)\1", "(?i)%s", "(?m)%s", "(?s)%s", "(?x)%s", "(?d)%s", "(?U)%s", "(?iu)%s", "(?-i)%s", "(?im-s)%s"),
]
BEHIND = ["(?<=a|bc)", "(?<=a+)", "(?<!a*b)", "(?<=a{1,2})", r"(?<=\R)", "(?<=(?:a|bc)d)", r"(?<=\b)", "(?<=^|a)"]
POOLS = [
    *("ab", "abcABC12", "aab\n", "aé bÉßſKK\u0301", "a\r\n\r\nb\r\n\u0085\u2028b", "a😀b ", "\x1b\x07\x01\t aA#"),
    *("aα\u0301\u0345_1²", "ab12-]}&~.\\"),
]


def _brackets(chance: random.Random, depth: int) -> str:
    parts = []
    for _ in range(chance.randrange(1, 4)):
        kind = chance.randrange(10)
        if kind < 4 or (kind > 7 and not depth):
            parts.append(chance.choice([*"abckABC12é_^-&"]))
        elif kind < 6:
            parts.append(chance.choice(["a-c", "A-K", "a-é", "0-9", r"\x41-\x5a", "à-ü", " -~"]))
        elif kind < 8:
            parts.append(chance.choice([*ESCAPES, *PROPERTIES]))
        elif kind < 9:
            parts.append(_brackets(chance, depth - 1))
        else:
            parts.append("&&" + chance.choice([_brackets(chance, depth - 1), "a-c", r"\w", "^a", "[ab]c"]))
    return f"[{chance.choice(['', '', '^'])}{''.join(parts)}]"


def _quantifier(chance: random.Random) -> str:
    return chance.choice(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "{0}"]) + chance.choice(["", "", "", "?", "+"])


def _part(chance: random.Random, depth: int) -> str:
    kind = chance.randrange(20) if depth else chance.randrange(6)
    if kind < 3:
        return chance.choice(CHARACTERS)
    if kind < 5:
        return chance.choice([".", chance.choice(ESCAPES), chance.choice(PROPERTIES), _brackets(chance, 2)])
    if kind < 6:
        return chance.choice([*PLACES, "a", "b", r"\R", r"\X", r"\1", r"\2", r"\11"])
    one = _part(chance, depth - 1)
    if kind < 10:
        return one + _part(chance, depth - 1)
    if kind < 13:
        return chance.choice(["({}|{})", "(?:{}|{})", "({}{})"]).format(one, _part(chance, depth - 1))
    if kind < 16:
        return chance.choice([f"(?:{one})", f"({one})", "a", ".", r"\w", r"\R"]) + _quantifier(chance)
    if kind < 19:
        return chance.choice(WRAPPED) % one
    return chance.choice([*BEHIND, r"\Qa.b\E", r"\Q1\E", r"\Qa\b\E"])


def random_pattern(chance: random.Random) -> str:
    """Returns a pattern that is nearly always valid in Java."""
    if chance.random() < 0.08:
        return chance.choice(["", "a", "[ab]", "(a)"]) + chance.choice(ODD) + chance.choice(["", "b", "]", "a)"])
    return _part(chance, chance.randrange(1, 5))


def random_text(chance: random.Random) -> str:
    """Returns a short text."""
    return "".join(chance.choices(chance.choice(POOLS), k=chance.choice([0, 1, 2, 3, 4, 6, 10])))
