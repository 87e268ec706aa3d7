"""Measures Boxlens against its peers on the same files and writes RESULTS.md.

python benchmarks/run.py [--quick] [--repeat N] [--all] [--resume]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import measured, record_of, warm
from peers import BOXLENS, CONTENDERS
from tables import disagreements, results_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from peers import Contender

FOLDER = Path(__file__).resolve().parent
DATA = FOLDER / "data"
RESULTS = FOLDER / "RESULTS.md"
LOG = DATA / "measurements.jsonl"
GROWTH = (1, 2, 5, 10, 20)
SLOW_ROUNDS = 1
# pycocotools holds some kilobytes a detection and takes minutes from here on.
TOO_LARGE_FOR_SLOW = 5
REAL = {
    "real-yolox": ("COCO val2017, YOLOX-nano", "yolox_nano.json.gz"),
    "real-fastestdet": ("COCO val2017, FastestDet", "fastestdet.json.gz"),
}


@dataclass(frozen=True)
class FileSet:
    key: str
    title: str
    scale: int
    truth: Path
    dets: Path


@dataclass
class Log:
    """Every measurement, appended as it is made; a broken run goes on where it stopped."""

    path: Path
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    run: int = 1

    @classmethod
    def opened(cls, path: Path, *, resume: bool) -> Log:
        log = cls(path)
        if not resume:
            path.unlink(missing_ok=True)
        elif path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            log.records = {record["key"]: record for record in map(json.loads, lines)}
            log.run = 1 + max((record["run"] for record in log.records.values()), default=0)
        return log

    def add(self, make: Callable[[], dict[str, Any]], **where: Any) -> dict[str, Any]:
        """Measures unless this place was measured before."""
        key = "|".join(str(part) for part in where.values())
        if key not in self.records:
            record = {"key": key, "run": self.run, **where, **make()}
            print(f"{key}: {_said(record)}", file=sys.stderr)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            self.records[key] = record
        return self.records[key]


@cache
def synthetic(scale: int, digits: str) -> FileSet:
    """Made in a child, so that this process stays small (see measure.cost_of)."""
    command = [sys.executable, str(FOLDER / "generate.py"), "--scale", str(scale)]
    made = subprocess.run(
        [*command, "--digits", digits, "-o", str(DATA)],
        check=True,
        capture_output=True,
        text=True,
    )
    truth, dets = (Path(line) for line in made.stdout.splitlines()[1:3])
    numbers = {"rounded": "rounded numbers", "full": "17-digit numbers"}[digits]
    title = f"Synthetic {scale}x, {numbers}"
    return FileSet(f"{scale}x-{digits}", title, scale, truth, dets)


def real_sets() -> list[FileSet]:
    """The real files, unpacked, where they are at hand."""
    at = os.environ.get("BOXLENS_SHARED_DATA", FOLDER.parents[1] / "shared" / "data")
    source = Path(at) / "coco_val2017"
    if not source.exists():
        print("no real files: set BOXLENS_SHARED_DATA to their folder", file=sys.stderr)
        return []
    truth = _unpacked(source / "instances_boxes.json.gz")
    return [
        FileSet(key, title, 1, truth, _unpacked(source / name))
        for key, (title, name) in REAL.items()
    ]


def _unpacked(packed: Path) -> Path:
    target = DATA / f"real-{packed.stem}"
    if not target.exists():
        part = target.with_suffix(".part")
        with gzip.open(packed) as source, part.open("wb") as file:
            shutil.copyfileobj(source, file)
        part.replace(target)
    return target


def contest(log: Log, files: FileSet, contenders: Iterable[Contender], repeat: int) -> None:
    """All contenders on one set of files, in turns, each measurement in a fresh process."""
    contenders = list(contenders)
    warm([files.truth, files.dets])
    for contender in contenders:
        record_of([sys.executable, "-c", contender.imports], reports=False)
    for turn in range(repeat):
        for contender in contenders:
            if contender.is_slow and turn >= SLOW_ROUNDS:
                continue
            for kind in kinds(contender, turn):
                log.add(
                    partial(measured, contender, kind, files.truth, files.dets),
                    table="contest",
                    files=files.key,
                    name=contender.name,
                    kind=kind,
                    turn=turn,
                )


def kinds(contender: Contender, turn: int) -> tuple[str, ...]:
    """A slow contender runs once for both clocks: the inner one costs nothing against seconds.

    A peer's own command is tried once: where it is slower than the script, the script counts.
    """
    if contender.is_slow:
        return ("timed",)
    if contender.command and (contender is BOXLENS or turn == 0):
        return ("timed", "script", "command")
    return ("timed", "script")


def inside(log: Log, action: str, files: FileSet, dets: Path, threads: int) -> None:
    """Boxlens alone, timed within the process."""
    command = [sys.executable, str(FOLDER / "inside.py"), action, str(files.truth), str(dets)]
    log.add(
        lambda: record_of([*command, "--threads", str(threads)], reports=True),
        table=action,
        files=files.key,
        name=dets.suffix.removeprefix("."),
        kind=f"threads={threads}",
        turn=0,
    )


def reading(log: Log, files: FileSet) -> None:
    """Detections as JSON and as Parquet, one thread and two; evaluation with one and two."""
    warm([files.truth, files.dets])
    parquet = files.dets.with_suffix(".parquet")
    convert = [sys.executable, str(FOLDER / "inside.py"), "convert"]
    if not parquet.exists():
        part = parquet.with_name(f"part-{parquet.name}")
        places = [str(files.truth), str(files.dets), "--target", str(part)]
        if "failure" not in record_of([*convert, *places], reports=False):
            part.replace(parquet)
    for threads in (1, 2):
        inside(log, "read", files, files.dets, threads)
        inside(log, "read", files, parquet, threads)
        inside(log, "evaluate", files, files.dets, threads)


def growth(log: Log, repeat: int) -> None:
    """Boxlens on more and more images."""
    for scale in GROWTH:
        files = synthetic(scale, "rounded")
        warm([files.truth, files.dets])
        for turn in range(min(repeat, 3)):
            for kind in ("timed", "command"):
                log.add(
                    partial(measured, BOXLENS, kind, files.truth, files.dets),
                    table="growth",
                    files=files.key,
                    name=BOXLENS.name,
                    kind=kind,
                    turn=turn,
                )


def _surroundings() -> dict[str, Any]:
    return {"load_average": os.getloadavg()[0]}


def _said(record: dict[str, Any]) -> str:
    if "wall_s" not in record:
        return f"load average {record['load_average']:.1f}"
    return record.get("failure") or f"{record['wall_s']:.2f} s, {record['peak_mb']:.0f} MB"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1x rounded only, three turns")
    parser.add_argument("--repeat", type=int, help="turns (5; with --quick 3)")
    parser.add_argument("--all", action="store_true", help="the slow peers on the large files too")
    parser.add_argument("--resume", action="store_true", help="keep what was measured before")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these contenders only")
    chosen = parser.parse_args()
    repeat = chosen.repeat or (3 if chosen.quick else 5)
    contenders = [c for c in CONTENDERS if not chosen.only or c.name in chosen.only]

    DATA.mkdir(exist_ok=True)
    log = Log.opened(LOG, resume=chosen.resume)
    log.add(_surroundings, table="machine", turn=log.run)
    sets = [synthetic(1, "rounded")]
    if not chosen.quick:
        large = [synthetic(TOO_LARGE_FOR_SLOW, digits) for digits in ("rounded", "full")]
        sets += [synthetic(1, "full"), *large, *real_sets()]
    for files in sets:
        skipped = [
            contender
            for contender in contenders
            if contender.is_slow and files.scale >= TOO_LARGE_FOR_SLOW and not chosen.all
        ]
        contest(log, files, [c for c in contenders if c not in skipped], repeat)
    if BOXLENS in contenders:
        for files in sets[:1] if chosen.quick else sets[:2]:
            reading(log, files)
        if not chosen.quick:
            growth(log, repeat)

    records = list(log.records.values())
    RESULTS.write_text(results_text(records, {f.key: f.title for f in sets}), encoding="utf-8")
    print(RESULTS.name, "written", file=sys.stderr)
    differing = disagreements(records)
    for line in differing:
        print(f"metrics differ: {line}", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
