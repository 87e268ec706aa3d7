"""A detector over sets of changed pictures: kept results, other settings, failures, kills."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.columns import frozen
from boxlens.detectors.from_callable import CallableDetector
from boxlens.detectors.run_result import NothingDetectedError
from boxlens.errors import InputError
from boxlens.images.transforming.catalogue import CLEAN
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.transform import Step, TransformSettings
from boxlens.studies.robustness.running import run_detector
from rendered_set import rendered_set

STEPS = (
    CLEAN,
    Step("crop", math.nan),
    Step("gaussian_noise", 3.0),
    Step("vertical_flip", math.nan),
)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    return rendered_set(tmp_path_factory.mktemp("rendered") / "set")


def sets_of(rendered, steps=STEPS, seed=0):
    settings = TransformSettings(seed=seed)
    return [changed_set(rendered.dataset, rendered.files, step, settings) for step in steps]


class Watched:
    """The brighter half of a picture as its first class, and a list of what was seen."""

    def __init__(self, rendered, fails=lambda pixels: False, stop_after=None):
        self.classes = rendered.dataset.classes
        self.seen = []
        self.fails = fails
        self.stop_after = stop_after

    def __call__(self, pixels):
        if len(self.seen) == self.stop_after:
            raise KeyboardInterrupt
        self.seen.append(pixels.tobytes())
        if self.fails(pixels):
            raise ZeroDivisionError("too hard")
        height, width = pixels.shape[:2]
        return [[0, 0, width / 3, height]], [float(pixels.mean() / 765)], [self.classes.name[1]]

    def detector(self):
        return CallableDetector(self, self.classes, "watched")


def same(first, second):
    return len(first) == len(second) and all(
        np.array_equal(getattr(one, column), getattr(other, column))
        for one, other in zip(first, second, strict=True)
        for column in ("image_row", "class_row", "box", "score")
    )


def test_every_set_gets_its_results_with_a_folder_or_without(rendered, tmp_path):
    sets = sets_of(rendered)
    kept = run_detector(Watched(rendered).detector(), "one", sets, tmp_path / "kept", batch=2)
    alone = run_detector(Watched(rendered).detector(), "one", sets, None, batch=3)
    assert same(kept.found, alone.found)
    assert [len(one) for one in kept.found] == [len(one) for one in sets]
    assert [one.name for one in kept.found] == ["watched"] * 4
    assert kept.failed == kept.notices == ()
    for one, found in zip(sets, kept.found, strict=True):
        means = [one.read(row).pixels.mean() / 765 for row in range(len(one))]
        np.testing.assert_array_equal(found.score, means)
    names = [f"{step.slug}{end}" for step in STEPS for end in (".json", ".origin.json")]
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == sorted(names)


def test_what_is_done_is_taken_over_with_its_failures(rendered, tmp_path):
    def fails(pixels):
        return pixels.shape[0] < 12

    sets = sets_of(rendered)
    first = run_detector(Watched(rendered, fails).detector(), "one", sets, tmp_path)
    n_small = int((sets[1].dataset.images.height_px < 12).sum())
    assert n_small > 0
    assert len(first.failed) == n_small
    assert first.failed[0].file.startswith("crop/000001-")
    assert first.failed[0].reason == "watched: the detector failed: ZeroDivisionError: too hard"
    watched = Watched(rendered)
    second = run_detector(watched.detector(), "one", sets, tmp_path)
    assert watched.seen == []
    assert same(second.found, first.found)
    assert second.failed == first.failed
    more = run_detector(
        watched.detector(), "one", sets_of(rendered, (*STEPS, Step("fog", 1.0))), tmp_path
    )
    assert len(watched.seen) == 3
    assert same(more.found[:4], first.found)


@pytest.mark.parametrize("after", [1, 4, 20])
def test_a_stopped_run_goes_on_without_repeating_anything(rendered, tmp_path, after):
    sets = sets_of(rendered)
    whole = Watched(rendered)
    wanted = run_detector(whole.detector(), "one", sets, None)
    first = Watched(rendered, stop_after=after)
    with pytest.raises(KeyboardInterrupt):
        run_detector(first.detector(), "one", sets, tmp_path, batch=1)
    second = Watched(rendered)
    result = run_detector(second.detector(), "one", sets, tmp_path, batch=1)
    assert first.seen + second.seen == whole.seen
    assert same(result.found, wanted.found)


def test_other_settings_are_refused_before_anything_is_run(rendered, tmp_path):
    steps = (CLEAN, Step("gaussian_noise", 3.0))
    run_detector(Watched(rendered).detector(), "one", sets_of(rendered, steps), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    gt = replace(rendered.dataset.gt, box=frozen(rendered.dataset.gt.box + 1, np.float64))
    moved = replace(rendered, dataset=replace(rendered.dataset, gt=gt))
    for identity, sets, told in (
        ("two", sets_of(rendered, steps), "model or spec"),
        ("one", sets_of(rendered, steps, seed=1), "seed or setting"),
        ("one", sets_of(moved, steps), "ground truth"),
    ):
        watched = Watched(rendered)
        with pytest.raises(InputError, match=rf"clean\.json: made from another {told}.*--restart"):
            run_detector(watched.detector(), identity, sets, tmp_path)
        assert watched.seen == []
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    watched = Watched(rendered)
    again = sets_of(rendered, steps, seed=1)
    anew = run_detector(watched.detector(), "two", again, tmp_path, restart=True)
    assert len(watched.seen) == 6
    assert same(anew.found, run_detector(Watched(rendered).detector(), "two", again, None).found)


def test_foreign_files_are_left_alone(rendered, tmp_path):
    (tmp_path / "clean.json").write_text("mine")
    with pytest.raises(InputError, match="what it was made from is not known"):
        run_detector(Watched(rendered).detector(), "one", sets_of(rendered), tmp_path)
    assert (tmp_path / "clean.json").read_text() == "mine"
    (tmp_path / "clean.origin.json").write_text("no JSON")
    with pytest.raises(InputError, match="made from another"):
        run_detector(Watched(rendered).detector(), "one", sets_of(rendered), tmp_path)


def test_a_picture_that_cannot_be_read_is_listed_for_every_set(tmp_path):
    rendered = rendered_set(tmp_path / "set")
    rendered.files.paths[1].write_bytes(b"")
    sets = sets_of(rendered, (CLEAN, Step("vertical_flip", math.nan)))
    result = run_detector(Watched(rendered).detector(), "one", sets, None)
    reason = "watched: the file is empty (0 bytes)"
    assert [(one.file, one.reason) for one in result.failed] == [
        ("clean/000002.png", reason),
        ("vertical_flip/000002.png", reason),
    ]
    assert [one.image_row.tolist() for one in result.found] == [[0, 2], [0, 2]]


def test_a_detector_that_works_may_fail_on_all_of_a_set(rendered, tmp_path):
    sets = sets_of(rendered)
    shapes = {(120, 160, 3)}
    watched = Watched(rendered, fails=lambda pixels: pixels.shape not in shapes)
    result = run_detector(watched.detector(), "one", sets, tmp_path)
    assert len(result.failed) == len(sets[1])
    assert [len(one) for one in result.found] == [3, 0, 3, 3]
    with pytest.raises(NothingDetectedError):
        run_detector(
            Watched(rendered, fails=lambda _: True).detector(), "one", sets, tmp_path / "none"
        )


def test_a_set_without_pictures_is_no_error(rendered):
    gt = rendered.dataset.gt
    crowds = replace(gt, crowd=frozen(np.ones(len(gt)), np.bool_))
    only_crowds = replace(rendered, dataset=replace(rendered.dataset, gt=crowds))
    result = run_detector(
        Watched(rendered).detector(), "one", sets_of(only_crowds, STEPS[:2]), None
    )
    assert [(one.n_images, len(one)) for one in result.found] == [(3, 3), (0, 0)]


def test_progress_names_the_set_and_notices_are_told_once(tmp_path):
    from PIL import Image

    rendered = rendered_set(tmp_path / "set")
    Image.open(rendered.files.paths[0]).convert("L").save(rendered.files.paths[0])
    told = []
    sets = sets_of(rendered, (CLEAN, Step("gaussian_noise", 3.0)))
    result = run_detector(
        Watched(rendered).detector(),
        "one",
        sets,
        None,
        batch=2,
        progress=lambda *words: told.append(words),
    )
    names = ("clean (1 of 2)", "gaussian_noise 3 (2 of 2)")
    assert told == [(name, done, 3) for name in names for done in (0, 2)]
    # What reading changes is told of the pictures, not of every detector.
    assert result.notices == ()
