"""Ctrl-C and SIGTERM: one line, the right exit code, and an end even where nobody listens."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from boxlens import _kernel

# Undisturbed, every one of them would take minutes or for ever.
DEADLINE_S = 60
KEPT = "boxlens: stopped; finished work is kept in {}: run the same command to continue\n".format
NOTHING = "boxlens: stopped; nothing was kept, the same command starts again\n"
SCRIPT = """
import os, signal, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from boxlens.cli.stopping import expect_stop, kept_in, kept_nowhere, stoppable
{before}
with stoppable():
    {work}
"""


def stopped(folder, work: str, before: str = "") -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(work=work, before=before)],
        cwd=folder,
        timeout=DEADLINE_S,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("saying", "said"),
    [
        ("", NOTHING),
        ("kept_in(Path('nowhere')); ", NOTHING),
        ("kept_in(Path('here')); ", KEPT("here")),
        ("kept_nowhere('-o'); ", NOTHING.replace("kept,", "kept (-o keeps finished work),")),
    ],
    ids=["nothing", "not-yet", "kept", "no-option"],
)
def test_a_signal_ends_the_work_with_one_line(tmp_path, number, saying, said):
    (tmp_path / "here").mkdir()
    work = f"{saying}os.kill(os.getpid(), {int(number)}); time.sleep(600)"
    assert stopped(tmp_path, work) == (128 + number, said)


LISTENS_NOT = {
    # Somebody's code takes the interrupt for its own.
    "swallowed": """
    while True:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(600)
        except KeyboardInterrupt:
            pass
""",
    # One long call that keeps Python to itself.
    "busy": """
    subprocess.Popen(["sh", "-c", f"sleep 0.2; kill -TERM {os.getpid()}"])
    sum(range(10**13))
""",
    # A thread that is waited for.
    "thread": """
    with ThreadPoolExecutor(1) as pool:
        pool.submit(time.sleep, 600)
        os.kill(os.getpid(), signal.SIGTERM)
""",
}


@pytest.mark.parametrize("kind", LISTENS_NOT)
def test_it_ends_where_nobody_listens(tmp_path, kind):
    (tmp_path / "here").mkdir()
    work = "kept_in(Path('here'))" + LISTENS_NOT[kind]
    assert stopped(tmp_path, work) == (143, KEPT("here"))


def test_a_process_that_holds_itself_up_at_its_end_ends_and_says_it_once(tmp_path):
    work = """
    pool = ThreadPoolExecutor(1)
    pool.submit(time.sleep, 600)
    os.kill(os.getpid(), signal.SIGINT)
"""
    assert stopped(tmp_path, work) == (130, NOTHING)


def test_what_runs_until_it_is_stopped_ends_well(tmp_path):
    work = "expect_stop(); os.kill(os.getpid(), signal.SIGTERM); time.sleep(600)"
    assert stopped(tmp_path, work) == (0, "")


def test_signals_that_somebody_wants_ignored_stay_ignored(tmp_path):
    before = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    work = "os.kill(os.getpid(), signal.SIGINT); sys.stderr.write('done')"
    assert stopped(tmp_path, work, before) == (0, "done")


def test_a_second_signal_does_not_disturb_the_end(tmp_path):
    work = """
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        Path("tidied").touch()
"""
    assert stopped(tmp_path, work) == (143, NOTHING)
    assert (tmp_path / "tidied").exists()


@pytest.mark.parametrize("threads", [1, 2])
def test_the_kernel_hears_signals_between_its_tasks(threads):
    """Minutes of resampling, stopped by a signal that comes in the midst of it."""
    n, n_replicates = 2_000_000, 200_000
    asked = {
        "class_offsets": np.array([0, n]),
        "det_unit": np.zeros(n, dtype=np.int32),
        "det_tp": np.ones(n, dtype=np.uint64),
        "det_ignored": np.zeros(n, dtype=np.uint64),
        "det_limit": np.zeros(n, dtype=np.uint8),
        "det_value": None,
        "gt_class": np.zeros(1, dtype=np.int32),
        "gt_unit": np.zeros(1, dtype=np.int32),
        "gt_positive": np.ones(1, dtype=np.uint64),
        "gt_value": None,
        "n_thresholds": 1,
        "n_groups": 1,
        "n_limits": 0,
        "recalls": [],
        "spacing": False,
        "normal": None,
        "with_precision": False,
        "threads": threads,
    }

    def begun() -> None:
        waker.start()
        _kernel.resample(weights=np.ones((n_replicates, 1), dtype=np.int32), **asked)

    def stop(_number, _frame) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGUSR1, stop)
    main = threading.main_thread().ident
    waker = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGUSR1))
    begin = time.monotonic()
    try:
        with pytest.raises(TimeoutError):
            begun()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert time.monotonic() - begin < DEADLINE_S
