"""Recall of methods against the mAP of detectors: planted relations are found."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from boxlens import evaluate
from boxlens.data import Detections
from boxlens.data.windows import Windows
from boxlens.errors import ParameterError
from boxlens.formats.method_scores import MethodScores, Setting, read_method_scores
from boxlens.report.described import describe
from boxlens.report.readers.terminal import study_text
from boxlens.studies.proposals.detection_use.correlation import (
    CORRELATION_IOUS,
    correlate_recall,
    pearson,
)
from boxlens.studies.proposals.detection_use.filtering import (
    FILTER_IOU,
    NMS_IOU,
    near_proposals,
    suppressed,
)
from boxlens.studies.proposals.detection_use.method_scoring import (
    scores_of_detections,
    scores_of_filtered,
)
from boxlens.studies.proposals.detection_use.verdict import correlation_sentences, r_by_chance
from boxlens.studies.proposals.sources import Searching, find_proposed
from planted_worlds import world_of

N_IMAGES = 40
FILTERING = {"budget": 1000, "filter_iou": FILTER_IOU, "nms_iou": NMS_IOU}
SIDE = 100.0
# One object per image; the first half of class a, the others of class b.
DATASET = world_of(
    [[0, 0, SIDE, SIDE]] * N_IMAGES,
    classes=[0] * 20 + [1] * 20,
    n_images=N_IMAGES,
    image_row=range(N_IMAGES),
)


def method_of(name, iou, searched=None):
    """One proposal per image, with these overlaps."""
    boxes = [[0, 0, SIDE * value, SIDE] for value in iou]
    known = np.ones(N_IMAGES, dtype=bool) if searched is None else searched
    rows = np.flatnonzero(known)
    return Windows.of(
        name, N_IMAGES, image_row=rows, box=[boxes[row] for row in rows], searched=known
    )


def proposed(methods):
    return find_proposed(DATASET, methods, [1000], Searching())


def overlaps_of(n_methods, seed=0):
    chance = np.random.default_rng(seed)
    return [chance.beta(2 + m, 2, N_IMAGES) for m in range(n_methods)]


def scores_of(values, detector="", by_class=None):
    return MethodScores(
        "mAP",
        {Setting(detector, f"m{m}"): value for m, value in enumerate(values)},
        {Setting(detector, f"m{m}"): one for m, one in enumerate(by_class or [])},
    )


def recall_of(iou):
    return [np.mean(iou >= threshold - 1e-9) for threshold in CORRELATION_IOUS]


def average_recall_of(iou):
    return 2 * np.mean(np.maximum(iou - 0.5, 0))


@pytest.mark.parametrize("seed", range(10))
def test_pearson_is_that_of_scipy(seed):
    chance = np.random.default_rng(seed)
    x, y = chance.normal(size=(2, 3 + seed))
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert pearson(x, 3 * x - 1) == pytest.approx(1.0)


def test_pearson_needs_three_pairs_that_differ():
    three = np.array([0.1, 0.2, 0.3])
    assert math.isnan(pearson(three[:2], three[:2]))
    assert math.isnan(pearson(three, np.full(3, 0.1)))
    assert math.isnan(pearson(np.full(3, 0.1), three))
    assert math.isnan(pearson(three, np.array([0.1, np.nan, 0.3])))


def test_correlations_are_over_methods_at_each_iou_and_with_average_recall():
    overlaps = overlaps_of(7)
    chance = np.random.default_rng(3)
    maps = chance.uniform(0.2, 0.7, 7)
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps)]
    result = correlate_recall(DATASET, methods, scores=scores_of(maps), budget=1000)
    (one,) = result.correlations
    assert (one.detector, one.class_name, one.n_methods) == ("", "", 7)
    np.testing.assert_allclose(one.ious, np.arange(0.5, 1.001, 0.025))
    recall = np.array([recall_of(iou) for iou in overlaps])
    for column, r in zip(recall.T, one.at_iou, strict=True):
        if column.min() < column.max():
            assert r == pytest.approx(stats.pearsonr(column, maps).statistic)
        else:
            assert math.isnan(r)
    average = [average_recall_of(iou) for iou in overlaps]
    assert one.with_ar == pytest.approx(stats.pearsonr(average, maps).statistic)
    partial = recall[:, :9].mean(axis=1)
    assert one.with_partial_ar == pytest.approx(stats.pearsonr(partial, maps).statistic)
    assert [row.ar for row in result.scores] == pytest.approx(average)
    assert [row.map for row in result.scores] == pytest.approx(maps)
    assert [row.n_mean for row in result.scores] == [1.0] * 7


def test_ap_of_a_class_goes_with_the_recall_of_its_objects():
    overlaps = overlaps_of(5)
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps)]
    by_class = [
        {"a": 0.1 + 0.5 * average_recall_of(iou[:20]), "b": 0.9 - average_recall_of(iou[20:])}
        for iou in overlaps
    ]
    result = correlate_recall(
        DATASET, methods, scores=scores_of(np.linspace(0, 1, 5), "rcnn", by_class)
    )
    found = {one.class_name: one for one in result.correlations}
    assert list(found) == ["", "a", "b"]
    assert found["a"].with_ar == pytest.approx(1.0)
    assert found["b"].with_ar == pytest.approx(-1.0)
    assert all(one.detector == "rcnn" for one in result.correlations)
    sentences = correlation_sentences(result)
    assert sentences[0].startswith(
        "Over 5 methods, mAP of rcnn correlates with average recall at r = 0."
    )
    assert "Class by class" in sentences[2]
    assert sentences[3] == (
        "By chance alone, |r| exceeds 0.878 with 5 methods once in twenty times; the highest of "
        "several does so more often."
    )
    json.dumps(result.to_json(), allow_nan=False)


def test_every_detector_is_correlated_over_its_own_methods():
    overlaps = overlaps_of(6)
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps)]
    average = [average_recall_of(iou) for iou in overlaps]
    scores = {Setting("first", f"M{m}"): value for m, value in enumerate(average)}
    scores |= {Setting("second", f"m{m}"): 1 - value for m, value in enumerate(average[:4])}
    result = correlate_recall(DATASET, methods, scores=MethodScores("mAP", scores))
    assert [(one.detector, one.n_methods) for one in result.correlations] == [
        ("first", 6),
        ("second", 4),
    ]
    assert [one.with_ar for one in result.correlations] == pytest.approx([1.0, -1.0])


def test_detectors_keep_their_order_in_sentences_and_tables():
    overlaps = overlaps_of(3)
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps)]
    scores = {
        Setting(detector, f"m{m}"): average_recall_of(iou)
        for detector in ("zebra", "ape")
        for m, iou in enumerate(overlaps)
    }
    result = correlate_recall(DATASET, methods, scores=MethodScores("mAP", scores))
    text = study_text(describe(result), detail=True)
    for part in (" ".join(result.sentences), *text.split("\n\n")[3:]):
        assert part.index("zebra") < part.index("ape")
        assert part.rindex("zebra") < part.rindex("ape")


@pytest.mark.parametrize(("n", "r"), [(3, 0.997), (4, 0.950), (6, 0.811), (16, 0.497)])
def test_chance_reaches_what_tables_of_pearsons_r_say(n, r):
    assert r_by_chance(n) == pytest.approx(r, abs=5e-4)


def test_a_correlation_that_chance_reaches_predicts_nothing():
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps_of(6))]
    average = [average_recall_of(iou) for iou in overlaps_of(6)]
    sure = correlation_sentences(correlate_recall(DATASET, methods, scores=scores_of(average)))
    assert "predicts it best (r = " in sure[1]
    assert "the highest of 20 correlations)" in sure[1]
    unsure = correlation_sentences(
        correlate_recall(DATASET, methods, scores=scores_of([0.3, 0.2, 0.4, 0.25, 0.2, 0.5]))
    )
    assert "correlates most, but not beyond chance (r = 0." in unsure[1]
    assert not any("predicts" in sentence for sentence in unsure)
    assert "exceeds 0.811 with 6 methods" in unsure[-1]


def test_fewer_than_three_methods_are_refused():
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps_of(3))]
    with pytest.raises(ParameterError, match=r"at least three methods .*got 2.*FILE, --method"):
        correlate_recall(DATASET, methods[:2], scores=scores_of([0.1, 0.9]))
    with pytest.raises(ParameterError, match=r"proposals are of m0, m1, m2; scores of m0, m1$"):
        correlate_recall(DATASET, methods, scores=scores_of([0.1, 0.9]))
    with pytest.raises(ParameterError, match="scores of none"):
        correlate_recall(DATASET, methods, scores=scores_of([]))


def test_scores_that_do_not_differ_tell_nothing():
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps_of(3))]
    result = correlate_recall(DATASET, methods, scores=scores_of([0.5, 0.5, 0.5]))
    (one,) = result.correlations
    assert math.isnan(one.with_ar)
    assert np.isnan(one.at_iou).all()
    (sentence,) = correlation_sentences(result)
    assert sentence.startswith("No correlation: 3 methods have proposals and a score")


def test_what_has_no_partner_is_counted():
    methods = [method_of(name, overlaps_of(1)[0]) for name in ("m0", "m1", "m2", "unscored")]
    scores = scores_of([0.1, 0.2, 0.3, 0.4], by_class=[{"a": 0.5, "zebra": 0.2}])
    result = correlate_recall(DATASET, methods, scores=scores)
    assert {one.code: one.count for one in result.notices} == {
        "score_without_proposals": 1,
        "proposals_without_score": 1,
        "unknown_class": 1,
    }
    assert result.notices[0].message.startswith("scores of 1 method skipped")
    assert "m3" in result.notices[0].message
    assert "unscored" in result.notices[1].message
    assert [one.method for one in result.scores] == ["m0", "m1", "m2"]


def test_recall_is_that_of_images_which_all_methods_have_searched():
    overlaps = overlaps_of(3)
    half = np.arange(N_IMAGES) < 20
    methods = [
        method_of(f"m{m}", iou, searched=half if m == 1 else None) for m, iou in enumerate(overlaps)
    ]
    result = correlate_recall(DATASET, methods, scores=scores_of([0.1, 0.2, 0.4]))
    assert [row.ar for row in result.scores] == pytest.approx(
        [average_recall_of(iou[:20]) for iou in overlaps]
    )
    (notice,) = result.notices
    assert (notice.code, notice.count) == ("not_searched_by_all", 20)


def test_scores_come_from_a_file(tmp_path):
    path = tmp_path / "scores.csv"
    overlaps = overlaps_of(4)
    lines = [f"m{m},{average_recall_of(iou):.17g}" for m, iou in enumerate(overlaps)]
    path.write_text("\n".join(["method,mAP", *lines]), encoding="utf-8")
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps)]
    result = correlate_recall(DATASET, methods, scores=read_method_scores(path))
    assert result.correlations[0].with_ar == pytest.approx(1.0)
    (other,) = result.to_json()["provenance"]["others"]
    assert other["path"] == str(path)


def raw_detections(seed=5):
    """Boxes around the objects, scored by their overlap."""
    chance = np.random.default_rng(seed)
    iou = chance.uniform(0.3, 1, 5 * N_IMAGES)
    rows = np.repeat(np.arange(N_IMAGES), 5)
    return Detections.of(
        "detector",
        N_IMAGES,
        image_row=rows,
        class_row=(rows >= 20).astype(int),
        box=[[0, 0, SIDE * value, SIDE] for value in iou],
        score=iou * chance.uniform(0.5, 1, len(iou)),
    )


@pytest.mark.parametrize("metric", ["AP50", "AP"])
def test_raw_detections_are_filtered_by_each_method_and_evaluated(metric):
    raw = raw_detections()
    methods = [method_of(f"m{m}", iou) for m, iou in enumerate(overlaps_of(3))]
    found = proposed(methods)
    scores, _ = scores_of_filtered(DATASET, [raw], found, metric, **FILTERING)
    filtered = {
        one.name: suppressed(raw.where(near_proposals([raw], one, 1000).near[0])) for one in found
    }
    for name, table in filtered.items():
        (expected,) = evaluate(DATASET, table).detectors
        setting = Setting("detector", name)
        assert scores.overall[setting] == expected.metrics[metric]
        assert scores.by_class[setting]["b"] == expected.classes[1].metrics[metric]
    # Run elsewhere on those proposals, the same detections are scored the same.
    given = scores_of_detections(DATASET, filtered, (), metric)
    assert list(given.overall.values()) == list(scores.overall.values())
    result = correlate_recall(DATASET, methods, raw=raw, metric=metric)
    assert [row.map for row in result.scores] == list(scores.overall.values())
    assert result.parameters == {"metric": metric, "filter_iou": 0.8, "nms_iou": 0.3}
    # Classes without objects have no AP to correlate.
    assert [one.class_name for one in result.correlations] == ["", "a", "b"]
    json.dumps(result.to_json(), allow_nan=False)


def test_filtered_detections_are_scored_on_images_that_were_searched():
    half = np.arange(N_IMAGES) < 20
    perfect = method_of("m0", np.ones(N_IMAGES), searched=half)
    raw = Detections.of(
        "detector",
        N_IMAGES,
        image_row=range(20),
        class_row=[0] * 20,
        box=DATASET.gt.box[:20],
        score=np.ones(20),
    )
    scores, _ = scores_of_filtered(DATASET, [raw], proposed([perfect]), "AP50", **FILTERING)
    assert scores.overall[Setting("detector", "m0")] == pytest.approx(1.0)
    assert [one.code for one in scores.notices] == ["not_searched_by_all"]


def test_what_cannot_be_meant_is_refused():
    methods = [method_of(name, np.ones(N_IMAGES)) for name in ("m0", "m1", "M0")]
    with pytest.raises(ParameterError, match="budget"):
        correlate_recall(DATASET, methods, scores=scores_of([0.1]), budget=0)
    with pytest.raises(ParameterError, match="two methods"):
        correlate_recall(DATASET, methods, scores=scores_of([0.1]))
    with pytest.raises(ParameterError, match="metric"):
        correlate_recall(DATASET, methods, dt=[raw_detections()] * 3, metric="AP75")
