"""The folder that a run leaves, small and with plain names: what pages and the server are tried on."""

from __future__ import annotations

import json
import random
from pathlib import Path

from app.toy_run import Style, random_content, save_run
from boxlens.studies.diagnosis.crosswalk import DET_LABELS, GT_LABELS, SCHEMES

CLASSES = ("cat", "dog", "traffic light")
DETECTORS = ("alpha", "beta")
REPORT = '<!doctype html><html lang="en"><title>The report</title><p>Full report.</p></html>\n'
FIGURE = {
    "name": "errors",
    "title": "Errors of each class",
    "reading": "The longer the bar, the more errors.",
    "section": "errors",
    "heading": "Errors",
    "detector": "",
    "spec": {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {
            "values": [
                {"kind": name, "n": row + 1, "select": f"class={name}"}
                for row, name in enumerate(CLASSES)
            ]
        },
        "mark": "bar",
        "encoding": {
            "x": {"field": "n", "type": "quantitative"},
            "y": {"field": "kind", "type": "nominal"},
        },
    },
}


def write_run(
    folder: Path,
    *,
    file_names: list[str] | None = None,
    detectors: tuple[str, ...] = DETECTORS,
    per_image: int = 4,
) -> Path:
    """A run over `file_names`, or over 000001.jpg to 000006.jpg."""
    names = file_names or [f"{row + 1:06d}.jpg" for row in range(6)]
    style = Style(
        title=f"{' and '.join(detectors)} on small",
        detectors=detectors,
        classes=CLASSES,
        words=("fog", "sun"),
        schemes={scheme: (DET_LABELS[scheme], GT_LABELS[scheme]) for scheme in SCHEMES},
        verdict={
            "lead": "AP50 is .5.",
            "sentences": ["Naming the right class would bring +.1."],
            "numbers": [["AP50", 0.5]],
            "tiles": [["AP50", "0.500"], ["undetected", "61%"]],
        },
        figure=FIGURE,
    )
    content = random_content(
        random.Random(0),
        n_images=len(names),
        n_objects=2 * len(names),
        n_detections=(per_image * len(names),) * len(detectors),
        sizes_known=1.0,
        style=style,
    )
    for row, (image, name) in enumerate(zip(content["images"], names, strict=True)):
        image |= {"file_name": name, "width": 640.0, "height": 480.0, "disputed_boxes": row}
        for detector in detectors:
            image |= {f"n_wrong_{detector}": row % 3, f"n_missed_{detector}": row % 2}
    for box in (*content["detections"], *content["objects"]):
        # All of it inside its image.
        box["y"] = abs(box["y"])
    save_run(folder, content)
    (folder / "figures" / "errors.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    (folder / "report.html").write_text(REPORT, encoding="utf-8")
    (folder / "results.json").write_text(json.dumps({"schema": "boxlens/studies/diagnosis/1"}))
    return folder
