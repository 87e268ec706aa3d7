"""The report of a stranger has an address of its own, which opens nothing else."""

from __future__ import annotations

import pytest

from app.attacks import PATHS, REPORT_ROOT, assert_secure
from app.served import TOKEN


@pytest.mark.parametrize("path", ["report", "figures/errors.svg", "figures/none.svg"])
def test_files_of_strangers_carry_the_security_headers(served, path):
    assert_secure(served.raw(REPORT_ROOT + path).headers)


@pytest.mark.parametrize("path", ["report", "figures/errors.svg"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_report_has_an_address_without_the_token(served, method, path):
    answer = served.raw(served.root + path, method=method)
    assert answer.status == 303
    assert answer.headers["location"] == REPORT_ROOT + path
    assert answer.body == b""
    assert served.raw(REPORT_ROOT + path, method=method).status == 200
    assert TOKEN not in REPORT_ROOT


@pytest.mark.parametrize(
    "path", [one for one in PATHS if one not in {"report", "figures/errors.svg"}]
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_the_secret_of_the_report_opens_nothing_else(served, method, path):
    answer = served.raw(REPORT_ROOT + path, "Content-Length: 0", method=method)
    nowhere = served.raw(f"/{TOKEN}x/{path}", "Content-Length: 0", method=method)
    assert answer.status == 403
    assert (answer.body, answer.headers.keys()) == (nowhere.body, nowhere.headers.keys())


@pytest.mark.parametrize(
    "path",
    ["reports", "report/", "Report", "figures", "report/../images", "figures%0a/", "//report"],
)
def test_addresses_like_the_report_are_refused_with_its_secret(served, path):
    assert served.raw(REPORT_ROOT + path).status == 403
    assert served.raw(REPORT_ROOT.removesuffix("/")).status == 403


@pytest.mark.parametrize(
    "path",
    [
        "report",
        "report?x=1",
        "figures/errors.svg",
        "figures/none.svg",
        "figures/none.html",
        "figures/",
        "figures/a/b.svg",
        "figures/%0a.svg",
        "figures/../images",
        "figures/..%2fimages",
        "figures/..%2freport.html",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_report_never_learns_the_token(served, method, path):
    answer = served.raw(REPORT_ROOT + path, method=method)
    assert TOKEN not in answer.body.decode()
    assert TOKEN not in str(answer.headers)


def test_other_names_are_refused_for_the_report_too(served):
    for host in ("evil.example", "127.0.0.1", f"evil.example:{served.port}"):
        assert served.raw(f"{REPORT_ROOT}report", f"Host: {host}").status == 421
