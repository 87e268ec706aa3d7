"""Names of cases, the same in every worker; and what a whole run cost."""

from __future__ import annotations

import os

import pytest

LONGEST_ID = 60


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Long text is cut. Bytes that do not read as text need an id: gzip's hold the time of day."""
    if isinstance(val, bytes) and not (val.isascii() and _plain(val.decode())):
        raise pytest.UsageError(f"give the bytes of {argname!r} an id: pytest.param(..., id=...)")
    if isinstance(val, str) and not _plain(val):
        return val[:LONGEST_ID].encode("unicode_escape").decode()
    return None


def _plain(text: str) -> bool:
    return text.isprintable() and len(text) <= LONGEST_ID


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """CPU seconds, workers and browsers included: on a shared machine the clock says little."""
    used = os.times()
    seconds = used.user + used.system + used.children_user + used.children_system
    terminalreporter.write_line(f"{seconds:,.0f} s of CPU")
