"""Repeatability: against a slow oracle, on planted objects, interrupted, partly failing."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from PIL import Image

from boxlens.errors import InputError, MissingExtraError, ParameterError
from boxlens.images import ImageFiles, find_images, read_picture
from boxlens.images.files import evenly_spread
from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES
from boxlens.images.perturbing.perturb import perturb, reference
from boxlens.studies.proposals.generators.edge_boxes import EdgeBoxes
from boxlens.studies.proposals.generators.protocols import BlindGenerator
from boxlens.studies.proposals.generators.sliding_window import SlidingWindow
from boxlens.studies.proposals.repeatability.analysis import repeatability
from boxlens.studies.proposals.repeatability.choice import N_BINS, RepeatabilityChoice
from boxlens.studies.proposals.repeatability.kept_tallies import FILE_NAME, kept_tallies
from boxlens.studies.proposals.repeatability.measuring import Tally, measure, pooled, size_bins
from boxlens.studies.proposals.repeatability.verdict import repeatability_sentences
from oracles import repeatability as slow
from pictures import scene, write_pictures
from toy_pictures import toy_set

FEW = {
    "scale": (0.5, 1.0, 1.1),
    "jpeg": (20.0, 101.0),
    "rotation": (-20.0, 0.0, 5.0),
    "brightness": (0.7, 1.0),
    "blur": (0.0, 2.0),
    "salt_pepper": (0.0, 10.0),
}
ALL = {"budget": 40, "levels": FEW}
CHOICE = RepeatabilityChoice(n_proposals=40, levels=FEW)
ZEROS = {name: FAMILIES[name].unchanged for name in FAMILY_NAMES}
BRIGHTNESS = {"budget": 20, "perturb": ("brightness",), "levels": FEW}
SMALL = RepeatabilityChoice(n_proposals=20, families=("brightness",), levels=FEW)


@dataclass(frozen=True)
class Lots:
    """Boxes anywhere, also over the border, drawn anew for every other picture."""

    name: str = "lots"
    identity: str = "lots 1"
    nested: bool = False
    fail_on: int | None = None
    stop_after: int | None = None
    seen: list[int] = field(default_factory=list)

    def propose(self, image, limit):
        if self.stop_after is not None and len(self.seen) >= self.stop_after:
            raise KeyboardInterrupt
        self.seen.append(image.shape[1])
        if image.shape[1] == self.fail_on:
            raise RuntimeError("no such width")
        height, width = image.shape[:2]
        random = np.random.default_rng(zlib.crc32(image.tobytes()))
        corner = random.uniform(-0.3, 0.9, (limit, 2)) * [width, height]
        sides = random.uniform(0.02, 1, (limit, 2)) * [width, height]
        return np.column_stack([corner, sides]), np.arange(limit, 0, -1.0)


@dataclass(frozen=True)
class Seen:
    """The one bright object of a dark picture."""

    name: str = "seen"
    identity: str = "seen 1"
    nested: bool = True

    def propose(self, image, limit):
        grey = image.mean(axis=2)
        mask = cv2.medianBlur((grey > (grey.min() + grey.max()) / 2).astype(np.uint8), 3)
        y, x = np.nonzero(mask)
        box = [x.min(), y.min(), x.max() + 1 - x.min(), y.max() + 1 - y.min()]
        return np.array([box], dtype=np.float64), np.ones(1)


@dataclass(frozen=True)
class Blind:
    """Remembers which image it was asked about."""

    name: str = "blind"
    identity: str = "blind 1"
    nested: bool = True
    keys: list[object] = field(default_factory=list)

    def propose(self, image, limit):
        raise AssertionError("needs no picture")

    def propose_for(self, width_px, height_px, limit, key):
        self.keys.append(key)
        return np.array([[0.0, 0, width_px / 2, height_px / 2]]), np.ones(1)


@dataclass(frozen=True)
class OnlyBright:
    """Finds something in light pictures alone."""

    name: str = "only-bright"
    identity: str = "only-bright 1"
    nested: bool = True

    def propose(self, image, limit):
        n = int(image.max() > 140)
        return np.array([[1.0, 1, 5, 5]])[:n], np.ones(n)


@pytest.fixture
def files(tmp_path) -> ImageFiles:
    return find_images(write_pictures(tmp_path / "in", [f"{n:03}.png" for n in range(1, 5)]))[0]


def test_measured_is_what_the_slow_oracle_measures():
    image = np.asarray(scene(3, 60, 44))
    (found,) = measure(image, 1, [Lots()], CHOICE)
    for row, (family, level) in enumerate(CHOICE.steps()):
        original, changed = reference(image, family), perturb(image, family, level)
        sums, counts, n_outside = slow.tally(
            Lots().propose(original, 40)[0].tolist(),
            Lots().propose(changed.pixels, 40)[0].tolist(),
            changed.matrix.tolist(),
            original.shape[1::-1],
            changed.pixels.shape[1::-1],
        )
        np.testing.assert_allclose(found.iou_sum[row], sums, rtol=0, atol=1e-10)
        assert found.n_boxes[row].tolist() == counts
        assert found.n_outside[row] == n_outside
    assert 0 < found.n_outside.max() < 40


@pytest.mark.parametrize("generator", [SlidingWindow(), EdgeBoxes(), Lots()])
def test_pictures_that_do_not_change_repeat_every_proposal(generator):
    pictures, _ = toy_set(2, seed=5)
    choice = RepeatabilityChoice(n_proposals=200, levels=ZEROS)
    found = [measure(image, row, [generator], choice)[0] for row, image in enumerate(pictures)]
    for family in pooled(found, choice):
        assert family.levels[0].repeatability == pytest.approx(1, abs=1e-12)
        assert sum(family.levels[0].n_boxes) > 10
        assert np.isnan(family.mean)


def test_a_generator_that_follows_the_object_is_repeatable_everywhere():
    image = np.full((120, 160, 3), 30, dtype=np.uint8)
    cv2.circle(image, (84, 58), 24, (220, 220, 220), -1)
    choice = RepeatabilityChoice(levels={"salt_pepper": (0.0, 1.0, 10.0)})
    found = pooled([measure(image, 1, [Seen()], choice)[0]], choice)
    for family in found:
        # Averaged corners take a turned box for a smaller one: cos(20 degrees) a side.
        least = 0.86 if family.family == "rotation" else 0.9
        assert min(one.repeatability for one in family.levels) > least


def test_blind_methods_are_asked_by_id_and_anew_for_every_changed_picture():
    blind = Blind()
    assert isinstance(blind, BlindGenerator)
    (found,) = measure(np.asarray(scene(0)), "street", [blind], CHOICE)
    assert all(key.startswith("street ") for key in blind.keys)
    assert 1 < len(set(blind.keys)) <= len(blind.keys)
    # The reference and what equals it have the same random numbers.
    assert blind.keys.count(blind.keys[0]) > 1
    # Half the width is half the width at any scale.
    np.testing.assert_allclose(found.iou_sum[:3].sum(axis=1), 1, atol=0.03)


def test_sizes_are_roots_of_shares_and_the_ends_are_open():
    boxes = np.array(
        [[0, 0, 10, 10], [0, 0, 9, 9], [0, 0, 100, 100], [0, 0, 300, 300], [0, 0, 0, 5]]
    )
    assert size_bins(boxes.astype(float), 100, 100).tolist() == [1, 0, 9, 9, 0]
    assert size_bins(np.array([[0.0, 0, 30, 30]]), 100, 100).tolist() == [3]


def test_boxes_are_pooled_over_pictures_and_empty_bins_skipped():
    def tally(sums, counts):
        return Tally(
            np.array([sums + [0.0] * 8] * 2), np.array([counts + [0] * 8] * 2), np.ones(2, int)
        )

    (family,) = pooled([tally([0.5, 0.0], [1, 0]), tally([1.5, 0.4], [3, 2])], SMALL)
    level = family.levels[0]
    assert level.bins[:2].tolist() == [0.5, 0.2]
    assert np.isnan(level.bins[2:]).all()
    assert level.repeatability == pytest.approx(0.35)
    assert level.n_boxes == (4, 2, *[0] * 8)
    assert (level.n_outside, family.mean) == (2, level.repeatability)


def test_what_is_not_found_again_counts_zero_and_no_reference_says_nothing():
    image = np.full((20, 20, 3), 160, dtype=np.uint8)
    (found,) = measure(image, 1, [OnlyBright()], SMALL)
    assert found.n_boxes.sum(axis=1).tolist() == [1, 1]
    assert found.iou_sum.sum(axis=1).tolist() == [0, 1]
    nothing = measure(image // 2, 1, [OnlyBright()], SMALL)[0]
    assert nothing.n_boxes.sum() == 0
    assert np.isnan(pooled([nothing], SMALL)[0].levels[0].repeatability)


def test_an_interrupted_study_goes_on_where_it_was(files, tmp_path):
    at_once = repeatability([SlidingWindow(), Lots()], files, **ALL)
    n_calls = len(CHOICE.steps()) + 2
    interrupted = Lots(stop_after=2 * n_calls + 3)
    with pytest.raises(KeyboardInterrupt):
        repeatability([SlidingWindow(), interrupted], files, **ALL, keep=tmp_path / "kept")
    path = tmp_path / "kept" / FILE_NAME
    assert len(path.read_bytes().splitlines()) == 4  # two pictures of two methods
    path.write_bytes(path.read_bytes() + b'{"origin":"torn')
    again, steps = Lots(), []
    result = repeatability(
        [SlidingWindow(), again],
        files,
        **ALL,
        keep=tmp_path / "kept",
        progress=lambda _, done, total: steps.append((done, total)),
    )
    assert len(again.seen) == 2 * n_calls
    assert steps == [(3, 4), (4, 4)]
    assert json.dumps(result.to_json()) == json.dumps(at_once.to_json())
    assert [method.n_images for method in result.methods] == [4, 4]
    more, unseen = Lots(), repeatability(["uniform", Lots()], files, **ALL)
    kept = repeatability(["uniform", more], files, **ALL, keep=tmp_path / "kept")
    assert json.dumps(kept.to_json()) == json.dumps(unseen.to_json())
    assert more.seen == []


def test_only_what_the_same_settings_measured_is_taken_up(files, tmp_path):
    def calls(identity="lots 1", **settings) -> int:
        lots = Lots(identity=identity)
        repeatability([lots], files, **{**BRIGHTNESS, **settings}, keep=tmp_path)
        return len(lots.seen)

    a_picture = 3  # the reference and two levels
    assert calls() == 4 * a_picture
    assert calls() == 0
    assert calls(n_images=2) == 0
    assert calls(budget=21) == 4 * a_picture
    assert calls(identity="lots 2") == 4 * a_picture
    Image.fromarray(scene(9, 30, 30)).save(files.paths[1])
    assert calls() == a_picture


def test_damaged_lines_are_measured_again_and_two_studies_do_not_mix(files, tmp_path):
    repeatability([Lots()], files, **BRIGHTNESS, keep=tmp_path)
    lines = (tmp_path / FILE_NAME).read_bytes().splitlines()
    lines[2] = lines[2][: len(lines[2]) // 2]
    (tmp_path / FILE_NAME).write_bytes(b"\n".join(lines) + b"\n")
    again = Lots()
    with kept_tallies(tmp_path, 2), pytest.raises(InputError, match="another process"):
        repeatability([again], files, **BRIGHTNESS, keep=tmp_path)
    repeatability([again], files, **BRIGHTNESS, keep=tmp_path)
    assert len(again.seen) == 3


def test_what_fails_is_told_and_the_rest_goes_on(files):
    files.paths[2].write_bytes(b"no picture")
    width = read_picture(files.paths[0]).pixels.shape[1]
    result = repeatability([Lots(fail_on=width), SlidingWindow()], files, **BRIGHTNESS)
    assert [name for name, _ in result.failed] == ["001.png", "003.png"]
    assert result.failed[0][1] == "lots: no such width"
    assert "not a picture" in result.failed[1][1]
    assert [method.n_images for method in result.methods] == [2, 3]
    assert [one.code for one in result.notices] == ["failed_pictures"]
    assert result.notices[0].count == 2
    assert result.notices[0].message == (
        "2 of 4 pictures could not be searched by every method (first: 001.png: lots: no such "
        "width): each method counts those it could"
    )
    assert result.failed[1][1].startswith("not a picture")
    assert result.to_json()["results"]["failed"][0]["file"] == "001.png"


def test_a_missing_package_ends_the_study(files):
    class Needy(Lots):
        def propose(self, image, limit):
            raise MissingExtraError("proposing", "something", "images")

    with pytest.raises(MissingExtraError):
        repeatability([Needy()], files, **BRIGHTNESS)


def test_processes_find_what_one_finds(files):
    methods = [SlidingWindow()]
    alone = repeatability(methods, files, **BRIGHTNESS)
    together = repeatability(methods, files, **BRIGHTNESS, workers=2)
    assert json.dumps(alone.to_json()) == json.dumps(together.to_json())


def test_pictures_are_spread_evenly():
    assert evenly_spread(10, 5) == [0, 2, 4, 6, 8]
    assert evenly_spread(3, 5) == evenly_spread(3, None) == [0, 1, 2]


def test_the_verdict_tells_pictures_that_all_failed(files):
    for path in files.paths:
        path.write_bytes(b"no picture")
    (sentence,) = repeatability_sentences(repeatability([Lots()], files, **BRIGHTNESS))
    assert sentence.startswith("No picture could be searched")


def test_methods_that_look_at_sizes_alone_move_with_sizes_and_rotation_alone():
    (found,) = measure(np.asarray(scene(0, 100, 80)), 1, [SlidingWindow()], CHOICE)
    for family in pooled([found], CHOICE):
        still = family.family not in {"scale", "rotation"}
        assert all(one.repeatability == pytest.approx(1) for one in family.levels) == still


@pytest.mark.parametrize(
    "settings",
    [
        {"n_proposals": 0},
        {"n_images": 0},
        {"families": ()},
        {"families": ("fog",)},
        {"families": ("blur", "blur")},
        {"levels": {"fog": (1.0,)}},
        {"levels": {"blur": ()}},
        {"levels": {"jpeg": (0.0,)}},
        {"seed": -1},
    ],
)
def test_choices_that_cannot_be_meant_are_refused(settings):
    with pytest.raises(ParameterError):
        RepeatabilityChoice(**settings)


def test_levels_are_kept_in_order_and_all_are_published_by_default():
    assert RepeatabilityChoice(levels={"blur": (3.0, 1.0, 3.0)}).levels_of("blur") == (1.0, 3.0)
    assert len(RepeatabilityChoice().steps()) == 61
    assert N_BINS == 10


@pytest.mark.parametrize("methods", [[], [Lots(), Lots()]])
def test_methods_are_there_and_have_names_of_their_own(files, methods):
    with pytest.raises(ParameterError):
        repeatability(methods, files, **BRIGHTNESS)
