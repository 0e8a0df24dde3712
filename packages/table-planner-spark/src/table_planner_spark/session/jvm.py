"""Spark's JVM as seen from this process: whether it runs, how it is stopped, and the connections to it."""

from __future__ import annotations

import signal
import socket
import subprocess
import weakref
from contextlib import suppress
from typing import Any

from py4j.clientserver import SHUTDOWN_FINALIZER_WORKER, ClientServerConnection, JavaClient  # type: ignore[import-untyped]
from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]

from table_common.exceptions import TableRuntimeException
from table_planner_spark.spark_internals import forget_gateway, forget_jvm_of, forget_sessions, gateway_of, running_context

_OUT_OF_MEMORY = 52
"""The exit code of Spark's JVM after an OutOfMemoryError."""
_PATIENCE = 10.0
"""Seconds that a JVM has to exit before it is killed."""
_LAUNCHED: weakref.WeakSet[Any] = weakref.WeakSet()


def note_launch(gateway: Any) -> None:
    """Records that the planner launched the JVM of this gateway for its own sessions."""
    _LAUNCHED.add(gateway)


def launched_by_us(gateway: Any) -> bool:
    """Returns whether the planner launched the JVM of this gateway for its own sessions."""
    return gateway in _LAUNCHED


def is_alive(gateway: Any, patience: float = 0.0) -> bool:
    """Returns whether the JVM runs. It waits up to ``patience`` seconds for an exit, because connections close shortly before."""
    process = _process(gateway)
    if process is not None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
        return process.poll() is None
    client = gateway._gateway_client  # the address of a JavaClient is not its own: py4j passes its parameters in place of it
    at = client.java_parameters if isinstance(client, JavaClient) else client
    try:
        socket.create_connection((at.address, at.port), timeout=5).close()
    except OSError:
        return False
    return True


def jvm_ended(gateway: Any, *, restarts: bool) -> TableRuntimeException:
    """Returns the error that says how the JVM ended, and what happens next."""
    process = _process(gateway)
    code = None if process is None else process.poll()
    hint = "Increase spark.driver.memory, or process less data at once. "
    if code == _OUT_OF_MEMORY:
        how = " because its heap was full"
    elif code is not None and code < 0:
        how = f" by the signal {signal.Signals(-code).name}" + (", which the system sends if memory is short" if code == -9 else "")
    else:
        how, hint = "" if code is None else f" with the exit code {code}", ""
    hint += "The next statement starts a new one." if restarts else "Create a new Spark session, and a new environment with it."
    return TableRuntimeException(f"The JVM of Spark has ended{how}.", hint=hint)


def stop_jvm(gateway: Any) -> None:
    """Stops Spark in a JVM, and the JVM itself if the planner launched it. PySpark then starts another JVM for the next session."""
    _stop_spark(gateway)
    alive = is_alive(gateway)
    if alive and not launched_by_us(gateway):
        return
    forget_gateway(gateway)
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
        process.stdin.close()  # which makes the JVM exit
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _stop_spark(gateway: Any) -> None:
    context = running_context()
    if context is None or gateway_of(context) is not gateway:
        return
    if not is_alive(gateway):
        forget_jvm_of(context)
    with suppress(Exception):
        context.stop()
    forget_sessions()


def _process(gateway: Any) -> subprocess.Popen[bytes] | None:
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    return process


class _RenewedConnection(ClientServerConnection):  # type: ignore[misc]  # py4j has no types
    """A connection that closes when an exception interrupts a call: otherwise the late answer would be read as that of the next call."""

    def send_command(self, command: str) -> Any:
        try:
            return super().send_command(command)
        except Py4JNetworkError as error:
            cause = error.cause
            if cause is None or isinstance(cause, (Py4JNetworkError, ConnectionError, socket.gaierror)):
                raise
            if isinstance(cause, OSError) and cause.errno is not None:
                raise
            # Raised by a signal handler while this thread waited; py4j must not hide it.
            self.close()
            raise cause from None
        except BaseException:
            self.close()
            raise


def renew_cut_connections(gateway: Any) -> None:
    """Makes each connection of this process to the JVM close when an exception, such as one of a signal handler, interrupts its call."""
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
