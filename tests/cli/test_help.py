"""Help and mistyped commands are quick: no library is loaded for them."""

from __future__ import annotations

import json
import subprocess
import sys

from command_parsers import command_parsers

# A process of its own: this one has everything loaded.
LOADED_BY = """
import contextlib, io, json, sys
before = set(sys.modules)
from boxlens.cli import main
codes = []
for arguments in json.loads(sys.argv[1]):
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(arguments)
    except SystemExit as left:
        codes.append(left.code)
print(json.dumps([codes, sorted({name.partition(".")[0] for name in set(sys.modules) - before})]))
"""


def loaded_by(*commands: list[str]) -> tuple[list[int], set[str]]:
    """Exit codes, and what is loaded that Python does not bring along."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED_BY, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=True,
    )
    codes, names = json.loads(done.stdout)
    return codes, set(names) - sys.stdlib_module_names - {"boxlens"}


def test_help_of_every_command_loads_no_library():
    commands = [[*path, "--help"] for path in command_parsers()]
    assert ["proposals", "tune", "--help"] in commands
    codes, loaded = loaded_by(*commands, ["--version"])
    assert codes == [0] * (len(commands) + 1)
    assert loaded == set()


def test_parse_errors_of_every_command_load_no_library():
    commands = [[*path, "--no-such-option"] for path in command_parsers()]
    codes, loaded = loaded_by(*commands, [], ["evalute"], ["scenes", "make", "--size", "large"])
    assert codes == [2] * (len(commands) + 3)
    assert loaded == set()


def test_what_is_loaded_is_seen():
    _, loaded = loaded_by(["evaluate", "absent.json", "absent.json"])
    assert "numpy" in loaded
