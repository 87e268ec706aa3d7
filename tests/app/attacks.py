"""Addresses that are there, and addresses that try to lead out."""

from __future__ import annotations

from app.served import TOKEN
from boxlens.app.serving.guarding import report_token_of

SECRET = b"not for everyone"
REPORT_ROOT = f"/{report_token_of(TOKEN)}/"
# Pages, data, pictures, own files, and what is not there.
PATHS = [
    "",
    "images",
    "images?class=cat",
    "images?class=unknown",
    "image/0",
    "image/99",
    "compare?a=0&b=1",
    "export.csv",
    "export.json",
    "export.txt",
    "picture/0",
    "picture/3",
    "thumbnail/0",
    "static/app.css",
    "static/nothing.css",
    "figures/errors.svg",
    "report",
    "nothing",
]
TRAVERSALS = [
    "../secret.jpg",
    "..%2fsecret.jpg",
    "%2e%2e%2fsecret.jpg",
    "%2e%2e/secret.jpg",
    "%252e%252e%252fsecret.jpg",
    "..%255csecret.jpg",
    "..\\secret.jpg",
    "..%5csecret.jpg",
    "....//secret.jpg",
    "..;/secret.jpg",
    "%c0%ae%c0%ae%c0%afsecret.jpg",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "//etc/passwd",
    "file:///etc/passwd",
    "C:%5cWindows%5cwin.ini",
    "000001.jpg",
    "0%00.jpg",
    "0/../../../../etc/passwd",
    "0%2f..%2f..%2fsecret.jpg",
    "run.json",
    "../run.json",
    "..%2frun.json",
    "../server.py",
    "..%2fserver.py",
    "..%2ftables%2fimages.parquet",
    "-1",
    "1e3",
    "0x1",
    "%D9%A1",
    "9" * 5000,
    "a" * 20000,
]


def assert_secure(headers: dict[str, str]) -> None:
    """What every answer says, whoever wrote the file behind it."""
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "default-src 'none'" in headers["content-security-policy"]
