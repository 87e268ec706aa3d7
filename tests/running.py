"""Boxlens as a user runs it: a process of its own, or the command alone; the demo set in a folder."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib.resources import files
from pathlib import Path

from boxlens.cli import main

Run = Callable[..., subprocess.CompletedProcess[str]]

# A test that hangs ends; one on a busy machine does not fail.
PATIENCE_S = 600


def boxlens_process(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "boxlens", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def boxlens_here(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command in this process, which does not import everything anew.

    What the command does not turn into a line and an exit code fails the test with its traceback.
    """
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(one) for one in arguments])
        except SystemExit as left:
            code = int(str(left.code))
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def said(*arguments: str, cwd: Path, how: Run = boxlens_here) -> str:
    """What a command that succeeds prints."""
    done = how(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(*arguments: str, cwd: Path, how: Run = boxlens_here) -> str:
    """The one line with which a command is refused that leaves nothing behind."""
    before = sorted(cwd.rglob("*"))
    done = how(*arguments, cwd=cwd)
    assert sorted(cwd.rglob("*")) == before
    assert (done.returncode, done.stdout) == (2, ""), (done.stdout, done.stderr)
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("boxlens: ")
    return line


def write_demo(folder: Path) -> Path:
    for name in ("ground_truth", "window", "region"):
        packed = (files("boxlens") / "demo" / f"{name}.json.gz").read_bytes()
        (folder / f"{name}.json").write_bytes(gzip.decompress(packed))
    return folder
