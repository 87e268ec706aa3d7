"""Runs of detectors over a few pictures, whole and stopped."""

from __future__ import annotations

import pytest

from boxlens.detectors.from_callable import CallableDetector
from boxlens.detectors.pictures import PictureFiles
from boxlens.detectors.run import detect_pictures
from pictures import CLASSES, quadrant_detector, quadrants

N = 7


class Watched:
    """Quadrants, with a list of what was seen, that stops for good after some pictures."""

    def __init__(self, stop_after: int | None = None, n_boxes: int = 4) -> None:
        self.seen: list[bytes] = []
        self.stop_after = stop_after
        self.n_boxes = n_boxes

    def __call__(self, pixels):
        if len(self.seen) == self.stop_after:
            raise KeyboardInterrupt
        self.seen.append(pixels.tobytes())
        return tuple(column[: self.n_boxes] for column in quadrants(pixels))

    def detector(self) -> CallableDetector:
        return CallableDetector(self, CLASSES, "quadrants")


def run(detector, files, output, **options):
    return detect_pictures(detector, PictureFiles(files), output, **({"identity": "one"} | options))


def whole_run(files, tmp_path) -> bytes:
    run(quadrant_detector(), files, tmp_path / "whole.json")
    return (tmp_path / "whole.json").read_bytes()


def stopped_run(files, output, after: int, batch: int = 1):
    watched = Watched(after)
    with pytest.raises(KeyboardInterrupt):
        run(watched.detector(), files, output, batch=batch)
    return watched
