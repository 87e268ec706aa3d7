"""Real detectors on real photographs: what is known to hurt hurts, and more of it hurts more."""

from __future__ import annotations

import numpy as np
import pytest

import boxlens
from boxlens.images import find_images
from boxlens.images.files import evenly_spread
from boxlens.studies.robustness.result import METRICS
from running import boxlens_here
from shared_data import shared

REASON = "needs onnxruntime: pip install 'boxlens[onnx]'"
N_PHOTOGRAPHS = 12
SEVERITIES = (1, 3, 5)
# The strongest of each group; on so few pictures others are not in order at every severity.
CORRUPTIONS = ("gaussian_noise", "defocus_blur", "contrast", "pixelate")
WHOLE = ("vertical_flip", "gaussian_blur", "graded_blur:1:8", "graded_jpeg:5:80")


@pytest.fixture(scope="module")
def dataset():
    return boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))


def photographed(dataset, n):
    """The images of so many photographs, evenly spread, and their files."""
    files, _ = find_images(shared("images"), dataset=dataset)
    rows = evenly_spread(len(files), n)
    chosen = dataset.select_images(np.flatnonzero(np.isin(dataset.images.id, files.ids[rows])))
    return chosen, [files.paths[row] for row in rows]


@pytest.fixture(scope="module")
def fastestdet(dataset):
    pytest.importorskip("onnxruntime", reason=REASON)
    return boxlens.robustness(
        dataset,
        shared("models", "fastestdet_352.onnx"),
        images=shared("images"),
        transforms=[*WHOLE, "crop", *CORRUPTIONS],
        severities=SEVERITIES,
        n_images=N_PHOTOGRAPHS,
    )


@pytest.fixture(scope="module")
def ap(fastestdet):
    """By the name of the set."""
    [detector] = fastestdet.detectors
    steps = (detector.clean, *detector.steps)
    return {one.step.slug: one.metrics["AP"] for one in steps}


def test_the_unchanged_photographs_are_not_hopeless(ap):
    """A drop says something only where there is something to lose."""
    assert ap["clean"] > 0.2


@pytest.mark.parametrize("family", CORRUPTIONS)
def test_ap_falls_from_severity_to_severity(ap, family):
    found = [ap["clean"], *(ap[f"{family}-{severity}"] for severity in SEVERITIES)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0] / 2


def test_upside_down_at_least_a_third_is_lost(ap):
    assert ap["vertical_flip"] <= ap["clean"] * 2 / 3


def test_blur_costs_more_the_wider_it_is(ap):
    assert ap["clean"] > ap["graded_blur-1"] > ap["gaussian_blur"] > ap["graded_blur-8"]


def test_few_bytes_cost_more_than_many(ap):
    assert ap["graded_jpeg-5"] < 0.8 * ap["graded_jpeg-80"]
    assert ap["graded_jpeg-80"] == pytest.approx(ap["clean"], rel=0.1)


def test_the_mean_under_corruption_is_that_of_its_families(fastestdet, ap):
    whole = fastestdet.detectors[0].corrupted[0]
    found = [ap[f"{family}-{severity}"] for family in CORRUPTIONS for severity in SEVERITIES]
    assert (whole.n_corruptions, whole.complete) == (len(CORRUPTIONS), False)
    assert whole.ap == pytest.approx(sum(found) / len(found))
    assert whole.relative == pytest.approx(whole.ap / ap["clean"])


def test_every_set_has_all_photographs_or_one_an_object(dataset, fastestdet):
    sets = {one.step.slug: one for one in fastestdet.sets}
    chosen, _ = photographed(dataset, N_PHOTOGRAPHS)
    n_objects = int(np.count_nonzero(~chosen.gt.crowd))
    assert len(sets) == 1 + 6 + 1 + len(CORRUPTIONS) * len(SEVERITIES)
    crops = sets.pop("crop")
    assert {one.n_images for one in sets.values()} == {N_PHOTOGRAPHS}
    assert {one.n_objects for one in sets.values()} == {n_objects}
    assert (crops.n_images, crops.n_objects) == (n_objects, n_objects)
    assert fastestdet.failed == ()


def test_the_unchanged_set_is_scored_as_detect_and_evaluate_do(dataset, tmp_path):
    """YOLOX-nano in memory, and through the command and a file: equal to the last bit."""
    pytest.importorskip("onnxruntime", reason=REASON)
    model = shared("models", "yolox_nano_416.onnx")
    chosen, paths = photographed(dataset, 6)
    [detector] = boxlens.robustness(
        dataset, model, images=shared("images"), transforms="vertical_flip", n_images=6
    ).detectors
    boxlens.write_dataset(chosen, tmp_path / "gt.json", format="coco")
    found = ["--gt", "gt.json", "--model", str(model), "-o", "found.json"]
    assert boxlens_here("detect", *map(str, paths), *found, cwd=tmp_path).returncode == 0
    expected = boxlens.evaluate(chosen, tmp_path / "found.json").detectors[0].metrics
    assert detector.clean.metrics == {name: expected[name] for name in METRICS}
    assert detector.steps[0].metrics["AP"] < expected["AP"]
