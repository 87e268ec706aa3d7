"""What a child process costs: wall time, peak memory, and what it reports of itself."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from peers import Contender

MESSAGE_CHARS = 300


@dataclass(frozen=True)
class Cost:
    """One finished process. `failure` is what it said before it broke."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    output: str
    failure: str | None


def cost_of(command: Sequence[str]) -> Cost:
    """Runs a command from outside.

    Linux counts the starter's own pages into a child's peak until it executes, so whoever calls
    this stays small: no NumPy, no Polars in the harness.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        # Waited for by os.wait4, which alone gives the resources of this one child.
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output, errors = _text(out), _text(err)
    unit = 1e6 if sys.platform == "darwin" else 1e3
    failure = None if process.returncode == 0 else _last_words(process.returncode, errors)
    cpu_s = usage.ru_utime + usage.ru_stime
    return Cost(wall_s, cpu_s, usage.ru_maxrss / unit, output, failure)


def measured(contender: Contender, kind: str, truth: Path, dets: Path) -> dict[str, Any]:
    """One measurement as a plain record. Kinds: timed (clock inside), script, command."""
    if kind == "command":
        filled = [part.format(gt=truth, dt=dets) for part in contender.command]
    else:
        code = contender.timed_script() if kind == "timed" else contender.script()
        filled = [sys.executable, "-c", code, str(truth), str(dets)]
    return record_of(filled, reports=kind == "timed")


def record_of(command: Sequence[str], *, reports: bool) -> dict[str, Any]:
    """The cost as a record, with the JSON of the child's last line where it reports some."""
    cost = cost_of(command)
    record: dict[str, Any] = {
        "wall_s": cost.wall_s,
        "cpu_s": cost.cpu_s,
        "peak_mb": cost.peak_mb,
    }
    if cost.failure is not None:
        return record | {"failure": cost.failure}
    if reports:
        record |= json.loads(cost.output.rstrip().rsplit("\n", 1)[-1])
    return record


def warm(paths: Sequence[Path]) -> None:
    """Reads the files once, so that every contender finds them in the page cache."""
    for path in paths:
        with path.open("rb") as file:
            while file.read(1 << 24):
                pass


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _last_words(code: int, errors: str) -> str:
    lines = [line.strip() for line in errors.strip().splitlines() if line.strip()]
    said = lines[-1] if lines else "no message"
    return f"exit {code}: {said}"[:MESSAGE_CHARS]


def scripts_measured(
    truth: Path, scripts: dict[str, str], repeat: int
) -> dict[str, dict[str, Any]]:
    """In turns, each in a fresh process; medians of what each says of itself."""
    records: dict[str, list[dict[str, Any]]] = {name: [] for name in scripts}
    for _ in range(repeat):
        for name, code in scripts.items():
            record = record_of([sys.executable, "-c", code, str(truth)], reports=True)
            if "failure" in record:
                raise SystemExit(f"{name}: {record['failure']}")
            records[name].append(record)
            print(name, f"{record['seconds']:.3f} s", file=sys.stderr)
    return {
        name: {key: statistics.median(row[key] for row in rows) for key in rows[0]}
        for name, rows in records.items()
    }
