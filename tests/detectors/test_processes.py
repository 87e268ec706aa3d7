"""Processes that work for another one end with it, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boxlens.detectors.processes import mapping

DEADLINE_S = 60

# The workers keep Python to themselves, and say who they are before.
SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from boxlens.detectors.processes import each_in_processes, mapping

def work(number):
    Path(f"{os.getpid()}.worker").touch()
    return sum(range(10**13))

def begun():
    while len(list(Path().glob("*.worker"))) < 2:
        time.sleep(0.01)
    os.kill(os.getpid() if sys.argv[2] == "alone" else 0, getattr(signal, sys.argv[1]))
    time.sleep(600)

if __name__ == "__main__":
    import threading
    threading.Thread(target=begun, daemon=True).start()
    from boxlens.cli.stopping import stoppable
    with stoppable():
        if sys.argv[3] == "map":
            with mapping(2, chunk=2) as each:
                list(each(work, range(9)))
        else:
            list(each_in_processes(work, range(9), 2))
"""


@pytest.mark.parametrize("kind", ["map", "each"])
@pytest.mark.parametrize(
    ("ending", "whom", "code"),
    [
        ("SIGKILL", "alone", -signal.SIGKILL),
        ("SIGTERM", "alone", 143),
        # As a terminal sends it: to the parent and its workers.
        ("SIGINT", "group", 130),
    ],
    ids=["killed", "terminated", "interrupted"],
)
def test_workers_end_with_their_parent(tmp_path, ending, whom, code, kind):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py", ending, whom, kind],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        timeout=DEADLINE_S,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == code
    if ending != "SIGKILL":
        told = "boxlens: stopped; nothing was kept, the same command starts again\n"
        assert done.stderr == told
    workers = [int(path.stem) for path in tmp_path.glob("*.worker")]
    assert len(workers) == 2
    deadline = time.monotonic() + DEADLINE_S
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(process: int) -> bool:
    """One that has ended and that nobody asks for is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_answers_keep_their_order():
    with mapping(2, chunk=3) as each:
        assert list(each(abs, range(-8, 0))) == list(range(8, 0, -1))
        assert list(each(abs, [])) == []


def test_workers_end_where_the_work_fails():
    with mapping(2) as each:
        pids = set(each(_pid, range(4)))
    assert os.getpid() not in pids
    with pytest.raises(ZeroDivisionError), mapping(2) as each:
        list(each(_inverse, [1, 0, 1]))


def _pid(_number: int) -> int:
    return os.getpid()


def _inverse(number: int) -> float:
    return 1 / number
