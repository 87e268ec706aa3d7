"""A thousand requests from several connections are all answered, and rightly."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import httpx

from app.served import TOKEN, Served
from running import PATIENCE_S

N_CONNECTIONS = 8
N_REQUESTS = 125
# What is asked for -> status, and how the content begins.
MIXED = {
    "": (200, b"<!doctype html>"),
    "images?class=cat&sort=loss": (200, b"<!doctype html>"),
    "images?score=0.2..0.9&per=12&page=1": (200, b"<!doctype html>"),
    "images?of=objects&undetected=1": (200, b"<!doctype html>"),
    "images?class=unknown": (400, b"<!doctype html>"),
    "image/3?class=dog": (200, b"<!doctype html>"),
    "compare?a=0&b=1": (200, b"<!doctype html>"),
    "picture/1": (200, b"\xff\xd8\xff"),
    "thumbnail/2": (200, b"\xff\xd8\xff"),
    "picture/5": (404, b"this image has no picture"),
    "export.csv?hoiem=loc": (200, b""),
    "export.txt?of=images": (200, b"000001.jpg"),
    "static/app.css": (200, b""),
    "nothing": (404, b"<!doctype html>"),
}


def ask(served: Served, seed: int) -> list[str]:
    """Requests of one connection in random order, some with a wrong token; what went amiss."""
    generator = random.Random(seed)
    wrong = []
    with httpx.Client(timeout=PATIENCE_S) as client:
        for path in generator.choices(sorted(MIXED), k=N_REQUESTS):
            status, beginning = MIXED[path]
            address = served.address
            if generator.random() < 0.1:
                status, beginning = 403, b"Forbidden"
                address = address.replace(TOKEN, TOKEN[::-1])
            answer = client.get(address + path)
            if answer.status_code != status or not answer.content.startswith(beginning):
                wrong.append(f"{path}: {answer.status_code} {answer.content[:60]!r}")
    return wrong


def test_a_thousand_mixed_requests_are_answered_rightly(served):
    with ThreadPoolExecutor(N_CONNECTIONS) as pool:
        wrong = [
            one
            for found in pool.map(lambda seed: ask(served, seed), range(N_CONNECTIONS))
            for one in found
        ]
    assert wrong == []
    assert served.process.poll() is None
    assert served.get("images").status_code == 200
