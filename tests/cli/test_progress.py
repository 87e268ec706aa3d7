"""The progress bar on a terminal: one at a time, in good time, and nothing of it remains."""

from __future__ import annotations

import io
import os
import re
import sys
import threading
from contextlib import contextmanager

import pytest

from boxlens.cli import progress
from boxlens.cli.progress import progress_bar
from running import PATIENCE_S

pytest.importorskip("pty", reason="there are no pseudo-terminals here")

# What rich writes: a control sequence, the end of a line, or text.
TOKEN = re.compile(r"\x1b\[(?P<number>\??\d*(?:;\d+)*)(?P<order>[A-Za-z])|\r|\n|[^\x1b\r\n]+")


class Screen:
    """The lines of a terminal, as far as a bar needs one."""

    def __init__(self):
        self.lines, self.row, self.column = [""], 0, 0
        self.most_at_once = 0
        self.seen = []

    def write(self, text):
        for token in TOKEN.finditer(text):
            if token["order"] == "A":
                self.row = max(self.row - int(token["number"] or 1), 0)
            elif token["order"] == "K":
                self.lines[self.row] = ""
            elif token[0] == "\r":
                self.column = 0
            elif token[0] == "\n":
                self.row += 1
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif token["order"] is None:
                self._put(token[0])

    def _put(self, text):
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[: self.column] + text + line[self.column + len(text) :]
        self.column += len(text)
        self.seen.append(self.lines[self.row])
        self.most_at_once = max(self.most_at_once, len(self.shown))

    @property
    def shown(self):
        return [line for line in self.lines if line.strip()]


class Terminal:
    """What is written to a pseudo-terminal, read as it comes."""

    def __init__(self, master):
        self._master = master
        self._news = threading.Condition()
        self.text = ""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        # A closed terminal is an error to some systems and an end to others.
        while True:
            try:
                chunk = os.read(self._master, 4096)
            except OSError:
                return
            if not chunk:
                return
            with self._news:
                self.text += chunk.decode()
                self._news.notify_all()

    def wait_for(self, text):
        with self._news:
            assert self._news.wait_for(lambda: text in self.text, timeout=PATIENCE_S), self.text


@contextmanager
def terminal(monkeypatch, patience_s):
    monkeypatch.setattr(progress, "PATIENCE_S", patience_s)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "100"), ("LINES", "24")):
        monkeypatch.setenv(name, value)
    master, slave = os.openpty()
    with os.fdopen(slave, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        shown = Terminal(master)
        yield shown
        monkeypatch.undo()
    shown.reader.join(PATIENCE_S)
    os.close(master)


def replayed(text):
    screen = Screen()
    screen.write(text)
    return screen


def test_one_bar_is_shown_at_a_time_and_none_remains(monkeypatch):
    with terminal(monkeypatch, 0.0) as shown, progress_bar() as report:
        for what, total in (("reading files", 3), ("resampling images", 1000), ("exchanging", 7)):
            # The last report of a stage is seldom that of its end.
            report(what, total - 1, total)
            shown.wait_for(what)
    screen = replayed(shown.text)
    assert screen.most_at_once == 1
    assert screen.shown == []
    assert not any("reading" in line and "resampling" in line for line in screen.seen)


def test_steps_of_one_task_share_a_bar_that_only_grows(monkeypatch):
    with terminal(monkeypatch, 0.0) as shown, progress_bar() as report:
        for done, what in enumerate(("diagnosing: TIDE", "diagnosing: Hoiem", "diagnosing: Borji")):
            report(what, done, 4)
            shown.wait_for(what)
    screen = replayed(shown.text)
    assert screen.most_at_once == 1
    percents = [int(found) for line in screen.seen for found in re.findall(r"(\d+)%", line)]
    assert percents == sorted(percents)
    assert percents[-1] == 50


def test_a_silent_stage_is_shown_without_a_further_report(monkeypatch):
    with terminal(monkeypatch, 0.05) as shown, progress_bar() as report:
        report("reading files", 0, 3)
        shown.wait_for("reading files")
    assert replayed(shown.text).shown == []


def test_short_work_shows_nothing(monkeypatch):
    with terminal(monkeypatch, PATIENCE_S) as shown, progress_bar() as report:
        report("reading files", 0, 3)
    assert shown.text == ""


def break_under_a_bar(shown):
    with progress_bar() as report:
        report("reading files", 1, 3)
        shown.wait_for("reading files")
        raise ValueError("broken")


def test_an_error_takes_the_bar_away(monkeypatch):
    with terminal(monkeypatch, 0.0) as shown:
        with pytest.raises(ValueError, match="broken"):
            break_under_a_bar(shown)
        print("boxlens: broken", file=sys.stderr)
    assert [line.strip() for line in replayed(shown.text).shown] == ["boxlens: broken"]


def test_what_is_no_terminal_stays_clean(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    n_threads = threading.active_count()
    with progress_bar() as report:
        report("reading files", 1, 3)
        assert threading.active_count() == n_threads
    assert sys.stderr.getvalue() == ""
