"""Who may ask, and what browsers may do with the answer: token, Host and security headers."""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'none'; font-src 'none'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
METHODS = ("GET", "HEAD")
_REFUSED = "Forbidden. Open the full address that 'boxlens serve' printed: it contains a secret.\n"
_OTHER_HOST = "Unknown host name. See --allow-host of 'boxlens serve'.\n"
_FAILED = "Internal error in boxlens; see the terminal it runs in.\n"


@dataclass(frozen=True, slots=True)
class Guard:
    """ASGI middleware: lets a request through only if it names our host and knows a secret.

    `token` opens the app. The report and its figures are files of strangers whose scripts can read
    their own address: they have `report_token` in it, which opens nothing else.
    `hosts` are the values of the Host header that we answer to, in lower case. It stops web pages
    that resolve a name of their own to this machine (DNS rebinding).
    """

    app: ASGIApp
    token: str
    report_token: str
    hosts: Collection[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, guarded_send)
            return
        # Routes below know nothing of the secrets.
        inner = {**scope, "root_path": f"/{_split(scope)[0]}"}
        try:
            await self.app(inner, receive, guarded_send)
        except Exception:
            if not started:
                failed = PlainTextResponse(_FAILED, status_code=500)
                await failed(scope, receive, guarded_send)
            raise

    def _refusal(self, scope: Scope) -> PlainTextResponse | RedirectResponse | None:
        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1:
            return PlainTextResponse("Exactly one Host header is required.\n", status_code=400)
        if named[0].decode("latin-1").lower() not in self.hosts:
            return PlainTextResponse(_OTHER_HOST, status_code=421)
        given, asked = _split(scope)
        opens_app, opens_report = _is(given, self.token), _is(given, self.report_token)
        of_report = asked == "report" or asked.startswith("figures/")
        if not (opens_app or (opens_report and of_report)):
            return PlainTextResponse(_REFUSED, status_code=403)
        if scope["method"] not in METHODS:
            headers = {"Allow": ", ".join(METHODS)}
            return PlainTextResponse(
                "Only GET and HEAD are allowed.\n", status_code=405, headers=headers
            )
        if scope["path"] == f"/{self.token}":
            return RedirectResponse(f"/{self.token}/", status_code=308)
        if opens_app and of_report:
            return RedirectResponse(f"/{self.report_token}/{quote(asked)}", status_code=303)
        return None


def report_token_of(token: str) -> str:
    """The secret in the report's address, from which nobody finds the token."""
    digest = hmac.digest(token.encode(), b"report", "sha256")
    return base64.urlsafe_b64encode(digest).decode()[:32]


def allowed_hosts(bound: str, port: int, further: Collection[str] = ()) -> frozenset[str]:
    """What a Host header may say: this machine, and the names that the user allows.

    Names in front of a proxy may come with any port the user writes, or without one.
    """
    hosts = {"127.0.0.1", "localhost", "[::1]", bracketed(bound)}
    allowed = {f"{host}:{port}" for host in hosts}
    if port == 80:
        allowed |= hosts
    for name in further:
        allowed |= {bracketed(name), f"{bracketed(name)}:{port}"}
    return frozenset(name.lower() for name in allowed)


def bracketed(host: str) -> str:
    """An IPv6 address as it stands in a URL."""
    bare = host.removeprefix("[").removesuffix("]")
    return f"[{bare}]" if bare.count(":") > 1 else host


def _split(scope: Scope) -> tuple[str, str]:
    """The secret that an address begins with, and what it asks for."""
    given, _, asked = scope["path"].removeprefix("/").partition("/")
    return given, asked


def _is(given: str, secret: str) -> bool:
    """In constant time, so that timing reveals nothing."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())
