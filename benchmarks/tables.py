"""Turns measurement records into RESULTS.md: medians, ratios to Boxlens, agreement of metrics."""

from __future__ import annotations

import math
import os
import platform
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from peers import BOXLENS, CONTENDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Record = dict[str, Any]
NONE = "–"
TOLERANCE = 1e-9
# Below this load average before the first run the machine counts as idle.
QUIET_LOAD = 0.5
REFERENCE = "pycocotools"

HOW = """\
## How it was measured

Every measurement is a fresh process; contenders take turns (A B C, A B C, ...), the files are in
the page cache, and the figures are medians. *Load* is reading both files, *evaluate* everything
from there to the twelve COCO numbers, both by a clock inside the process after its imports;
*total* is their sum. *Process* is the wall time of the whole process seen from outside, with
interpreter start and imports: for the peers the shortest script, or their own command where that
is faster; for Boxlens always the command `boxlens evaluate GT DT`. *Peak memory* is the largest
resident size of that process. pycocotools and faster-coco-eval run once, and at 5x only with
`--all`. Each peer is called in its fastest documented way: `python benchmarks/peers.py` prints the
scripts.
*Largest deviation* compares all twelve numbers with pycocotools, or with Boxlens where
pycocotools was left out. The speed of reading is the best of seven runs inside one process after
a warm-up, imports excluded.

Repeat it with `make bench`, or `python benchmarks/run.py --quick` for the first table only.
"""


def results_text(records: Sequence[Record], titles: dict[str, str]) -> str:
    """The whole RESULTS.md."""
    parts = ["# Benchmarks", _machine() + _disturbance(records), HOW]
    for key, title in titles.items():
        rows = [r for r in records if r["table"] == "contest" and r["files"] == key]
        if rows:
            parts.append(f"## {title}\n\n{_contest_table(rows)}")
    parts += [part for part in (_reading(records), _threads(records), _growth(records)) if part]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def disagreements(records: Sequence[Record]) -> list[str]:
    """One line for each contender that claims exactness and is not."""
    lines = []
    contest = [r for r in records if r["table"] == "contest"]
    for key in dict.fromkeys(r["files"] for r in contest):
        rows = [r for r in contest if r["files"] == key]
        for contender in CONTENDERS:
            deviation = _deviation(rows, contender.name)
            if contender.claims_exactness and deviation is not None and deviation > TOLERANCE:
                lines.append(f"{contender.name} on {key} by {deviation:.2g}")
    return lines


def _machine() -> str:
    versions = [f"{c.name} {c.version() or '(no installed version)'}" for c in CONTENDERS]
    cpu = f"{_cpu_model()}, {os.cpu_count()} cores, {_memory_gb():.0f} GB"
    libraries = f"NumPy {metadata.version('numpy')}, Polars {metadata.version('polars')}"
    return (
        f"- {cpu}, {platform.system()} {platform.machine()}\n"
        f"- Python {platform.python_version()}, {libraries}\n"
        f"- {', '.join(versions)}"
    )


def _disturbance(records: Sequence[Record]) -> str:
    loads = [r["load_average"] for r in records if r["table"] == "machine"]
    if not loads or max(loads) < QUIET_LOAD:
        return ""
    return (
        f"\n- **Preliminary**: other work ran on the machine (load average {max(loads):.1f}"
        " before the first measurement)"
    )


def _cpu_model() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown processor"


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def _contest_table(rows: Sequence[Record]) -> str:
    ours = _summary(rows, BOXLENS.name)
    lines = []
    for contender in CONTENDERS:
        found = _summary(rows, contender.name)
        if not found:
            why = "not run; `--all` runs it" if contender.is_slow else "not run"
            lines.append([contender.name, why] + [NONE] * 8)
            continue
        if "failure" in found:
            lines.append([contender.name, found["failure"].replace("|", "/")] + [NONE] * 8)
            continue
        deviation = _deviation(rows, contender.name)
        lines.append(
            [
                contender.name + ("¹" if "inside its evaluation" in contender.note else ""),
                _seconds(found["load"]),
                _seconds(found["evaluate"]),
                _seconds(found["total"]),
                _ratio(found["total"], ours.get("total")),
                _seconds(found["process"]),
                _ratio(found["process"], ours.get("process")),
                f"{found['peak']:,.0f} MB",
                f"{found['AP']:.6f}",
                NONE if deviation is None else f"{deviation:.1g}" if deviation else "0",
            ]
        )
    head = (
        *("", "load", "evaluate", "total", "to Boxlens", "process", "to Boxlens"),
        *("peak memory", "AP", "largest deviation"),
    )
    return f"{_markdown(head, lines)}\n\n{_notes(rows)}"


def _notes(rows: Sequence[Record]) -> str:
    spreads, counts = [], []
    for contender in CONTENDERS:
        totals = [
            r["load_s"] + r["evaluate_s"]
            for r in rows
            if r["name"] == contender.name and r["kind"] == "timed" and "failure" not in r
        ]
        if totals:
            counts.append(f"{contender.name} {len(totals)}")
            spreads.append((max(totals) - min(totals)) / median(totals))
    noted = [f"¹ {c.name} {c.note}." for c in CONTENDERS if "inside its evaluation" in c.note]
    runs = f"Runs: {', '.join(counts)}." if counts else ""
    spread = f"Widest spread of a total: {max(spreads):.0%} of its median." if spreads else ""
    n_sessions = len({r["run"] for r in rows})
    apart = (
        f"**Measured in {n_sessions} runs at different times, so not all in turns: the ratios"
        " are rough.**"
    )
    parts = (runs, spread, apart if n_sessions > 1 else "", *noted)
    return " ".join(part for part in parts if part)


def _summary(rows: Sequence[Record], name: str) -> dict[str, Any]:
    """Medians of one contender, its failure, or nothing where it did not run."""
    mine = [r for r in rows if r["name"] == name]
    timed = [r for r in mine if r["kind"] == "timed" and "failure" not in r]
    if not timed:
        failures = [r["failure"] for r in mine if "failure" in r]
        return {"failure": failures[0]} if failures else {}
    process, peak = _process(mine, name)
    return {
        "load": median(r["load_s"] for r in timed),
        "evaluate": median(r["evaluate_s"] for r in timed),
        "total": median(r["load_s"] + r["evaluate_s"] for r in timed),
        "process": process,
        "peak": peak,
        "AP": timed[0]["metrics"]["AP"],
    }


def _process(mine: Iterable[Record], name: str) -> tuple[float, float]:
    """Wall time and peak of the whole process: our command, or the peer's better way."""
    by_kind: dict[str, list[Record]] = {}
    for record in mine:
        if "failure" not in record:
            by_kind.setdefault(record["kind"], []).append(record)
    costs = {
        kind: (median(r["wall_s"] for r in group), median(r["peak_mb"] for r in group))
        for kind, group in by_kind.items()
    }
    if name == BOXLENS.name and "command" in costs:
        return costs["command"]
    return min(costs[kind] for kind in costs if kind != "timed" or len(costs) == 1)


def _deviation(rows: Sequence[Record], name: str) -> float | None:
    """The largest difference of any metric in any run from the reference."""
    metrics = [(r["name"], r["metrics"]) for r in rows if "metrics" in r]
    names = [found for found, _ in metrics]
    reference_name = next((n for n in (REFERENCE, BOXLENS.name) if n in names), None)
    if name not in names or reference_name is None:
        return None
    reference = metrics[names.index(reference_name)][1]
    return max(
        abs(_defined(values[metric]) - _defined(reference[metric]))
        for found, values in metrics
        if found == name
        for metric in reference
    )


def _defined(value: float) -> float:
    """The peers write an undefined metric as -1."""
    return -1.0 if math.isnan(value) else value


def _reading(records: Sequence[Record]) -> str:
    lines = []
    for record in (r for r in records if r["table"] == "read"):
        label = [record["files"], _format(record["name"]), record["kind"].removeprefix("threads=")]
        if "failure" in record:
            lines.append([*label, record["failure"].replace("|", "/"), NONE, NONE, NONE])
            continue
        lines.append(
            [
                *label,
                f"{record['n_bytes'] / 1e6:.1f} MB",
                f"{record['best_s'] * 1e3:.0f} ms",
                f"**{record['n_bytes'] / 1e6 / record['best_s']:,.0f} MB/s**",
                f"{record['n_detections'] / 1e6 / record['best_s']:.1f} M/s",
            ]
        )
    head = ("files", "format", "threads", "size", "time", "speed", "detections")
    return f"## Reading detections\n\n{_markdown(head, lines)}" if lines else ""


def _threads(records: Sequence[Record]) -> str:
    lines = []
    for record in (r for r in records if r["table"] == "evaluate"):
        time = record.get("failure") or f"{record['best_s'] * 1e3:.0f} ms"
        lines.append([record["files"], record["kind"].removeprefix("threads="), time])
    head = ("files", "threads", "time")
    return f"## Evaluating, files already read\n\n{_markdown(head, lines)}" if lines else ""


def _growth(records: Sequence[Record]) -> str:
    rows = [r for r in records if r["table"] == "growth"]
    lines, first = [], None
    for key in dict.fromkeys(r["files"] for r in rows):
        scale = int(key.split("x")[0])
        found = _summary([r for r in rows if r["files"] == key], BOXLENS.name)
        if "failure" in found:
            lines.append([f"{scale}x", found["failure"].replace("|", "/")] + [NONE] * 4)
            continue
        first = first or found["total"] / scale
        lines.append(
            [
                f"{scale}x: {scale * 5_000:,} images, {scale * 500_000:,} detections",
                _seconds(found["load"]),
                _seconds(found["evaluate"]),
                _seconds(found["total"]),
                f"**{found['total'] / scale / first:.2f}**",
                f"{found['peak']:,.0f} MB",
            ]
        )
    head = ("size", "load", "evaluate", "total", "total a detection, to the first", "peak memory")
    return f"## Growth\n\n{_markdown(head, lines)}" if lines else ""


def _format(suffix: str) -> str:
    return {"json": "JSON", "parquet": "Parquet"}.get(suffix, suffix)


def _seconds(value: float) -> str:
    return f"{value:.3f} s" if value < 1 else f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def _ratio(value: float, ours: float | None) -> str:
    return NONE if ours is None else f"**{value / ours:.1f}x**"


def _markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *lines))
