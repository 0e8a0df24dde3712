"""The rows of an unbounded query on the whole screen, as they change."""

from __future__ import annotations

import io
import time

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import HSplit, Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import Output

from table_api import LiveTable
from table_api.rendering import TableauStyle
from table_common.catalog import ResolvedSchema
from table_common.exceptions import TableError
from table_common.frozen_dataclass import replace
from table_common.types import (
    BigIntType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    PrecisionTimeType,
    SmallIntType,
    TinyIntType,
)

_REFRESH_SECONDS = 0.25
_LINES_AROUND = 5
"""The lines that are no rows: the borders, the names, and the line at the bottom."""
_KEYS = "q leaves, s sorts, arrows and pages scroll"
_SORTABLE = (
    *(BooleanType, TinyIntType, SmallIntType, IntType, BigIntType, FloatType, DoubleType, DecimalType),
    *(CharacterType, BinaryStringType, DateType, PrecisionTimeType),
)


class LiveView:
    """Shows the table that the changes of a query make, until the user leaves. Rows that are replaced are sorted, so that they stay in their place."""

    def __init__(
        self,
        schema: ResolvedSchema,
        live: LiveTable,
        style: TableauStyle,
        *,
        terminal_input: Input | None = None,
        terminal_output: Output | None = None,
    ) -> None:
        self._schema = schema
        self._live = live
        self._style: TableauStyle = replace(style, row_kinds=False, by_type=False, max_column_width=None)
        self._sortable = [column.name for column in schema.columns if isinstance(column.data_type, _SORTABLE)]
        self._sorts: bool | None = None
        self._top = 0
        self._started = time.monotonic()
        body = Window(FormattedTextControl(self._body, focusable=True), wrap_lines=False)
        bar = Window(FormattedTextControl(self._bar), height=1, style="reverse")
        self._app: Application[None] = Application(
            Layout(HSplit([body, bar])),
            key_bindings=self._keys(),
            full_screen=True,
            refresh_interval=_REFRESH_SECONDS,
            input=terminal_input,
            output=terminal_output,
        )

    def run(self) -> int:
        """Shows the rows until the user leaves; returns the number of rows then.

        Raises:
            TableError: the query failed.
        """
        self._app.run()
        return len(self._live)

    @property
    def _page(self) -> int:
        return max(1, self._app.output.get_size().rows - _LINES_AROUND)

    @property
    def _is_sorted(self) -> bool:
        return self._live.has_updates if self._sorts is None else self._sorts

    def _body(self) -> StyleAndTextTuples:
        try:
            self._top = max(0, min(self._top, len(self._live) - self._page))
            rows = self._live.rows(self._top, self._top + self._page, order_by=self._sortable if self._is_sorted else ())
        except TableError as error:
            if not self._app.is_done and self._app.is_running:
                self._app.exit(exception=error)
            return []
        if not rows:
            return [("", "No rows yet.")]
        text = io.StringIO()
        replace(self._style, total_width=self._app.output.get_size().columns).print(self._schema, rows, text)
        return [("", "\n".join(text.getvalue().splitlines()[:-1]))]  # without the number of rows, which is in the bar

    def _bar(self) -> StyleAndTextTuples:
        try:
            count = len(self._live)
        except TableError:
            return []
        shown = f"rows {self._top + 1}-{min(self._top + self._page, count)} of {count}" if count else "no rows"
        state = "the query has ended" if self._live.has_ended else f"{time.monotonic() - self._started:.0f} s"
        order = "sorted" if self._is_sorted else "as they came"
        return [("", f" {shown}, {order}; {state}; {_KEYS}")]

    def _keys(self) -> KeyBindings:
        bindings = KeyBindings()

        @bindings.add("q")
        @bindings.add("Q")
        @bindings.add("c-c")
        @bindings.add("c-d")
        def _(event: KeyPressEvent) -> None:
            event.app.exit()

        @bindings.add("s")
        def _(event: KeyPressEvent) -> None:
            self._sorts = not self._is_sorted

        def scroll(*keys: str, pages: float = 0, lines: int = 0) -> None:
            def move(event: KeyPressEvent) -> None:
                self._top = max(0, self._top + int(pages * self._page) + lines)

            for key in keys:
                bindings.add(key)(move)

        scroll("up", "k", lines=-1)
        scroll("down", "j", lines=1)
        scroll("pageup", "b", pages=-1)
        scroll("pagedown", "space", pages=1)
        scroll("home", "g", pages=-1e6)
        scroll("end", "G", pages=1e6)
        return bindings
