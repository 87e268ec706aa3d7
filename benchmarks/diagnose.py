"""Measures the diagnosis: TIDE against its peers, and all schemes together.

python benchmarks/diagnose.py [--repeat N] [--without-tidecv]; writes RESULTS-diagnose.md
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import record_of, warm
from run import DATA, real_sets, synthetic

if TYPE_CHECKING:
    from run import FileSet

RESULTS = Path(__file__).resolve().parent / "RESULTS-diagnose.md"
HOW = """Every measurement is a fresh process; contenders take turns, and times are medians of
{repeat} (tidecv runs once). The clock starts when both files are read and all modules imported;
peak memory is that of the whole process, reading included. dAP differs between the tools where
their rules do: docs/diagnose.md says how Boxlens differs from tidecv, and its second row here
follows tidecv to the last digits."""
GAINS = ("cls", "loc", "both", "dupe", "bkg", "miss", "fp", "fn")
BOXLENS_LOAD = (
    "from boxlens import read_dataset, read_detections\n"
    "import boxlens.formats.coco, boxlens.formats.sniff\n"
    "{imports}\n"
    "dataset = read_dataset(gt_path)\n"
    "detections = read_detections(dt_path, dataset)\n"
)


@dataclass(frozen=True)
class Analysis:
    """One way to get there: what is done before the clock starts, under it, and its result."""

    name: str
    distribution: str
    before: str
    timed: str
    ap: str
    gains: str
    is_slow: bool = False

    def script(self) -> str:
        return "\n".join(
            (
                "import json, resource, sys, time",
                "gt_path, dt_path = sys.argv[1:3]",
                self.before,
                "start = time.perf_counter()",
                self.timed,
                "seconds = time.perf_counter() - start",
                "peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3",
                f"ap, gains = {self.ap}, {self.gains}",
                "print(json.dumps({'seconds': seconds, 'peak': peak_mb, 'AP': ap, 'dAP': gains}))",
            )
        )


HOTCOCO_NAMES = "{name.lower(): gain for name, gain in result['delta_ap'].items()}"
TIDECV = """
import tidecv
truth, found = tidecv.Data("truth", max_dets=100), tidecv.Data("found")
content = json.load(open(gt_path))
for image in sorted(content["images"], key=lambda row: row["id"]):
    truth.add_image(image["id"], str(image["id"]))
for row in content["categories"]:
    truth.add_class(row["id"], row["name"])
for row in content["annotations"]:
    add = truth.add_ignore_region if row["iscrowd"] else truth.add_ground_truth
    add(row["image_id"], row["category_id"], row["bbox"])
for row in json.load(open(dt_path)):
    found.add_detection(row["image_id"], row["category_id"], row["score"], row["bbox"])
"""
ANALYSES = (
    Analysis(
        name="Boxlens, TIDE",
        distribution="boxlens",
        before=BOXLENS_LOAD.format(
            imports="from boxlens.studies.diagnosis.evidence import gather\n"
            "from boxlens.studies.diagnosis.tide import tide"
        ),
        timed="result = tide(gather(dataset, detections), orders=False)",
        ap="result.ap",
        gains="dict(result.gain)",
    ),
    Analysis(
        name="Boxlens, TIDE with tidecv's quirks",
        distribution="boxlens",
        before=BOXLENS_LOAD.format(
            imports="from boxlens.studies.diagnosis.evidence import gather\n"
            "from boxlens.studies.diagnosis.tide import tide\n"
            "import boxlens.studies.diagnosis.tide_quirks"
        ),
        timed="result = tide(gather(dataset, detections), quirks=True)",
        ap="result.ap",
        gains="dict(result.gain)",
    ),
    Analysis(
        name="hotcoco, tide_errors() alone",
        distribution="hotcoco",
        before="from hotcoco import COCO, COCOeval\ngt = COCO(gt_path)\ndt = gt.load_res(dt_path)\n"
        "run = COCOeval(gt, dt, 'bbox')\nrun.evaluate()",
        timed="result = run.tide_errors()",
        ap="result['ap_base']",
        gains=HOTCOCO_NAMES,
    ),
    Analysis(
        name="hotcoco, with the evaluate() it needs",
        distribution="hotcoco",
        before="from hotcoco import COCO, COCOeval\ngt = COCO(gt_path)\ndt = gt.load_res(dt_path)",
        timed="run = COCOeval(gt, dt, 'bbox')\nrun.evaluate()\nresult = run.tide_errors()",
        ap="result['ap_base']",
        gains=HOTCOCO_NAMES,
    ),
    Analysis(
        name="tidecv",
        distribution="tidecv",
        before=TIDECV,
        timed="run = tidecv.TIDE().evaluate(truth, found, mode=tidecv.TIDE.BOX)\n"
        "gains = {**run.fix_main_errors(), **run.fix_special_errors()}",
        ap="run.ap / 100",
        gains="{kind.short_name.lower().replace('falsepos', 'fp').replace('falseneg', 'fn'): "
        "gain / 100 for kind, gain in gains.items()}",
        is_slow=True,
    ),
    Analysis(
        name="Boxlens, all schemes, orders, sensitivity, verdict",
        distribution="boxlens",
        before=BOXLENS_LOAD.format(
            imports="from boxlens.studies.diagnosis import DiagnosisChoice, diagnose_tables"
        ),
        timed="result = diagnose_tables(dataset, detections, DiagnosisChoice()).tide",
        ap="result.ap",
        gains="dict(result.gain)",
    ),
)


def measured(
    files: FileSet, repeat: int, analyses: list[Analysis]
) -> dict[str, list[dict[str, Any]]]:
    """In turns, each in a fresh process; a slow one once."""
    warm([files.truth, files.dets])
    records: dict[str, list[dict[str, Any]]] = {row.name: [] for row in analyses}
    for turn in range(repeat):
        for row in analyses:
            if row.is_slow and turn:
                continue
            command = [sys.executable, "-c", row.script(), str(files.truth), str(files.dets)]
            record = record_of(command, reports=True)
            records[row.name].append(record)
            said = record.get("failure") or f"{record['seconds']:.3f} s"
            print(f"{files.key}: {row.name}: {said}", file=sys.stderr)
    return records


def table(records: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Medians; the ratio to Boxlens's TIDE, and dAP."""
    unit = statistics.median(row["seconds"] for row in records[ANALYSES[0].name])
    lines = [
        f"|  | time | to Boxlens | peak memory | AP50 | {' | '.join(GAINS)} |",
        f"| --- | ---: | ---: | ---: | ---: | {' | '.join('---:' for _ in GAINS)} |",
    ]
    for name, rows in records.items():
        if "failure" in rows[0]:
            lines.append(f"| {name} | {rows[0]['failure']} |")
            continue
        seconds = statistics.median(row["seconds"] for row in rows)
        peak = statistics.median(row["peak"] for row in rows)
        gains = " | ".join(f"{rows[0]['dAP'][gain]:.6f}" for gain in GAINS)
        lines.append(
            f"| {name} | {seconds:.3f} s | **{seconds / unit:.1f}x** | {peak:,.0f} MB | "
            f"{rows[0]['AP']:.6f} | {gains} |"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="turns (5)")
    parser.add_argument("--without-tidecv", action="store_true", help="it takes minutes")
    chosen = parser.parse_args()
    analyses = [row for row in ANALYSES if not (row.is_slow and chosen.without_tidecv)]
    DATA.mkdir(exist_ok=True)
    versions = {row.distribution: _version(row.distribution) for row in analyses}
    lines = [
        "# Benchmarks of the diagnosis",
        "",
        (
            f"- {os.cpu_count()} cores, {platform.system()} {platform.machine()}, load average "
            f"{os.getloadavg()[0]:.1f} at the start"
        ),
        f"- {', '.join(f'{name} {version}' for name, version in versions.items())}",
        "",
        HOW.format(repeat=chosen.repeat),
    ]
    for files in [synthetic(1, "rounded"), *real_sets()]:
        records = measured(files, chosen.repeat, analyses)
        lines += ["", f"## {files.title}", "", *table(records)]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(RESULTS.name, "written", file=sys.stderr)
    return 0


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "(from its sources)"


if __name__ == "__main__":
    sys.exit(main())
