"""The state of a parse: the position, the expected tokens there, and the basic rules that other rules use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from table_api.expressions.unresolved import Span
from table_api.sql.grammar.keywords import NON_RESERVED
from table_api.sql.grammar.lexer import IDENTIFIER, NUMBER, STRING, Tokens
from table_common.exceptions import SourcePosition, SqlParserException, ValidationException

_T = TypeVar("_T")

NAMES = NON_RESERVED | {IDENTIFIER}
"""The kinds of tokens that can be a name."""


class Backtrack(Exception):
    """A syntax error in the first parse. It carries the position, which the second parse watches to collect the expected tokens."""

    def __init__(self, index: int) -> None:
        self.index = index


class TokenStream:
    """The tokens, the current position, and the tests on the current token.

    A test that fails at the token ``watch`` records the kind it looked for in ``expected``. The first parse watches no token, so expected sets
    cost nothing until a syntax error, when the text is parsed a second time, or completion.

    Raises:
        SqlParserException: from each rule, if the tokens do not match it; with the position and the tokens that are expected there.
    """

    __slots__ = ("ends", "expected", "index", "kind", "kinds", "parameters", "starts", "text", "values", "watch")

    def __init__(self, tokens: Tokens, *, index: int = 0, watch: int = -1, parameters: Mapping[str, object] | None = None) -> None:
        self.text = tokens.text
        self.kinds = tokens.kinds
        self.values = tokens.values
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.index = index
        self.kind = tokens.kinds[index]
        self.watch = watch
        self.expected: set[str] = set()
        self.parameters = parameters

    # --- moving and testing -------------------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Moves to the next token; never called at the end."""
        self.index += 1
        self.kind = self.kinds[self.index]

    def peek(self, distance: int = 1) -> str:
        """Returns the kind of the token at a distance ahead; beyond the last token it is END."""
        index = self.index + distance
        return self.kinds[index] if index < len(self.kinds) else self.kinds[-1]

    def at(self, kind: str) -> bool:
        """Returns whether the token is of this kind."""
        if self.kind == kind:
            return True
        if self.index == self.watch:
            self.expected.add(kind)
        return False

    def accept(self, kind: str) -> bool:
        """Consumes the token if it is of this kind."""
        if self.kind == kind:
            self.index += 1
            self.kind = self.kinds[self.index]
            return True
        if self.index == self.watch:
            self.expected.add(kind)
        return False

    def accept_words(self, *words: str) -> bool:
        """Consumes the words if all of them come next, otherwise nothing; returns whether they did."""
        for offset, word in enumerate(words):
            if self.peek(offset) != word:
                if self.index + offset == self.watch:
                    self.expected.add(word)
                return False
        self.index += len(words)
        self.kind = self.kinds[self.index]
        return True

    def accept_phrase(self, first: str, *rest: str) -> bool:
        """Consumes the words if the first one comes next; the remaining ones are then required."""
        if not self.accept(first):
            return False
        self.expect(*rest)
        return True

    def accept_one(self, *kinds: str) -> str | None:
        """Consumes the token if it is of one of the kinds, and returns which."""
        kind = self.kind
        if kind in kinds:
            self.advance()
            return kind
        self.note(*kinds)
        return None

    def expect(self, *kinds: str) -> None:
        """Consumes tokens of these kinds, one after the other."""
        for kind in kinds:
            if not self.accept(kind):
                raise self.unexpected()

    def expect_one(self, *kinds: str) -> str:
        """Consumes a token of one of the kinds, and returns which."""
        kind = self.accept_one(*kinds)
        if kind is None:
            raise self.unexpected()
        return kind

    def note(self, *kinds: str) -> None:
        """Records kinds that would be accepted here."""
        if self.index == self.watch:
            self.expected.update(kinds)

    # --- errors and positions ------------------------------------------------------------------------------------------------------

    def unexpected(self, *expected: str) -> Exception:
        """Returns the error for a token that no rule accepts here."""
        if self.index != self.watch:
            return Backtrack(self.index)
        self.expected.update(expected)
        from table_api.sql.grammar.syntax_error import syntax_error  # only an error needs it

        return syntax_error(self.text, self.kinds, self._shown_values(), self.index, self.place(self.index), self.expected)

    def _shown_values(self) -> list[str]:
        """Returns the values of tokens for an error message, with secrets redacted."""
        from table_common.secrets import HIDDEN_CONTENT, secret_spans  # only errors need them

        values = list(self.values)
        for start, end in secret_spans(self.text):
            for index in (self.index - 1, self.index):
                if index >= 0 and self.starts[index] < end and self.ends[index] > start:
                    values[index] = HIDDEN_CONTENT
        return values

    def error(self, message: str, *, at: int | None = None, hint: str | None = None) -> SqlParserException:
        """Returns an error at the token ``at``, by default the current one."""
        return SqlParserException(message, position=self.place(self.index if at is None else at), hint=hint)

    def invalid(self, message: str, start: int, *, hint: str | None = None) -> ValidationException:
        """Returns an error about the text from token ``start`` on, which matches the grammar but has an invalid value."""
        return ValidationException(message, position=self.place(start, self.index - 1), hint=hint)

    def place(self, first: int, last: int | None = None) -> SourcePosition:
        """Returns the position of the tokens ``first`` up to and including ``last``."""
        last = first if last is None or last < first else last
        return SourcePosition.of_offset(self.text, self.starts[first], self.ends[last])

    def span(self, start: int) -> Span:
        """Returns the characters from token ``start`` to the last one consumed."""
        return Span(self.starts[start], self.ends[self.index - 1])

    # --- names and values ---------------------------------------------------------------------------------------------------------

    def at_name(self, what: str = IDENTIFIER) -> bool:
        """Returns whether the current token is a name; errors and completion call it ``what``."""
        if self.kind in NAMES:
            return True
        if self.index == self.watch:
            self.expected.add(what)
        return False

    def name(self, what: str = IDENTIFIER) -> str:
        """Consumes a name."""
        if not self.at_name(what):
            raise self.unexpected()
        value = self.values[self.index]
        self.advance()
        return value

    def path(self, what: str = IDENTIFIER) -> tuple[str, ...]:
        """Consumes a name of one or more parts, separated by dots."""
        parts = [self.name(what)]
        while self.accept("."):
            parts.append(self.name(what))
        return tuple(parts)

    def path_with_span(self, what: str) -> tuple[tuple[str, ...], Span]:
        """Consumes a name of one or more parts; returns it with its span."""
        start = self.index
        return self.path(what), self.span(start)

    def names_in_parentheses(self, what: str = "column name") -> tuple[str, ...]:
        """Consumes ``(a, b, …)``."""
        self.expect("(")
        names = self.comma_list(lambda: self.name(what))
        self.expect(")")
        return names

    def string(self) -> str:
        """Consumes a string without a prefix."""
        value = self.values[self.index]
        self.expect(STRING)
        return value[1:-1].replace("''", "'")

    def unsigned_integer(self) -> int:
        """Consumes digits."""
        value = self.values[self.index]
        if self.kind != NUMBER or not value.isdecimal():
            raise self.unexpected("unsigned integer")
        self.advance()
        return int(value)

    def comma_list(self, rule: Callable[[], _T]) -> tuple[_T, ...]:
        """Consumes one or more of what ``rule`` consumes, with commas between."""
        items = [rule()]
        while self.accept(","):
            items.append(rule())
        return tuple(items)

    def options(self) -> tuple[tuple[str, str], ...]:
        """Consumes ``('key' = 'value', …)``."""
        self.expect("(")
        options: list[tuple[str, str]] = []
        if not self.accept(")"):
            options.extend(self.comma_list(self._option))
            self.expect(")")
        return tuple(options)

    def _option(self) -> tuple[str, str]:
        key = self.string()
        self.expect("=")
        return key, self.string()

    def option_keys(self) -> tuple[str, ...]:
        """Consumes ``('key', …)``."""
        self.expect("(")
        if self.kind == ")":
            raise self.error("RESET takes at least one option.", hint="RESET ('key', …)")
        keys = self.comma_list(self.string)
        self.expect(")")
        return keys
