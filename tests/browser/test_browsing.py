"""The watch over pages: what it must not let pass."""

from __future__ import annotations

import pytest

from browser.browsing import Visits, is_allowed

SERVER = "http://127.0.0.1:8765/token/"
TROUBLES = {
    "a script that fails": ("<script>throw new Error('broken')</script>", "broken"),
    "a complaint": ("<script>console.error('alas')</script>", "alas"),
    "a warning": ("<script>console.warn('beware')</script>", "beware"),
    "a picture from elsewhere": ("<img src='http://example.org/a.png' alt=''>", "to elsewhere"),
    "a file beside the page": ("<img src='beside.png' alt=''>", "to elsewhere"),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_a_trouble_fails_the_test_of_its_page(name, window, tmp_path):
    markup, told = TROUBLES[name]
    (tmp_path / "page.html").write_text(f"<!doctype html><title>t</title>{markup}")
    visits = Visits(window)
    visits.open((tmp_path / "page.html").as_uri())
    with pytest.raises(AssertionError, match=told):
        visits.close()


def test_a_trouble_that_does_not_come_is_missed(window, tmp_path):
    (tmp_path / "page.html").write_text("<!doctype html><title>t</title>")
    visits = Visits(window, expected=["status of 404"])
    visits.open((tmp_path / "page.html").as_uri())
    with pytest.raises(AssertionError, match="not told"):
        visits.close()


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        (f"{SERVER}static/app.css", True),
        ("data:image/png;base64,AA==", True),
        ("http://127.0.0.1:9999/", False),
        ("https://127.0.0.1:8765/", False),
        ("http://localhost:8765/", False),
        ("http://example.org/", False),
    ],
)
def test_a_page_may_ask_its_own_server_alone(url, allowed):
    assert is_allowed(url, SERVER) == allowed
