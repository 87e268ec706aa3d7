"""Which score threshold is best for each class, and which classes are confused?"""

from importlib.resources import as_file, files

import boxlens

with as_file(files("boxlens") / "demo") as folder:
    result = boxlens.evaluate(
        folder / "ground_truth.json.gz",
        folder / "region.json.gz",
        also=["confidence", "confusion"],
    )

extras = result.detectors[0].extras
for curve in extras.confidence.classes:
    best = curve.best()
    print(f"{curve.name:10} score >= {best['threshold']:.2f}  F1 {best['F1']:.3f}")
for true, said, times in extras.confusion.top(3):
    print(f"{true} is called {said} {times} times")
