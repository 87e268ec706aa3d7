"""A real `boxlens serve` in a process of its own, and requests that no browser would send."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from running import PATIENCE_S

TOKEN = "a-token-for-the-tests"


@dataclass(frozen=True)
class Served:
    process: subprocess.Popen[str]
    address: str
    document: dict

    @property
    def port(self) -> int:
        return urlsplit(self.address).port

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def root(self) -> str:
        """The path of the address: /<token>/."""
        return urlsplit(self.address).path

    def get(self, path: str, method: str = "GET", **settings) -> httpx.Response:
        """A request below the token."""
        return httpx.request(method, self.address + path, timeout=PATIENCE_S, **settings)

    def raw(self, target: str | bytes, *headers: str, method: str = "GET") -> Answer:
        """A request exactly as it is written; a Host header is added unless there is one."""
        line = target if isinstance(target, bytes) else target.encode()
        named = [*headers] if any(one.lower().startswith("host") for one in headers) else []
        named = named or [f"Host: {self.host}", *headers]
        head = b"%s %s HTTP/1.1\r\n" % (method.encode(), line)
        head += "".join(f"{one}\r\n" for one in [*named, "Connection: close"]).encode()
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as link:
            link.sendall(head + b"\r\n")
            received = b""
            while part := link.recv(65536):
                received += part
        return Answer.of(received)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @classmethod
    def of(cls, received: bytes) -> Answer:
        head, _, body = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(": ") for line in lines)
        headers = {name.lower(): value for name, _, value in pairs}
        return cls(int(first.split()[1]), headers, body)


def start(folder: Path, *options: str, state: Path, **environment: str) -> subprocess.Popen[str]:
    """The process alone; `state` is where it keeps its token."""
    return subprocess.Popen(
        [sys.executable, "-m", "boxlens", "serve", str(folder), *options],
        env=os.environ | {"XDG_STATE_HOME": str(state)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def serving(folder: Path, *options: str, state: Path) -> Iterator[Served]:
    """A server on a free port until the end of the block, which Ctrl-C brings about."""
    asked = ("--port", "0", "--no-browser", "--json", "-")
    process = start(folder, *asked, *options, state=state)
    try:
        text = ""
        while not text.endswith("}\n"):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            text += line
        document = json.loads(text)
        yield Served(process, document["address"], document)
        assert process.poll() is None, process.stderr.read()
    finally:
        printed, errors = stop(process)
    assert process.returncode == 0, errors
    assert printed == ""
    assert "Traceback" not in errors, errors


def stop(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ends it as Ctrl-C would; returns what else it printed."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
