"""Inputs that are folders have a hash like files, and every report shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pypdf import PdfReader

import boxlens
from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.report.pdf import writing
from running import boxlens_here

FOLDERS = {"voc": "", "yolo": "", "openimages": ".csv", "parquet": ".parquet"}
ASKED = {
    "diagnose": (1, ()),
    "compare": (2, ("--replicates", "100", "--permutations", "100")),
    "report": (1, ("--replicates", "100")),
}
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>'


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    """One small set in every format that is a folder, with two detectors."""
    folder = tmp_path_factory.mktemp("inputs")
    names = [f"{row:02}" for row in range(12)]
    images, _ = Images.of(names, [64.0] * 12, [32.0] * 12, [f"{name}.png" for name in names])
    rows = [row for row in range(12) for _ in range(2)]
    box = [[4.0 + row, 4.0, 8.0, 8.0 + row % 3] for row in range(24)]
    gt = GroundTruth.of(12, image_row=rows, class_row=[0, 1] * 12, box=box)
    dataset = Dataset("set", images, Classes.of([0, 1], ["cat", "dog"]), gt)
    for name, ending in FOLDERS.items():
        boxlens.write_dataset(dataset, folder / name, name)
        for number in (1, 2):
            written = Detections.of(
                f"detector{number}",
                12,
                image_row=rows,
                class_row=[0, 1] * 12,
                box=[[x + number * (row % 4), y, w, h] for row, (x, y, w, h) in enumerate(box)],
                score=[1 / (row + number) for row in range(24)],
            )
            boxlens.write_detections(written, dataset, folder / f"{name}{number}{ending}", name)
    return folder


def blank_figures(figures, root, _progress):
    for name in figures:
        (root / name).write_text(BLANK)
    return dict.fromkeys(figures, "")


@pytest.mark.parametrize("verb", ASKED)
@pytest.mark.parametrize("format_name", FOLDERS)
def test_the_pdf_of_a_folder_shows_its_hash(monkeypatch, tmp_path, inputs, verb, format_name):
    # What figures show has its own tests, and drawing them takes most of the time.
    monkeypatch.setattr(writing, "_draw", blank_figures)
    n_detectors, more = ASKED[verb]
    detectors = [f"{format_name}{one + 1}{FOLDERS[format_name]}" for one in range(n_detectors)]
    output = tmp_path / "out"
    told = boxlens_here(
        verb, format_name, *detectors, "-o", str(output), "--pdf", "--figures", "none", *more,
        cwd=inputs,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    provenance = json.loads((output / "results.json").read_text())["provenance"]
    hashes = [one["sha256"] for one in (provenance["ground_truth"], *provenance["detections"])]
    assert [len(one) for one in hashes] == [64] * (1 + n_detectors)
    page = (output / "report.html").read_text()
    pdf = "".join(one.extract_text() for one in PdfReader(output / "report.pdf").pages)
    pdf = "".join(pdf.replace("\u200b", "").split())
    for one in hashes:
        assert one in page
        assert one in pdf
