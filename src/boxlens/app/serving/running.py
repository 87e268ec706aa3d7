"""A port, a server on it, and a browser that opens it."""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

from boxlens.app.serving.guarding import bracketed
from boxlens.errors import ParameterError
from boxlens.limits import PORT

if TYPE_CHECKING:
    from starlette.types import ASGIApp

# A browser opens six connections; hundreds are not looked at by anyone.
MOST_AT_ONCE = 256
KEEP_ALIVE_S = 15
SHUTDOWN_S = 1
# Every address of the machine, in IPv4 and IPv6.
_EVERYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - told apart, not bound


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ip_address(_bare(host)).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on; port 0 picks a free one."""
    PORT.check(port, "port (--port)")
    try:
        found = socket.getaddrinfo(
            _bare(host), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, place = found[0]
    except (socket.gaierror, UnicodeError) as problem:
        raise ParameterError(
            f"--host {host}: unknown name or address; 127.0.0.1 is this machine only"
        ) from problem
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Connections of a server that has just ended do not hold the port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(MOST_AT_ONCE)
    except OSError as problem:
        listener.close()
        raise ParameterError(_why_not(problem, host, port)) from problem
    return listener


def _bare(host: str) -> str:
    """An IPv6 address without the brackets of a URL."""
    return host.removeprefix("[").removesuffix("]")


def _why_not(problem: OSError, host: str, port: int) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"port {port} is in use, perhaps by another 'boxlens serve'. Choose another with "
            "--port, or a free one with --port 0"
        )
    if problem.errno in {errno.EACCES, errno.EPERM}:
        return (
            f"no permission to listen on port {port}: ports below 1024 are reserved. Take "
            "another with --port, or a free one with --port 0"
        )
    if problem.errno == errno.EADDRNOTAVAIL:
        return f"--host {host} is not an address of this machine; 127.0.0.1 is this machine only"
    return f"cannot listen on {host}, port {port} ({problem.strerror})"


def address_of(host: str, port: int, token: str) -> str:
    """What to open in a browser."""
    shown = "127.0.0.1" if host in _EVERYWHERE else bracketed(host)
    return f"http://{shown}:{port}/{token}/"


def open_browser(address: str) -> None:
    """Opens the address beside the server; does nothing where no browser with a window is."""
    # In a bare terminal a text browser would take it over.
    windowless = sys.platform not in {"win32", "darwin"} and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not windowless:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def serve_forever(app: ASGIApp, listener: socket.socket, when_ready: Callable[[], None]) -> None:
    """Answers until Ctrl-C; says so once everything is there."""
    # Late: half of the time that --help takes.
    import uvicorn

    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=MOST_AT_ONCE,
        limit_concurrency=MOST_AT_ONCE,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    config.load()
    with listener, suppress(KeyboardInterrupt):
        when_ready()
        uvicorn.Server(config).run(sockets=[listener])
