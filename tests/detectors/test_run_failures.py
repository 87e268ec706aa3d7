"""Runs over picture files: what fails, what is told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from boxlens import formats
from boxlens.data import Notice
from boxlens.detectors.from_callable import CallableDetector
from boxlens.detectors.run import journal_path
from boxlens.errors import InputError, MissingExtraError, ParameterError
from boxlens.images import find_images, read_picture
from detectors.runs import N, run, stopped_run, whole_run
from pictures import CLASSES, quadrant_detector, quadrants, write_pictures


def test_one_bad_picture_is_listed_and_the_rest_is_done(files, tmp_path):
    files.paths[0].write_bytes(b"")
    files.paths[3].write_bytes(files.paths[3].read_bytes()[:60])
    files.paths[5].unlink()
    result = run(quadrant_detector(), files, tmp_path / "out.json", batch=2)
    assert [failure.file for failure in result.failed] == ["001.png", "004.png", "006.png"]
    assert result.failed[0].reason == "the file is empty (0 bytes)"
    assert result.n_detections == 4 * (N - 3)
    done = {record["image_id"] for record in json.loads((tmp_path / "out.json").read_text())}
    assert done == {2, 3, 5, 7}


def test_a_picture_the_detector_fails_on_is_listed_with_its_reason(files, tmp_path):
    shapes = [read_picture(path).pixels.shape for path in files.paths]
    assert shapes.count(shapes[4]) == 1

    def find(pixels):
        if pixels.shape == shapes[4]:
            raise ZeroDivisionError("nothing to divide by")
        return quadrants(pixels)

    result = run(
        CallableDetector(find, CLASSES, "quadrants"), files, tmp_path / "out.json", batch=4
    )
    assert [(one.file, one.reason) for one in result.failed] == [
        ("005.png", "the detector failed: ZeroDivisionError: nothing to divide by")
    ]
    assert result.n_detections == 4 * (N - 1)


@pytest.mark.parametrize("batch", [1, 3])
def test_a_detector_that_never_works_stops_soon_and_leaves_nothing(tmp_path, batch):
    files, _ = find_images(write_pictures(tmp_path / "in", [f"{n:03d}.png" for n in range(1, 30)]))
    calls = []

    def find(pixels):
        calls.append(1)
        raise ZeroDivisionError("always")

    with pytest.raises(InputError, match=r"001\.png: the detector failed.*always") as caught:
        run(CallableDetector(find, CLASSES, "broken"), files, tmp_path / "out.json", batch=batch)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(calls) < len(files)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_failures_at_the_beginning_do_not_stop_a_detector_that_works_later(files, tmp_path, batch):
    def find(pixels):
        if pixels.shape != last:
            raise ZeroDivisionError
        return quadrants(pixels)

    last = read_picture(files.paths[-1]).pixels.shape
    result = run(CallableDetector(find, CLASSES, "late"), files, tmp_path / "out.json", batch=batch)
    assert result.n_detections == 4 * (N - len(result.failed))
    assert [failure.file for failure in result.failed][:4] == [f"00{n}.png" for n in range(1, 5)]


def test_a_mended_detector_begins_where_nothing_worked(files, tmp_path):
    """Failures before the first success are no results: they are not remembered."""
    calls = []

    def broken(pixels):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        raise ZeroDivisionError

    with pytest.raises(KeyboardInterrupt):
        run(CallableDetector(broken, CLASSES, "quadrants"), files, tmp_path / "out.json", batch=1)
    assert run(quadrant_detector(), files, tmp_path / "out.json").n_resumed == 0
    assert (tmp_path / "out.json").read_bytes() == whole_run(files, tmp_path)


def test_a_run_without_one_good_picture_is_an_error(files, tmp_path):
    for path in files.paths:
        path.write_bytes(b"no picture")
    with pytest.raises(
        InputError, match=r"none of the 7 pictures could be used; 001\.png: not a pic"
    ):
        run(quadrant_detector(), files, tmp_path / "out.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_changes_of_pictures_are_counted_over_interruptions_too(files, tmp_path):
    from PIL import Image

    for row in (0, 4):
        Image.open(files.paths[row]).convert("L").save(files.paths[row])
    stopped_run(files, tmp_path / "out.json", 3)
    result = run(quadrant_detector(), files, tmp_path / "out.json")
    assert result.changes == {"greyscale to RGB": 2}


def test_the_best_detections_are_kept_in_their_order(files, tmp_path):
    run(quadrant_detector(), files, tmp_path / "two.json", max_per_image=2)
    run(quadrant_detector(), files, tmp_path / "above.json", min_score=0.2)
    everything = json.loads(whole_run(files, tmp_path))
    for image_id in range(1, N + 1):
        own = [record for record in everything if record["image_id"] == image_id]
        least = sorted((record["score"] for record in own), reverse=True)[1]
        best = [record for record in own if record["score"] >= least]
        two = json.loads((tmp_path / "two.json").read_text())
        assert [record for record in two if record["image_id"] == image_id] == best
    above = json.loads((tmp_path / "above.json").read_text())
    assert above == [record for record in everything if record["score"] >= 0.2]
    assert 0 < len(above) < len(everything)


def test_progress_counts_what_was_done_before(files, tmp_path):
    stopped_run(files, tmp_path / "out.json", 4)
    told = []
    run(
        quadrant_detector(),
        files,
        tmp_path / "out.json",
        batch=2,
        progress=lambda *step: told.append(step),
    )
    assert told == [("detecting", 4, N), ("detecting", 6, N)]


def test_text_ids_and_packed_output(tmp_path):
    files, _ = find_images(write_pictures(tmp_path / "in", ["b.png", "a.png"]))
    run(quadrant_detector(), files, tmp_path / "new" / "out.json.gz")
    records = json.loads(formats.files.read_text(tmp_path / "new" / "out.json.gz"))
    assert [record["image_id"] for record in records] == ["a"] * 4 + ["b"] * 4


@pytest.mark.parametrize(
    "options", [{"batch": 0}, {"max_per_image": 0}, {"min_score": float("nan")}]
)
def test_settings_that_cannot_be_meant_are_refused(files, tmp_path, options):
    with pytest.raises(ParameterError):
        run(quadrant_detector(), files, tmp_path / "out.json", **options)


def test_an_output_of_another_format_is_refused(files, tmp_path):
    with pytest.raises(InputError, match=r"out\.parquet.*boxlens convert"):
        run(quadrant_detector(), files, tmp_path / "out.parquet")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="found a folder"):
        run(quadrant_detector(), files, tmp_path / "folder.json")


class Remarking:
    """Quadrants with a notice for every picture; stops for good after some."""

    name = "remarking"
    classes = CLASSES

    def __init__(self, stop_after: int | None = None) -> None:
        self.n_seen = 0
        self.stop_after = stop_after

    def detect(self, images):
        if self.n_seen == self.stop_after:
            raise KeyboardInterrupt
        self.n_seen += len(images)
        notice = Notice("odd", len(images), f"{len(images)} odd boxes")
        return replace(quadrant_detector().detect(images), notices=(notice,))


@pytest.mark.parametrize("batch", [1, 3, 8])
def test_notices_are_summed_over_batches_and_over_a_stop(files, tmp_path, batch):
    whole = run(Remarking(), files, tmp_path / "whole.json", batch=batch)
    assert [(notice.code, notice.count) for notice in whole.notices] == [("odd", N)]
    with pytest.raises(KeyboardInterrupt):
        run(Remarking(stop_after=3), files, tmp_path / "parts.json", batch=1)
    resumed = run(Remarking(), files, tmp_path / "parts.json", batch=batch)
    assert resumed.n_resumed == 3
    assert [(notice.code, notice.count) for notice in resumed.notices] == [("odd", N)]


def test_pictures_of_another_size_than_expected_are_counted(files, tmp_path):
    shapes = [read_picture(path).pixels.shape for path in files.paths]
    sizes = [(float(width), float(height)) for height, width, _ in shapes]
    expected = dict(zip(files.ids.tolist(), sizes, strict=True))
    expected[files.ids.tolist()[2]] = (1.0, 2.0)
    result = run(quadrant_detector(), files, tmp_path / "out.json", expected=expected)
    assert [(notice.code, notice.count) for notice in result.notices] == [("another_size", 1)]
    assert result.changes == {}


def test_a_missing_package_is_not_the_picture_s_fault(files, tmp_path):
    def needy(pixels):
        raise MissingExtraError("finding", "something", "images")

    with pytest.raises(MissingExtraError):
        run(CallableDetector(needy, CLASSES, "needy"), files, tmp_path / "out.json")
    assert not journal_path(tmp_path / "out.json").exists()
