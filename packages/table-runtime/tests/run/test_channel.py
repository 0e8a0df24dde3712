from __future__ import annotations

import _thread
import threading

import pytest

from table_runtime.run.channel import Channel


def test_an_interrupt_that_wakes_no_thread_ends_the_reader() -> None:
    channel = Channel()
    # It sets what Ctrl-C sets, but does not end the wait that the main thread is in.
    interrupt = threading.Timer(0.05, _thread.interrupt_main)
    slept_on = threading.Event()
    rescue = threading.Timer(20, lambda: (slept_on.set(), channel.close()))
    for timer in (interrupt, rescue):
        timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            next(channel.items())
        assert not slept_on.is_set()
    finally:
        rescue.cancel()
