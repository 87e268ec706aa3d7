"""Figures drawn by several processes: what draws them holds Python's lock while it works.

A process reads jobs from its standard input, one a line, and ends when that is closed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from boxlens.detectors.processes import signals_blocked
from boxlens.formats.unfinished import scratch_folder
from boxlens.progress import Progress
from boxlens.report.charts.export import ChartFormat, save_spec
from boxlens.report.charts.vega_script import vega_script

MOST_PROCESSES = 4


class Drawing(ExitStack):
    """Takes figures as they are made, and gives their files when they are asked for."""

    def __init__(self, formats: Sequence[ChartFormat]) -> None:
        """Without formats there is nothing to draw, and no process is started."""
        super().__init__()
        self.formats = tuple(formats)
        self._scratch = self.enter_context(scratch_folder())
        self._files: list[Future[tuple[Path, ...]]] = []
        self._idle: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
        n = min(os.cpu_count() or 1, MOST_PROCESSES) if self.formats and sys.executable else 0
        self._processes = [_started() for _ in range(n)]
        for one in self._processes:
            self._idle.put(one)
            self.callback(one.communicate)
        self._threads = ThreadPoolExecutor(max(n, 1))
        self.callback(self._threads.shutdown, cancel_futures=True)
        self.push(self._stopped)
        # Made first, while figures are still prepared, and kept where this process finds it.
        self._script = self._threads.submit(self._asked, {"script": True})

    def _stopped(self, kind: type[BaseException] | None, *_: object) -> None:
        """What stops the work here stops the processes."""
        for one in self._processes if kind is not None else ():
            one.kill()

    def add(self, name: str, spec: dict[str, Any]) -> None:
        """Draws a figure as soon as a process is free."""
        if self.formats:
            self._files.append(self._threads.submit(self._draw, name, spec))

    @property
    def n_done(self) -> int:
        return sum(one.done() for one in self._files)

    def files(self, progress: Progress | None = None) -> Iterator[Path]:
        """Of every figure, in the order they were added; waits for them."""
        for at, one in enumerate(self._files):
            if progress:
                progress("drawing figures", max(at, self.n_done), len(self._files))
            yield from one.result()
        self._script.result()

    def _draw(self, name: str, spec: dict[str, Any]) -> tuple[Path, ...]:
        stem = self._scratch / name
        if self._asked({"spec": spec, "stem": str(stem), "formats": self.formats}):
            return tuple(stem.with_name(f"{name}.{ending}") for ending in self.formats)
        # Where no process can be started, and to fail here with the reason.
        return save_spec(spec, stem, self.formats)

    def _asked(self, job: dict[str, Any]) -> bool:
        """Whether a process did it."""
        if not self._processes:
            return False
        process = self._idle.get()
        try:
            process.stdin.write(f"{json.dumps(job)}\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            return process.stdout.readline() == "done\n"  # type: ignore[union-attr]
        except OSError:
            return False
        finally:
            self._idle.put(process)


def _started() -> subprocess.Popen[str]:
    with signals_blocked():
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "boxlens.report.charts.drawing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            # The package may have been found by a path that only this process knows.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )


def _work(jobs: IO[str], answers: IO[str]) -> None:
    for line in jobs:
        job = json.loads(line)
        try:
            if "script" in job:
                vega_script()
            else:
                save_spec(job["spec"], job["stem"], job["formats"])
            answer = "done"
        except Exception:  # noqa: BLE001 - the other side tries it again, and tells
            answer = "failed"
        answers.write(f"{answer}\n")
        answers.flush()


if __name__ == "__main__":
    _work(sys.stdin, sys.stdout)
