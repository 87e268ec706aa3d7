"""Windows of picture files: written, read back, interrupted, partly failing."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np
import pytest
from PIL import Image

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.detectors.run import journal_path
from boxlens.errors import InputError
from boxlens.formats.window_files import read_windows
from boxlens.images import ImageFiles, find_images, read_picture
from boxlens.studies.proposals.generate import (
    PICTURES_A_CORE,
    generate_windows,
    seconds_per_image,
    write_seconds,
)
from boxlens.studies.proposals.generators.edge_boxes import EdgeBoxes
from boxlens.studies.proposals.generators.sliding_window import SlidingWindow
from pictures import write_pictures

N = 7


@dataclass(frozen=True)
class Corner:
    """A few boxes at the corner, none in dark pictures; stops or fails after so many."""

    name: str = "corner"
    identity: str = "corner 1"
    stop_after: int | None = None
    fail_on_width: int | None = None
    seen: list[int] = field(default_factory=list)

    def propose(self, image, limit):
        if self.stop_after is not None and len(self.seen) >= self.stop_after:
            raise KeyboardInterrupt
        self.seen.append(image.shape[1])
        if image.shape[1] == self.fail_on_width:
            raise RuntimeError("no such width")
        if image.max() < 10:
            return np.zeros((0, 4)), np.zeros(0)
        n = min(limit, 5)
        boxes = np.array([[0, 0, image.shape[1] / (place + 3), 7] for place in range(n)])
        return boxes, np.linspace(1, 1 / 3, n)


@pytest.fixture
def files(tmp_path) -> ImageFiles:
    folder = write_pictures(tmp_path / "in", [f"{number:03d}.png" for number in range(1, N + 1)])
    return find_images(folder)[0]


def dataset_of(files: ImageFiles) -> Dataset:
    n = len(files)
    images, _ = Images.of(files.ids, [99.0] * n, [99.0] * n, files.names)
    gt = GroundTruth.of(n, image_row=[], class_row=[], box=[])
    return Dataset("d", images, Classes.of([4], ["thing"]), gt)


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_what_is_written_reads_back_equal_to_what_was_proposed(files, tmp_path, limit, ending):
    output = tmp_path / f"windows{ending}"
    result = generate_windows(Corner(), files, output, limit=limit)
    windows = read_windows(output, dataset_of(files))
    expected = [Corner().propose(read_picture(path).pixels, limit)[0] for path in files.paths]
    np.testing.assert_array_equal(windows.box, np.concatenate(expected))
    np.testing.assert_array_equal(np.diff(windows.offsets), [min(limit, 5)] * N)
    assert windows.searched.all()
    assert (result.detector, result.n_images, result.n_detections) == ("corner", N, len(windows))
    assert (result.failed, result.notices, windows.notices) == ((), (), ())


def test_the_order_of_scores_without_meaning_survives_the_file(files, tmp_path):
    generate_windows(SlidingWindow(), files, tmp_path / "w.json", limit=40)
    windows = read_windows(tmp_path / "w.json", dataset_of(files))
    expected = [SlidingWindow().propose(read_picture(path).pixels, 40)[0] for path in files.paths]
    np.testing.assert_array_equal(windows.box, np.concatenate(expected))


def test_an_image_without_windows_was_searched_all_the_same(files, tmp_path):
    Image.new("RGB", (20, 20)).save(tmp_path / "in" / "002.png")
    result = generate_windows(Corner(), files, tmp_path / "w.json")
    windows = read_windows(tmp_path / "w.json", dataset_of(files))
    assert windows.searched.all()
    assert np.diff(windows.offsets).tolist() == [5, 0, 5, 5, 5, 5, 5]
    assert result.n_detections == len(windows) == 30
    assert [(one.code, one.count) for one in result.notices] == [("no_windows", 1)]


def test_edge_boxes_finds_nothing_in_plain_pictures_and_says_so(tmp_path):
    (tmp_path / "in").mkdir()
    for number in range(3):
        Image.new("RGB", (60 + number, 50), (90, 90, 90)).save(tmp_path / "in" / f"{number}.png")
    files = find_images(tmp_path / "in")[0]
    result = generate_windows(EdgeBoxes(), files, tmp_path / "w.json")
    assert [(one.code, one.count) for one in result.notices] == [("no_windows", 3)]
    assert result.n_detections == 0
    windows = read_windows(tmp_path / "w.json", dataset_of(files))
    assert (len(windows), windows.searched.all()) == (0, True)


def test_pictures_that_fail_are_counted_and_stay_unsearched(files, tmp_path):
    (tmp_path / "in" / "003.png").write_bytes(b"no picture")
    widths = [read_picture(path).pixels.shape[1] for path in files.paths if "003" not in path.name]
    result = generate_windows(Corner(fail_on_width=widths[0]), files, tmp_path / "w.json")
    windows = read_windows(tmp_path / "w.json", dataset_of(files))
    reasons = {failure.file: failure.reason for failure in result.failed}
    assert "not a picture" in reasons["003.png"]
    assert "no such width" in reasons["001.png"]
    np.testing.assert_array_equal(windows.searched, [name not in reasons for name in files.names])
    assert [one.code for one in windows.notices] == ["not_searched"]


def test_a_stopped_run_goes_on_and_writes_the_same_bytes(tmp_path):
    cores = os.cpu_count() or 1
    n = 2 * PICTURES_A_CORE * cores + 3
    folder = write_pictures(tmp_path / "in", [f"{number:04d}.png" for number in range(n)])
    files = find_images(folder)[0]
    generate_windows(Corner(), files, tmp_path / "whole.json")
    output = tmp_path / "w.json"
    with pytest.raises(KeyboardInterrupt):
        generate_windows(Corner(stop_after=PICTURES_A_CORE * cores + cores), files, output)
    assert journal_path(output).exists()
    assert not output.exists()
    result = generate_windows(Corner(), files, output)
    assert result.n_resumed == PICTURES_A_CORE * cores
    assert output.read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert not journal_path(output).exists()


def test_a_run_of_another_generator_or_limit_is_not_mixed_in(tmp_path):
    cores = os.cpu_count() or 1
    n = 2 * PICTURES_A_CORE * cores
    files = find_images(write_pictures(tmp_path / "in", [f"{one:04d}.png" for one in range(n)]))[0]
    output = tmp_path / "w.json"
    with pytest.raises(KeyboardInterrupt):
        generate_windows(Corner(stop_after=n - 1), files, output)
    for generator, limit in ((Corner(identity="corner 2"), 1000), (Corner(), 999)):
        with pytest.raises(InputError, match="unfinished run with another"):
            generate_windows(generator, files, output, limit=limit)
    generate_windows(Corner(identity="corner 2"), files, output, restart=True)
    with pytest.raises(InputError, match="already exists"):
        generate_windows(Corner(), files, output)


def test_progress_has_a_word_of_its_own(files, tmp_path):
    heard = []
    generate_windows(Corner(), files, tmp_path / "w.json", progress=lambda *one: heard.append(one))
    assert heard == [("searching windows", 0, N)]


def test_opencv_has_its_threads_back_afterwards(files, tmp_path):
    import cv2

    before = cv2.getNumThreads()
    generate_windows(Corner(), files, tmp_path / "w.json")
    assert cv2.getNumThreads() == before


def test_a_count_of_images_beyond_any_number_is_refused(tmp_path):
    write_seconds(tmp_path / "windows.json", 3.5, 10**400)
    with pytest.raises(InputError, match="seconds and n_images"):
        seconds_per_image(tmp_path / "windows.json")
