"""A run may stop anywhere: started again it repeats nothing and ends with the same bytes."""

from __future__ import annotations

import fcntl
import json
from dataclasses import replace

import numpy as np
import pytest

from boxlens import formats
from boxlens.data import Dataset, GroundTruth, Images, Notice
from boxlens.detectors.from_callable import CallableDetector
from boxlens.detectors.run import detect_files, journal_path
from boxlens.errors import InputError, MissingExtraError, ParameterError
from boxlens.images import ImageFiles, find_images, read_picture
from pictures import CLASSES, quadrant_detector, quadrants, write_pictures

N = 7


@pytest.fixture
def files(tmp_path) -> ImageFiles:
    names = [f"{number:03d}.png" for number in range(1, N + 1)]
    return find_images(write_pictures(tmp_path / "in", names))[0]


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
    return detect_files(detector, files, output, **({"identity": "one"} | options))


def whole_run(files, tmp_path) -> bytes:
    run(quadrant_detector(), files, tmp_path / "whole.json")
    return (tmp_path / "whole.json").read_bytes()


def stopped_run(files, output, after: int, batch: int = 1):
    watched = Watched(after)
    with pytest.raises(KeyboardInterrupt):
        run(watched.detector(), files, output, batch=batch)
    return watched


def test_the_results_read_back_equal_to_what_was_detected(files, tmp_path):
    result = run(quadrant_detector(), files, tmp_path / "out.json")
    images, _ = Images.of(files.ids, [1.0] * N, [1.0] * N, files.names)
    gt = GroundTruth.of(N, image_row=[], class_row=[], box=[])
    found = formats.read_detections(tmp_path / "out.json", Dataset("d", images, CLASSES, gt))
    here = quadrant_detector().detect([read_picture(path).pixels for path in files.paths])
    for column in ("image_row", "class_row", "box", "score"):
        np.testing.assert_array_equal(getattr(found, column), getattr(here, column))
    assert (result.n_images, result.n_resumed, result.n_detections) == (N, 0, 4 * N)
    assert result.failed == ()
    assert not journal_path(tmp_path / "out.json").exists()


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_any_size_of_batch_writes_the_same_bytes(files, tmp_path, batch):
    run(quadrant_detector(), files, tmp_path / "out.json", batch=batch)
    assert (tmp_path / "out.json").read_bytes() == whole_run(files, tmp_path)


def test_images_are_written_by_ascending_id_however_they_come(files, tmp_path):
    backwards = ImageFiles(files.ids[::-1], files.paths[::-1], files.names[::-1])
    run(quadrant_detector(), backwards, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_bytes() == whole_run(files, tmp_path)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("after", range(1, N))
def test_a_stopped_run_goes_on_without_repeating_anything(files, tmp_path, after, batch):
    output = tmp_path / "out.json"
    first = stopped_run(files, output, after, batch)
    recorded = after // batch * batch
    second = Watched()
    if recorded == 0:
        assert not journal_path(output).exists()
    result = run(second.detector(), files, output, batch=batch)
    assert first.seen[:recorded] + second.seen == [
        read_picture(p).pixels.tobytes() for p in files.paths
    ]
    assert result.n_resumed == recorded
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_journal_cut_at_any_byte_is_taken_up(tmp_path):
    files, _ = find_images(write_pictures(tmp_path / "in", ["1.png", "2.png", "3.png"]))
    output = tmp_path / "out.json"
    n_boxes = 1  # a short journal has few places to cut
    stopped = Watched(2, n_boxes)
    with pytest.raises(KeyboardInterrupt):
        run(stopped.detector(), files, output, batch=1)
    journal = journal_path(output).read_bytes()
    contents = set()
    for cut in range(len(journal) + 1):
        output.unlink(missing_ok=True)
        journal_path(output).write_bytes(journal[:cut])
        watched = Watched(n_boxes=n_boxes)
        run(watched.detector(), files, output)
        assert len(watched.seen) == 3 - max(journal[:cut].count(b"\n") - 1, 0)
        contents.add(output.read_bytes())
    assert len(contents) == 1


def test_a_line_that_a_power_failure_spoilt_is_done_again(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, 4)
    lines = journal_path(output).read_bytes().split(b"\n")
    lines[2] = bytes(len(lines[2]))
    lines[3] = b'{"image_id":[3]}'
    journal_path(output).write_bytes(b"\n".join(lines))
    watched = Watched()
    result = run(watched.detector(), files, output)
    assert len(watched.seen) == N - 2
    assert [(notice.code, notice.count) for notice in result.notices] == [("damaged_lines", 2)]
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_picture_that_changed_meanwhile_is_done_again(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, 4)
    write_pictures(tmp_path, ["other.png"] * 3)
    files.paths[1].write_bytes((tmp_path / "other.png").read_bytes())
    watched = Watched()
    assert run(watched.detector(), files, output).n_resumed == 3
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_finished_run_that_was_killed_before_tidying_up_is_tidied_up(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, N - 1)
    kept = journal_path(output).read_bytes()
    run(quadrant_detector(), files, output)
    before = output.read_bytes()
    journal_path(output).write_bytes(kept)
    assert run(quadrant_detector(), files, output).n_resumed == N - 1
    assert output.read_bytes() == before
    assert not journal_path(output).exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"identity": "two"}, "model or spec"),
        ({"min_score": 0.1}, "--min-score"),
        ({"max_per_image": 3}, "--max-per-image"),
    ],
)
def test_a_run_with_other_settings_is_not_mixed_in(files, tmp_path, change, told):
    output = tmp_path / "out.json"
    stopped_run(files, output, 3)
    before = journal_path(output).read_bytes()
    with pytest.raises(InputError, match=f"another {told}.*--restart"):
        run(quadrant_detector(), files, output, **change)
    assert journal_path(output).read_bytes() == before
    result = run(quadrant_detector(), files, output, restart=True, **change)
    assert result.n_resumed == 0
    assert not journal_path(output).exists()


def test_other_classes_are_not_mixed_in(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, 3)
    other = replace(quadrant_detector(), classes=replace(CLASSES, name=("dark", "bright")))
    with pytest.raises(InputError, match="another classes"):
        run(other, files, output)


def test_results_that_are_there_are_kept_unless_told_otherwise(files, tmp_path):
    output = tmp_path / "out.json"
    output.write_text("mine")
    with pytest.raises(InputError, match=r"already there. --restart"):
        run(quadrant_detector(), files, output)
    assert output.read_text() == "mine"
    assert not journal_path(output).exists()
    run(quadrant_detector(), files, output, restart=True)
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_stopped_restart_goes_on_beside_the_old_results(files, tmp_path):
    output = tmp_path / "out.json"
    output.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        run(Watched(3).detector(), files, output, restart=True, batch=1)
    assert output.read_text() == "old"
    assert run(quadrant_detector(), files, output).n_resumed == 3
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_foreign_file_in_the_journals_place_is_left_alone(files, tmp_path):
    journal_path(tmp_path / "out.json").write_text("a letter\n")
    with pytest.raises(InputError, match=r"out\.json\.partial: not the journal of a run"):
        run(quadrant_detector(), files, tmp_path / "out.json")
    assert journal_path(tmp_path / "out.json").read_text() == "a letter\n"


def test_only_one_process_at_a_time_writes_a_run(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, 3)
    with journal_path(output).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for restart in (False, True):
            with pytest.raises(InputError, match="another process"):
                run(quadrant_detector(), files, output, restart=restart)
    assert run(quadrant_detector(), files, output).n_resumed == 3


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
