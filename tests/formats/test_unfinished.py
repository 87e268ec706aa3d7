"""What a killed writer leaves goes with the next; what is anybody else's stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from boxlens.formats.files import write_text
from boxlens.formats.folders import folder_written_whole
from boxlens.formats.unfinished import ENDING, remove_left, scratch_folder, unfinished_folder

SCRIPT = """
import os, signal, sys
from pathlib import Path
from boxlens.formats.files import written_whole
from boxlens.formats.folders import folder_written_whole

with {function}("out") as temporary:
    (temporary / "half" if temporary.is_dir() else temporary).write_text("half of it")
    {then}
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"


def command(function: str, then: str) -> list[str]:
    return [sys.executable, "-c", SCRIPT.format(function=function, then=then)]


@pytest.fixture(params=["written_whole", "folder_written_whole"])
def function(request) -> str:
    return request.param


def test_what_a_killed_process_left_goes_with_the_next(tmp_path, function):
    done = subprocess.run(command(function, KILL), cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".out.")
    assert left.name.endswith(ENDING)
    write_text(tmp_path / "another.txt", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["another.txt"]


def test_what_is_being_written_stays(tmp_path, function):
    with subprocess.Popen(
        command(function, "print(flush=True); input()"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as writer:
        writer.stdout.readline()
        remove_left(tmp_path)
        assert len(list(tmp_path.iterdir())) == 1
        writer.communicate(b"\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_anybody_elses_stays(tmp_path):
    others = [".out.abcd1234", ".boxlens", f"out.abcd1234{ENDING}", f".out{ENDING}", "out"]
    for name in others:
        (tmp_path / name).mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").touch()
    link = tmp_path / f".link.abcd1234{ENDING}"
    link.symlink_to(elsewhere)
    os.mkfifo(tmp_path / f".pipe.abcd1234{ENDING}")
    remove_left(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} >= {*others, "elsewhere", link.name}
    assert (elsewhere / "mine").exists()


def test_one_that_is_made_while_another_looks_is_made_again(tmp_path, monkeypatch):
    """Between its making and its lock another process may take it for left."""
    from boxlens.formats import unfinished

    lock, taken = unfinished._lock, []

    def disturbed(descriptor: int) -> None:
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].rmdir()
        lock(descriptor)

    monkeypatch.setattr(unfinished, "_lock", disturbed)
    with unfinished_folder(tmp_path, "out") as folder:
        assert folder.is_dir()
        assert folder not in taken
    assert list(tmp_path.iterdir()) == []


def test_long_names_are_no_hindrance(tmp_path):
    name = "n" * 250
    with folder_written_whole(tmp_path / name) as folder:
        (folder / "file").touch()
    assert (tmp_path / name / "file").exists()


def test_a_scratch_folder_is_gone_afterwards():
    with scratch_folder() as folder:
        (folder / "file").touch()
    assert not folder.exists()
