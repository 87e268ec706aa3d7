"""Diagnoses a detector of the demo and puts some of its figures into one picture.

    python examples/draw_diagnosis.py [FILE.png] [window|region]

`python examples/draw_diagnosis.py docs/figures/diagnosis.png` makes the one in docs/diagnose.md.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from boxlens import diagnose
from boxlens.report.charts.export import save_spec

COLUMNS = (
    ("tide_errors", "repair_orders", "waterfall"),
    ("false_positives", "pr_areas", "sensitivity"),
)
GAP = 24


def main(target: Path = Path("diagnosis.png"), detector: str = "region") -> None:
    demo = Path(str(files("boxlens") / "demo"))
    result = diagnose(demo / "ground_truth.json.gz", demo / f"{detector}.json.gz")
    print("\n".join(result.sentences))
    drawn = result.figures()
    with TemporaryDirectory() as folder:
        columns = []
        for names in COLUMNS:
            column = []
            for name in names:
                (path,) = save_spec(drawn[name].to_dict(), Path(folder) / name, ["png"])
                column.append(Image.open(path).convert("RGB"))
            columns.append(column)
        _sheet(columns).quantize(64).save(target, optimize=True)
    print(f"wrote {target}")


def _sheet(columns: list[list[Image.Image]]) -> Image.Image:
    width = max(image.width for column in columns for image in column)
    height = max(sum(image.height + GAP for image in column) for column in columns) - GAP
    sheet = Image.new("RGB", (len(columns) * (width + GAP) - GAP, height), "white")
    for at, column in enumerate(columns):
        top = 0
        for image in column:
            sheet.paste(image, (at * (width + GAP), top))
            top += image.height + GAP
    return sheet


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((Path, str), sys.argv[1:], strict=False)))
