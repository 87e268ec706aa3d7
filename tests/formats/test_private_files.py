"""What only this user can read or write is taken; everything else is as if it were not there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from boxlens.formats.private_files import private_folder, read_private, write_private


def test_what_is_written_is_read_by_this_user_alone(tmp_path):
    path = tmp_path / "new" / "folder" / "file"
    write_private(path, b"one")
    write_private(path, b"two")
    assert read_private(path) == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o777])
def test_a_file_open_to_others_is_not_taken(tmp_path, mode):
    path = tmp_path / "file"
    write_private(path, b"one")
    path.chmod(mode)
    assert read_private(path) is None


def test_links_folders_and_pipes_are_not_taken(tmp_path):
    write_private(tmp_path / "real", b"one")
    (tmp_path / "link").symlink_to("real")
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("link", "pipe", "absent", "."):
        assert read_private(tmp_path / name) is None


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_where_it_cannot_be_written_nothing_is_left_behind(tmp_path, kind):
    if kind == "file":
        (tmp_path / "place").write_text("")
        path = tmp_path / "place" / "file"
    else:
        path = tmp_path / "place"
        (path / "inside").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OSError):
        write_private(path, b"one")
    assert sorted(tmp_path.rglob("*")) == before


def test_folders_are_those_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "/var/elsewhere")
    assert private_folder("XDG_STATE_HOME", ".local/state") == Path("/var/elsewhere/boxlens")
    for value in ("", "relative/path"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert private_folder("XDG_STATE_HOME", ".local/state") == tmp_path / ".local/state/boxlens"
