"""The JVM of Spark, seen from this process: whether it lives, how it is ended, and the connections to it."""

from __future__ import annotations

import signal
import socket
import subprocess
import weakref
from contextlib import suppress
from typing import Any

from py4j.clientserver import SHUTDOWN_FINALIZER_WORKER, ClientServerConnection, JavaClient  # type: ignore[import-untyped]
from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import SparkSession

from table_common.exceptions import TableRuntimeException

__all__ = ["is_alive", "jvm_ended", "launched_by_us", "note_launch", "renew_cut_connections", "stop_jvm"]

_OUT_OF_MEMORY = 52
"""How Spark's JVM exits when a thread of it has no memory left."""
_PATIENCE = 10.0
"""Seconds that a JVM gets to end by itself."""
_LAUNCHED: weakref.WeakSet[Any] = weakref.WeakSet()


def note_launch(gateway: Any) -> None:
    """Notes that the planner has launched the JVM of a gateway, for itself."""
    _LAUNCHED.add(gateway)


def launched_by_us(gateway: Any) -> bool:
    """Returns whether the planner has launched the JVM of a gateway for itself."""
    return gateway in _LAUNCHED


def is_alive(gateway: Any, patience: float = 0.0) -> bool:
    """Returns whether the JVM still runs after at most so many seconds: its connections end a little before it does."""
    process = _process(gateway)
    if process is not None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
        return process.poll() is None
    client = gateway._gateway_client
    try:
        socket.create_connection((client.address, client.port), timeout=5).close()
    except OSError:
        return False
    return True


def jvm_ended(gateway: Any, *, restarts: bool) -> TableRuntimeException:
    """Returns the error that says how the JVM ended, and what happens next."""
    process = _process(gateway)
    code = None if process is None else process.poll()
    hint = "Give Spark more memory (spark.driver.memory), or read less at once. "
    if code == _OUT_OF_MEMORY:
        how = " because its heap was full"
    elif code is not None and code < 0:
        how = f" by the signal {signal.Signals(-code).name}" + (", which the system sends if memory is short" if code == -9 else "")
    else:
        how, hint = "" if code is None else f" with the exit code {code}", ""
    hint += "The next statement starts a new one." if restarts else "Make a new Spark session, and a new environment with it."
    return TableRuntimeException(f"The JVM of Spark has ended{how}.", hint=hint)


def stop_jvm(gateway: Any) -> None:
    """Stops the Spark of a JVM and ends the JVM itself, if the planner has launched it; PySpark then starts another one with the next session."""
    _stop_spark(gateway)
    alive = is_alive(gateway)
    if alive and not launched_by_us(gateway):
        return
    if SparkContext._gateway is gateway:
        SparkContext._gateway = SparkContext._jvm = None
    if not alive:
        client = gateway._gateway_client
        if isinstance(client, JavaClient):
            client.finalizer_deque.clear()
            client.finalizer_deque.appendleft(SHUTDOWN_FINALIZER_WORKER)
        return
    with suppress(Exception):
        gateway.shutdown()
    process = _process(gateway)
    if process is not None and process.stdin is not None:
        process.stdin.close()  # for which it waits
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _stop_spark(gateway: Any) -> None:
    context = SparkContext._active_spark_context
    if context is None or context._gateway is not gateway:
        return
    if not is_alive(gateway):
        context._jsc = None  # there is nothing left to be told
    with suppress(Exception):
        context.stop()
    SparkSession._instantiatedSession = SparkSession._activeSession = None


def _process(gateway: Any) -> subprocess.Popen[bytes] | None:
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    return process


class _RenewedConnection(ClientServerConnection):  # type: ignore[misc]  # py4j has no types
    """A connection that is not used again after an exception has cut off a call: the answer, still on its way, would be taken for the next one's."""

    def send_command(self, command: str) -> Any:
        try:
            return super().send_command(command)
        except Py4JNetworkError as error:
            cause = error.cause
            if cause is None or isinstance(cause, (Py4JNetworkError, ConnectionError, socket.gaierror)):
                raise
            if isinstance(cause, OSError) and cause.errno is not None:
                raise
            # Raised by a handler of signals while this thread waited: it is not py4j's to hide.
            self.close()
            raise cause from None
        except BaseException:
            self.close()
            raise


def renew_cut_connections(gateway: Any) -> None:
    """Has all connections of this process to the JVM renewed when an exception, such as that of a signal, cuts off a call."""
    client: Any = getattr(gateway, "_gateway_client", None)
    if type(client) is not JavaClient or "_create_new_connection" in vars(client):
        return

    def create() -> Any:
        connection = _RenewedConnection(client.java_parameters, client.python_parameters, client.gateway_property, client)
        connection.connect_to_java_server()
        client.set_thread_connection(connection)
        return connection

    client._create_new_connection = create
    for connection in list(client.deque):
        if type(connection) is ClientServerConnection:
            connection.__class__ = _RenewedConnection
