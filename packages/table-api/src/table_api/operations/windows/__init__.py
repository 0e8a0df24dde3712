"""The kinds of windows of time, one file each."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .all_windows: WINDOW_ASSIGNERS
    .assigner: MAX_WINDOWS WindowAssigner
    .cumulate: CumulateWindow
    .emission: WindowEmission
    .hop: HopWindow
    .session: SessionWindow
    .tumble: TumbleWindow
    """,
)
