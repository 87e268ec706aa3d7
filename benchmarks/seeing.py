"""Measures what people see: writing the report, and the app under filters, images and load.

python benchmarks/seeing.py [--filters N] [--seconds S]; writes RESULTS-seeing.md
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

import boxlens
from run import real_sets

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS-seeing.md"
TOKEN = "benchmark-of-the-app"
RATE = 200
HOW = """COCO val2017, YOLOX-nano and FastestDet: {n_images:,} images, {n_detections:,} detections.
The report is written by one process that has done the analysis before; its time is that of
writing alone: figures, tables, page. The app is a process of its own; times are those of whole
requests over HTTP on the loopback, one after the other, each filter a new one. Filters are drawn
at random from all terms and sorts. Under load, {rate} requests a second are sent for {seconds} s,
whether the ones before are answered or not: grids, images, exports of lists, pictures of the page.
Peak memory is that of the server's process after all of it."""


@dataclass
class Measured:
    """Rows of the table: what, how much, and the aim."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, what: str, value: str, aim: str) -> None:
        print(f"{what}: {value} (aim: {aim})", flush=True)
        self.rows.append((what, value, aim))

    def add_times(self, what: str, seconds: list[float], aim: str) -> None:
        ordered = sorted(seconds)
        at_95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
        value = (
            f"median {statistics.median(ordered) * 1e3:.0f} ms, 95th percentile "
            f"{at_95 * 1e3:.0f} ms, most {ordered[-1] * 1e3:.0f} ms"
        )
        self.add(what, value, aim)


def write_report(measured: Measured, folder: Path) -> tuple[int, int]:
    """Returns the numbers of images and detections."""
    from boxlens.metrics import choose
    from boxlens.metrics.intervals import ResamplingChoice
    from boxlens.studies.diagnosis import DiagnosisChoice
    from boxlens.studies.report import ReportChoice, answer_tables

    truth, *found = _files()
    dataset = boxlens.read_dataset(truth)
    tables = [boxlens.read_detections(path, dataset) for path in found]
    choice = ReportChoice(
        ask=(),
        evaluation=choose("coco"),
        diagnosis=DiagnosisChoice(),
        resampling=ResamplingChoice(),
    )
    start = time.perf_counter()
    result = answer_tables(dataset, tables, choice)
    analysed = time.perf_counter()
    result.save(folder)
    written = time.perf_counter()
    measured.add("analysis", f"{analysed - start:.1f} s", "-")
    measured.add("report, beyond the analysis", f"{written - analysed:.1f} s", "under 10 s")
    size = (folder / "report.html").stat().st_size / 1e6
    measured.add("report.html", f"{size:.1f} MB", "under 15 MB")
    return len(dataset.images), sum(map(len, tables))


def _files() -> list[Path]:
    sets = real_sets()
    return [sets[0].truth, *(one.dets for one in sets[:2])]


class Server:
    """`boxlens serve` on a free port."""

    def __init__(self, folder: Path) -> None:
        start = time.perf_counter()
        command = [sys.executable, "-m", "boxlens", "serve", str(folder), "--port", "0"]
        self.process = subprocess.Popen(
            [*command, "--no-browser", "--token", TOKEN], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        httpx.get(self.address).raise_for_status()
        self.start_seconds = time.perf_counter() - start

    def peak_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        return float(found[1]) / 1e3 if found else float("nan")

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


def random_query(rng: random.Random, about: dict[str, Any]) -> str:
    """A few terms that the app knows, and a sort."""
    of = rng.choice(["detections", "detections", "objects"])
    classes = [row["name"] for row in about["dataset"]["classes"]]
    terms: list[tuple[str, str]] = [("of", of), ("detector", rng.choice("01"))]
    scheme = rng.choice(list(about["schemes"]))
    low = rng.random() * 0.9
    choices = [
        ("class", rng.choice(classes)),
        (scheme, rng.choice(about["schemes"][scheme][of])),
        ("score", f"{low:.3f}..{low + rng.random():.3f}"),
        ("size", rng.choice(["small", "medium", "large"])),
        ("iou", f"{low:.2f}.."),
        ("area", f"..{rng.randrange(100, 100_000)}"),
        ("find", str(rng.randrange(100))),
        ("characteristic.area", rng.choice(["XS", "S", "M", "L", "XL"])),
    ]
    terms += rng.sample(choices, rng.randrange(4))
    sort = rng.choice(["score", "loss", "disagreement", "unexpected", "iou", "area", "image"])
    page = rng.choice(["1", "1", "2"])
    return urlencode(
        [*terms, ("sort", sort), ("show", rng.choice(["images", "boxes"])), ("page", page)]
    )


def ask_filters(measured: Measured, server: Server, about: dict[str, Any], n: int) -> None:
    rng = random.Random(0)
    with httpx.Client(base_url=server.address, timeout=30) as client:
        seconds = [_timed(client, f"images?{random_query(rng, about)}") for _ in range(n)]
        measured.add_times(f"{n:,} random filters", seconds, "95th percentile under 200 ms")
        rows = rng.sample(range(about["dataset"]["n_images"]), min(n, 300))
        seconds = [_timed(client, f"image/{row}?of=detections") for row in rows]
        measured.add_times(f"{len(rows)} image views", seconds, "under 100 ms")


def _timed(client: httpx.Client, address: str) -> float:
    start = time.perf_counter()
    answer = client.get(address)
    # A page beyond the last is told as such.
    assert answer.status_code in {200, 400}, (address, answer.status_code)
    return time.perf_counter() - start


async def flood(server: Server, about: dict[str, Any], seconds: int) -> tuple[list[float], int]:
    """Sends at the rate, come what may; returns the times and the number of failures."""
    rng = random.Random(1)
    queries = [random_query(rng, about) for _ in range(50)]
    times: list[float] = []
    failed = 0
    limits = httpx.Limits(max_connections=64)

    async def one(client: httpx.AsyncClient, address: str) -> None:
        nonlocal failed
        start = time.perf_counter()
        try:
            answer = await client.get(address)
            failed += answer.status_code >= 500
        except httpx.HTTPError:
            failed += 1
        times.append(time.perf_counter() - start)

    async with httpx.AsyncClient(base_url=server.address, timeout=60, limits=limits) as client:
        start = time.perf_counter()
        tasks = []
        for at in range(RATE * seconds):
            await asyncio.sleep(max(0.0, start + at / RATE - time.perf_counter()))
            kind = at % 20
            if kind == 0:
                address = f"images?{rng.choice(queries)}"
            elif kind == 1:
                address = f"image/{rng.randrange(about['dataset']['n_images'])}?of=detections"
            elif kind == 2:
                address = f"export.txt?of=images&find={rng.randrange(100)}"
            else:
                address = rng.choice(["static/app.css", "static/grid.js", "thumbnail/0"])
            tasks.append(asyncio.create_task(one(client, address)))
        await asyncio.gather(*tasks)
    return times, failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filters", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    measured = Measured()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "out"
        n_images, n_detections = write_report(measured, folder)
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        server = Server(folder)
        try:
            measured.add(
                "app start, to the first page", f"{server.start_seconds:.2f} s", "under 2 s"
            )
            ask_filters(measured, server, about, options.filters)
            times, failed = asyncio.run(flood(server, about, options.seconds))
            what = f"{RATE} requests a second for {options.seconds} s: {failed} failed"
            measured.add_times(what, times, "stays responsive")
            after = [_timed(httpx.Client(base_url=server.address), "") for _ in range(5)]
            measured.add_times("overview afterwards", after, "stays responsive")
            measured.add("peak memory of the app", f"{server.peak_mb():.0f} MB", "under 1 GB")
        finally:
            server.end()
    how = HOW.format(
        n_images=n_images, n_detections=n_detections, rate=RATE, seconds=options.seconds
    )
    lines = ["| what | measured | aim |", "|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in measured.rows]
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    text = f"# What people see: report and app\n\n{how}\n\nMachine: {machine}.\n\n"
    RESULTS.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
