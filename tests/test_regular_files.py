"""Only regular files are opened, and only one module opens what a user names."""

from __future__ import annotations

import ast
import os
import re
import socket
from pathlib import Path

import pytest

import boxlens
from boxlens.errors import BoxlensError, InputError
from boxlens.regular_files import appendable, existing, existing_file, existing_folder, opened
from running import boxlens_process, write_demo

HOME = Path(boxlens.__file__).parent
# Functions and methods that open a file by its path, alone or within a library.
OPENING = frozenset(
    [
        "open",
        "read_bytes",
        "read_text",
        "fromfile",
        "load",
        "memmap",
        "loadmat",
        "InferenceSession",
        "scan_parquet",
        "read_parquet",
        "read_parquet_metadata",
        "read_csv",
        "imread",
        "loadtxt",
        "ZipFile",
        "createStructuredEdgeDetection",
        "setTrainingPath",
    ]
)
# What is given to them was opened before.
IN_MEMORY = re.compile(
    r"\((io\.)?BytesIO\(|\(file\b|\(text\b|text\.encode|yaml\.load|config\.load|image\.load"
)
EXCEPTIONS = {
    "regular_files.py": "the one place",
    "formats/files.py": "writes: its own temporary files",
    "formats/private_files.py": "only regular files of this user, links refused",
    "formats/unfinished.py": "asks whether what a killed process left is locked",
    "formats/coco/writing.py": "writes",
    "formats/parquet/columns.py": "asks existing_file first: Polars maps the file",
    "formats/csv_tables.py": "asks existing_file first: Polars maps the file",
    "detectors/model_files.py": "writes",
    "detectors/onnx/model.py": "asks existing_file first",
    "detectors/journal.py": "flushes what it has just written",
    "detectors/classifiers/torch/crop_cache.py": "writes, and asks existing_file first",
    "studies/proposals/edges.py": "read whole by read_bytes before OpenCV opens it",
    "studies/proposals/generators/bing.py": "read whole by opened before OpenCV opens them",
    "studies/proposals/generators/quiet.py": "/dev/null, to write",
    "report/pages/guide.py": "comes with the package",
    "report/readers/page.py": "comes with the package",
    "report/pdf/writing.py": "comes with the package",
    "report/writing/write_study.py": "its own temporary files",
    "scenes/make.py": "a folder, to lock it",
    "app/serving/assets.py": "comes with the package",
    "app/serving/inside.py": "opens step by step, links refused, and only regular files",
    "cli/__init__.py": "/dev/null, to write",
    "cli/gate.py": "/dev/null, to write",
    "cli/serve.py": "Pictures.open, which lists a folder",
}


def opening_calls(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if not any(word in text for word in OPENING):
        return []
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    # A bare name other than `open` is a function of ours: `read_text(path)`.
    named = [
        ast.unparse(call)
        for call in calls
        if (isinstance(call.func, ast.Attribute) and call.func.attr in OPENING)
        or (isinstance(call.func, ast.Name) and call.func.id == "open")
    ]
    return [call for call in named if not IN_MEMORY.search(call)]


def test_no_other_module_opens_files_of_users():
    found = {
        path.relative_to(HOME).as_posix(): calls
        for path in sorted(HOME.rglob("*.py"))
        if (calls := opening_calls(path))
    }
    others = {name: calls for name, calls in found.items() if name not in EXCEPTIONS}
    assert others == {}, "open it by boxlens.formats.files, or give the reason here"
    assert sorted(EXCEPTIONS) == sorted(found), "a reason for what is no longer so"


@pytest.fixture
def special(tmp_path) -> dict[str, Path]:
    os.mkfifo(tmp_path / "pipe")
    for name, target in {"zeros": "/dev/zero", "ring": "ring", "nowhere": "none"}.items():
        (tmp_path / name).symlink_to(target)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "socket"))
    (tmp_path / "folder").mkdir()
    return {path.name: path for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pipe", "expected a file, found a pipe. Save what it gives as a file"),
        ("zeros", "expected a file, found a device"),
        ("socket", "expected a file, found a socket"),
        ("folder", "expected a file, found a folder"),
        ("ring", "cannot be read"),
        ("nowhere", "no such file or folder"),
    ],
)
def test_what_is_no_file_is_named_and_never_opened(special, name, told):
    for opens in (existing_file, opened, appendable):
        if (name, opens) == ("nowhere", appendable):
            continue  # it makes the file
        with pytest.raises(InputError, match=told):
            opens(special[name])


def test_a_name_that_cannot_be_one_is_refused(tmp_path):
    for path in ("x" * 5000, "a\0b", tmp_path / "none" / "x"):
        with pytest.raises(BoxlensError):
            existing(path)
    with pytest.raises(InputError, match="expected a folder, found a file"):
        existing_folder(__file__)


def test_a_pipe_that_takes_the_place_of_a_file_meanwhile_waits_for_nobody(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr("boxlens.regular_files.existing_file", Path)
    with pytest.raises(InputError, match="found a pipe"):
        opened(pipe)
    with pytest.raises(InputError, match="found a pipe"):
        appendable(pipe)


def test_what_a_shell_pipes_in_is_refused_at_once(tmp_path):
    write_demo(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for given in ("/dev/stdin", "/dev/zero", "pipe"):
        done = boxlens_process("evaluate", "ground_truth.json", given, cwd=tmp_path)
        assert done.returncode == 2
        assert re.fullmatch(
            r"boxlens: \S+: expected a file, found a (pipe|device).*\n", done.stderr
        )
