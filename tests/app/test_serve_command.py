"""`boxlens serve`: where it listens, which address it prints, and how it refuses and ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.run_folders import write_run
from app.served import TOKEN, serving, start, stop
from boxlens.app.serving.address_token import checked_token, kept_token, token_file, token_of_run
from boxlens.app.serving.running import address_of, is_loopback, listen
from boxlens.cli import main
from boxlens.errors import ParameterError
from pictures import write_pictures
from running import PATIENCE_S


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "out")


@pytest.fixture
def state(tmp_path, monkeypatch) -> Path:
    """Where tokens are kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def refused(state, capsys) -> Callable[..., str]:
    """Runs a command that must not start a server; returns its one line."""

    def run(folder: Path, *options: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["serve", str(folder), "--no-browser", "--port", "0", *options])
        assert ended.value.code == 2
        printed, errors = capsys.readouterr()
        assert printed == ""
        lines = errors.strip().splitlines()
        assert len(lines) == 1, errors
        assert lines[0].startswith("boxlens: ")
        return lines[0]

    return run


def test_the_address_is_the_only_line_on_stdout(folder, tmp_path):
    process = start(folder, "--port", "0", "--no-browser", state=tmp_path / "state")
    try:
        address = process.stdout.readline().strip()
        assert httpx.get(address, timeout=PATIENCE_S).status_code == 200
    finally:
        printed, errors = stop(process)
    assert address.startswith("http://127.0.0.1:")
    assert address.endswith("/")
    assert (process.returncode, printed, errors) == (0, "", "")


def test_json_says_what_is_served(folder, tmp_path):
    write_pictures(tmp_path / "images", ["000001.jpg", "000002.jpg"])
    options = ("--images", str(tmp_path / "images"))
    with serving(folder, *options, state=tmp_path / "state") as served:
        assert served.document == {
            "schema": "boxlens/serve/1",
            "address": served.address,
            "folder": str(folder),
            "pictures": 2,
        }


def test_json_can_go_to_a_file(folder, tmp_path):
    target = tmp_path / "served.json"
    options = ("--port", "0", "--no-browser", "--json", str(target))
    process = start(folder, *options, state=tmp_path / "state")
    try:
        address = process.stdout.readline().strip()
        assert json.loads(target.read_text())["address"] == address
    finally:
        stop(process)


def test_only_this_machine_can_reach_it(folder, tmp_path):
    with serving(folder, state=tmp_path / "state") as served:
        inside = socket.getaddrinfo("127.0.0.1", served.port)[0][4]
        with socket.create_connection(inside, timeout=PATIENCE_S):
            pass
        # The same machine under another of its addresses stands for all others.
        with (
            pytest.raises(OSError),
            socket.create_connection(("127.0.0.2", served.port), timeout=PATIENCE_S),
        ):
            pass


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_quietly_even_while_a_connection_is_open(folder, tmp_path, ending):
    process = start(folder, "--port", "0", "--no-browser", state=tmp_path / "state")
    address = process.stdout.readline().strip()
    with httpx.Client(timeout=PATIENCE_S) as client:
        assert client.get(address).status_code == 200
        process.send_signal(ending)
        printed, errors = process.communicate(timeout=PATIENCE_S)
    assert (printed, errors) == ("", "")
    assert process.returncode == 0


def test_addresses_stay_valid_from_one_start_to_the_next(folder, tmp_path):
    roots = []
    for options in ((), (), ("--new-token",), ()):
        with serving(folder, *options, state=tmp_path / "state") as served:
            roots.append(served.root)
    assert roots[0] == roots[1] != roots[2] == roots[3]
    kept = tmp_path / "state" / "boxlens" / "serve-token"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert roots[3].strip("/") == token_of_run(kept.read_text().strip(), folder)


def test_every_run_has_addresses_of_its_own(folder, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    secret = "s" * 32
    assert token_of_run(secret, folder) == token_of_run(secret, folder / ".." / folder.name)
    assert token_of_run(secret, folder) != token_of_run(secret, other)
    assert checked_token(token_of_run(secret, other)) == token_of_run(secret, other)


def test_a_token_of_ones_own_is_not_kept(folder, tmp_path):
    with serving(folder, "--token", TOKEN, state=tmp_path / "state") as served:
        assert served.root == f"/{TOKEN}/"
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    "text", ["", "short", "a" * 15, "with/slash/in-it-123", "ümlaut" * 4, "a" * 257]
)
def test_a_token_that_can_be_guessed_or_is_no_part_of_an_address_is_refused(text):
    with pytest.raises(ParameterError, match="16 to 256"):
        checked_token(text)


def test_tokens_are_long_and_random(state):
    tokens = {kept_token(renew=True)[0] for _ in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= 32


@pytest.mark.parametrize("content", ["", "short", "two lines of\ntext that are long", "\x00" * 40])
def test_a_damaged_token_is_made_anew(state, content):
    known, _ = kept_token()
    token_file().write_text(content)
    fresh, note = kept_token()
    assert fresh != known
    assert note is None
    assert kept_token() == (fresh, None)


def test_a_token_that_others_can_read_is_made_anew(state):
    known, _ = kept_token()
    token_file().chmod(0o644)
    fresh, _ = kept_token()
    assert fresh != known
    assert stat.S_IMODE(token_file().stat().st_mode) == 0o600


def test_a_token_that_is_a_link_is_replaced_not_followed(state, tmp_path):
    (tmp_path / "other").write_text("t" * 40)
    token_file().parent.mkdir(parents=True)
    token_file().symlink_to(tmp_path / "other")
    fresh, _ = kept_token()
    assert fresh != "t" * 40
    assert (tmp_path / "other").read_text() == "t" * 40
    assert not token_file().is_symlink()


def test_where_no_token_can_be_kept_a_note_says_so(state):
    state.write_text("a file where a folder is needed")
    token, note = kept_token()
    assert len(token) >= 32
    assert "only this time" in note
    assert kept_token()[0] != token


def test_without_a_state_folder_the_token_lies_in_the_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative/path"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert token_file() == tmp_path / ".local" / "state" / "boxlens" / "serve-token"


def test_a_port_in_use_is_told(folder, refused):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = refused(folder, "--port", port)
    assert f"port {port} is in use" in line
    assert "--port 0" in line


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--port", "70000"), "0 to 65,535"),
        (("--port", "-1"), "0 to 65,535"),
        (("--port", "many"), "--port"),
        (("--token", "short"), "16 to 256"),
        (("--token", TOKEN, "--new-token"), "exclude each other"),
        (("--host", "no such host"), "unknown name or address"),
        (("--host", "192.0.2.1"), "not an address of this machine"),
        (("--images", "nowhere"), "nowhere: no such folder"),
        (("--unknown",), "--unknown"),
    ],
)
def test_options_that_cannot_be_meant_are_told(folder, refused, options, told):
    assert told in refused(folder, *options)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may listen anywhere")
def test_a_port_without_permission_is_told():
    with pytest.raises(ParameterError, match=r"no permission.*--port 0"):
        listen("127.0.0.1", 1)


def test_a_folder_that_is_not_there_or_no_run_is_told(folder, refused, tmp_path):
    assert "nowhere" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "run.json" in refused(tmp_path / "empty")
    assert "run.json" in refused(folder / "run.json")


@pytest.mark.parametrize("table", ["images", "detections", "objects"])
def test_a_damaged_table_is_told(folder, refused, table):
    path = folder / "tables" / f"{table}.parquet"
    path.write_bytes(path.read_bytes()[:-20] + b"\0" * 20)
    assert f"{table}.parquet" in refused(folder)


def test_pictures_of_another_data_set_are_told(folder, refused, tmp_path):
    write_pictures(tmp_path / "images", ["strange.jpg"])
    assert "none of the 1 pictures" in refused(folder, "--images", str(tmp_path / "images"))
    (tmp_path / "none").mkdir()
    assert "no pictures in" in refused(folder, "--images", str(tmp_path / "none"))


def test_nothing_is_written_into_the_folders(folder, tmp_path):
    images = write_pictures(tmp_path / "images", ["000001.jpg"])
    everything = [folder, images, *folder.rglob("*"), *images.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.stat().st_mtime_ns for path in everything}
    try:
        with serving(folder, "--images", str(images), state=tmp_path / "state") as served:
            for path in ("", "images", "image/0", "thumbnail/0", "export.csv", "guide/"):
                assert served.get(path).status_code == 200
        assert before == {
            path: path.stat().st_mtime_ns
            for path in [folder, images, *folder.rglob("*"), *images.rglob("*")]
        }
    finally:
        for path in everything:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_links_out_of_the_folder_of_pictures_are_noted(folder, tmp_path):
    write_pictures(tmp_path / "elsewhere", ["000002.jpg"])
    images = write_pictures(tmp_path / "images", ["000001.jpg"])
    (images / "000002.jpg").symlink_to(tmp_path / "elsewhere" / "000002.jpg")
    options = ("--port", "0", "--no-browser", "--images", str(images))
    process = start(folder, *options, state=tmp_path / "state")
    process.stdout.readline()
    _, errors = stop(process)
    assert "note: skipped 1 link out of the folder" in errors


def test_listening_for_other_machines_comes_with_a_warning(folder, tmp_path):
    options = ("--port", "0", "--no-browser", "--host", "0.0.0.0", "--allow-host", "Box.Example")
    process = start(folder, *options, state=tmp_path / "state")
    try:
        address = process.stdout.readline().strip()
        port = httpx.URL(address).port
        asked = {
            host: httpx.get(address, headers={"Host": host}, timeout=PATIENCE_S).status_code
            for host in ("box.example", f"box.example:{port}", f"127.0.0.1:{port}", "evil.example")
        }
    finally:
        _, errors = stop(process)
    assert list(asked.values()) == [200, 200, 200, 421]
    assert errors.startswith("warning: 0.0.0.0 can be reached from other machines")


def test_the_standard_browser_is_opened(folder, tmp_path):
    script = tmp_path / "browser"
    script.write_text(
        f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/opened.part\nmv {tmp_path}/opened.part {tmp_path}/opened\n'
    )
    script.chmod(0o755)
    process = start(folder, "--port", "0", state=tmp_path / "state", BROWSER=f"{script} %s")
    try:
        address = process.stdout.readline().strip()
        deadline = time.monotonic() + PATIENCE_S
        while not (tmp_path / "opened").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        stop(process)
    assert (tmp_path / "opened").read_text() == address


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:1/t/"),
        ("::1", "http://[::1]:1/t/"),
        ("[::1]", "http://[::1]:1/t/"),
        ("0.0.0.0", "http://127.0.0.1:1/t/"),
        ("::", "http://127.0.0.1:1/t/"),
        ("box.example", "http://box.example:1/t/"),
    ],
)
def test_addresses_are_such_that_a_browser_takes_them(host, address):
    assert address_of(host, 1, "t") == address


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("localhost", True), ("::1", True), ("[::1]", True),
     ("0.0.0.0", False), ("127.evil.example", False), ("10.0.0.1", False), ("::", False)],
)  # fmt: skip
def test_hosts_that_others_reach_are_told_from_those_they_do_not(host, loopback):
    assert is_loopback(host) is loopback
