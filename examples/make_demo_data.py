"""Makes the demo set that Boxlens carries: test scenes, and two detectors trained on other ones.

    python examples/make_demo_data.py [FOLDER]

These are the commands a user would type, so anybody can repeat them; a few minutes on two cores.
"""

from __future__ import annotations

import gzip
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from boxlens.cli import main as boxlens

DEMO = Path(__file__).resolve().parents[1] / "src" / "boxlens" / "demo"
TRAINING = ("--seed", "1", "--images", "400")
TEST = ("--seed", "2", "--images", "200")
DETECTORS = ("window", "region")
# Weaker detections change no number of a report and make the files large.
KEPT = ("--min-score", "0.02", "--max-per-image", "60")


def main(target: Path = DEMO) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name:
        training, test = Path(name, "training"), Path(name, "test")
        boxlens(["scenes", "make", *TRAINING, "-o", str(training)])
        boxlens(["scenes", "make", *TEST, "-o", str(test)])
        for detector in DETECTORS:
            _train_and_detect(detector, training, test, target)
        _pack(test, target)


def _train_and_detect(detector: str, training: Path, test: Path, target: Path) -> None:
    model, truth = str(target / f"{detector}.npz"), str(training / "ground_truth.json")
    pictures = ["--images", str(training / "images")]
    boxlens(["train", truth, *pictures, "--detector", detector, "-o", model])
    where = ["--gt", str(test / "ground_truth.json")]
    results = ["-o", str(target / f"{detector}.json.gz"), "--restart"]
    boxlens(["detect", str(test / "images"), "--model", model, *where, *results, *KEPT])


def _pack(test: Path, target: Path) -> None:
    for name in ("ground_truth.json", "class_tree.json"):
        packed = gzip.compress((test / name).read_bytes(), mtime=0)
        (target / f"{name}.gz").write_bytes(packed)
    with zipfile.ZipFile(target / "images.zip", "w") as archive:
        for path in sorted((test / "images").iterdir()):
            # A fixed date: the same pictures give the same archive.
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes())


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))
