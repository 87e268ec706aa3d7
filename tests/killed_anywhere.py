"""Runs a command over and over, killed each time before another of its changes of files.

As a script: `killed_anywhere.py FOLDER WHERE COMMAND...`; WHERE is `all`, or shares of the changes
with commas between. Every run has a folder of its own, as its
current one; FOLDER/whole is that of the undisturbed run, FOLDER/<n> of the one that was killed
before its n-th change and then started again. Prints how many changes an undisturbed run makes.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

# Changes that Python tells of before they come about.
CHANGES = {
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.truncate",
    "os.link",
    "shutil.move",
}

# Exit codes: all was done, or all but some pictures that failed.
DONE = (0, 3)


def changes(event, arguments) -> bool:
    if event == "open":
        path, _, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
        return bool(writes) and not str(path).startswith("/dev/")
    return event in CHANGES


def run(folder: Path, command: list[str], kill_before: int | None = None) -> int:
    """In a child of its own; its status. What it did is told in a file beside the folder."""
    folder.mkdir(exist_ok=True)
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    count = 0

    def watch(event, arguments) -> None:
        nonlocal count
        if changes(event, arguments):
            count += 1
            if count == kill_before:
                os.kill(os.getpid(), signal.SIGKILL)

    code = 1
    try:
        os.chdir(folder)
        with Path("output.txt").open("a") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        Path("output.txt").unlink()
        sys.path.insert(0, "..")
        sys.addaudithook(watch)
        code = run_command(command)
        told = {"count": count, "modules": sorted(sys.modules)}
        (folder.parent / f"{folder.name}.told").write_text(json.dumps(told))
    finally:
        sys.stdout.flush()
        os._exit(code)


def run_command(command: list[str]) -> int:
    import boxlens.studies.proposals.generate
    from boxlens.cli import main

    # Times aside.
    boxlens.studies.proposals.generate.thread_time = lambda: 0.0
    try:
        main(command)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def main_of_script() -> None:
    place, where, command = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    undisturbed = run(place / "whole", command)
    if os.WEXITSTATUS(undisturbed) not in DONE or os.WIFSIGNALED(undisturbed):
        sys.exit(f"the undisturbed run ended with {undisturbed}")
    told = json.loads((place / "whole.told").read_text())
    for name in told["modules"]:  # only once: every run would do it again
        with suppress(Exception):
            importlib.import_module(name)
    n = told["count"]
    shares = [] if where == "all" else [float(share) for share in where.split(",")]
    for pick in [1 + int(share * n) for share in shares] or range(1, n + 1):
        status = run(place / str(pick), command, pick)
        if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL):
            sys.exit(f"change {pick} of {n} never came: {status}")
        status = run(place / str(pick), command)
        if status != undisturbed:
            sys.exit(f"killed before change {pick} of {n}, it does not go on: {status}")
    print(n)


if __name__ == "__main__":
    main_of_script()
