"""The words that the texts of this project use: a secret that is one of them is not recognized, and not masked, among them.

``'password' = 'value'`` would otherwise turn "The key and the value" into "The key and the ******", which hides nothing and cannot be read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType

_PACKAGES = ("table_", "connector_", "sql_client")
_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")


def is_of_messages(value: str) -> bool:
    """Returns whether a value is a word, or a sequence of words, of the texts in the loaded modules of this project.

    Example:
        >>> is_of_messages("value"), is_of_messages("hunter2Zq")
        (True, False)
    """
    if _WORDS.fullmatch(value) is None:
        return False
    return re.search(rf"(?<!\w){value}(?!\w)", _texts(len(sys.modules)), re.IGNORECASE) is not None


@lru_cache(maxsize=1)
def _texts(modules: int) -> str:
    """Returns the texts in the code of the project, a line each; only errors need them. More ``modules`` have more texts."""
    found: set[str] = set()
    for name, module in list(sys.modules.items()):
        if name.startswith(_PACKAGES) and isinstance(module, ModuleType):
            for value in list(vars(module).values()):
                found.update(_texts_of(value, name))
    return "\n".join(sorted(found))


def _texts_of(value: object, module: str) -> Iterator[str]:
    if isinstance(value, str):
        if " " in value:  # not a key, a name or an example of a value
            yield value
    elif isinstance(value, (tuple, list, set, frozenset)):
        for part in list(value):
            yield from _texts_of(part, module)
    elif isinstance(value, dict):
        for part in list(value.values()):
            yield from _texts_of(part, module)
    elif isinstance(value, CodeType):
        for constant in value.co_consts:
            yield from _texts_of(constant, module)
    elif isinstance(value, FunctionType):
        if value.__module__ == module:
            for constant in value.__code__.co_consts:
                if constant != value.__doc__:
                    yield from _texts_of(constant, module)
    elif isinstance(value, (classmethod, staticmethod)):
        yield from _texts_of(value.__func__, module)
    elif isinstance(value, property):
        yield from _texts_of(value.fget, module)
    elif isinstance(value, type) and value.__module__ == module:
        for name, part in list(vars(value).items()):
            if name != "__doc__":
                yield from _texts_of(part, module)
