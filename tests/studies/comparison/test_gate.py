"""A gate fails on what is worse beyond chance and on what is not known, and on nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

import boxlens
from boxlens.data import select_images
from boxlens.errors import BoxlensError
from boxlens.metrics.bootstrap import resample
from boxlens.metrics.evaluation import choose, samplers
from boxlens.metrics.intervals import ResamplingChoice, interval
from boxlens.studies.comparison.gating.decision import _of_rules, plan_gate
from studies.comparison.gate_worlds import detector, judged, verdicts, world
from studies.comparison.real_detectors import coco_detectors

NIGHT = {"attribute": {"name": "light", "value": "night"}}


@pytest.fixture(scope="module")
def dataset():
    return world()


def test_a_detector_against_itself_passes_and_is_told_to_be_the_same(dataset):
    one = detector(dataset, "a")
    rules = ("AP >= baseline", "AP of each class >= baseline", "AR100 <= baseline")
    result = judged(dataset, one, one, *rules)
    assert result.passed
    assert verdicts(result) == ["pass"] * 4
    assert "identical" in [notice.code for notice in result.notices]


def test_being_better_than_itself_is_asked_too_much_but_within_chance(dataset):
    one = detector(dataset, "a")
    result = judged(dataset, one, one, "AP > baseline")
    assert result.passed
    (outcome,) = result.outcomes
    assert (outcome.verdict, outcome.p) == ("warning", 0.5)
    assert "is at the limit" in outcome.reason


def test_a_clearly_worse_candidate_fails_and_a_better_one_passes(dataset):
    good, bad = detector(dataset, "good", 0.9), detector(dataset, "bad", 0.4)
    rules = ("AP >= baseline - 0.002", "AP of each class >= baseline * 0.98", "AP >= 0.7")
    worse = judged(dataset, good, bad, *rules)
    assert not worse.passed
    assert verdicts(worse) == ["fail"] * 4
    assert all(outcome.p_holm < 1e-6 for outcome in worse.outcomes)
    assert "FAILED: 0 of 4 rules hold, 4 broken beyond chance" in repr(worse)
    assert judged(dataset, bad, good, *rules).passed


def test_a_little_worse_passes_with_a_warning_that_says_what_would_show(dataset):
    result = judged(
        dataset, detector(dataset, "a", 0.8), detector(dataset, "b", 0.79), "AP >= baseline"
    )
    (outcome,) = result.outcomes
    assert result.passed
    assert outcome.verdict == "warning"
    assert outcome.candidate < outcome.limit
    assert outcome.p_holm >= 0.05
    errors_apart = NormalDist().inv_cdf(0.95) + NormalDist().inv_cdf(0.8)
    assert outcome.detectable == pytest.approx(errors_apart * outcome.margin.se)
    assert f"{outcome.detectable:.4f}" in outcome.reason


def test_estimates_alone_can_be_made_to_fail(dataset):
    pair = detector(dataset, "a", 0.8), detector(dataset, "b", 0.79)
    result = judged(dataset, *pair, "AP >= baseline", "AP <= 0.99", fail_on_estimate=True)
    assert not result.passed
    assert verdicts(result) == ["fail", "pass"]
    assert "within chance" in result.outcomes[0].reason


def test_without_rules_the_main_number_must_not_fall_and_a_notice_says_so(dataset):
    good, bad = detector(dataset, "good", 0.9), detector(dataset, "bad", 0.4)
    result = judged(dataset, good, bad)
    assert [outcome.text for outcome in result.outcomes] == ["AP >= baseline"]
    assert not result.passed
    assert [notice.code for notice in result.notices] == ["default_rule"]
    assert judged(dataset, good, bad, protocol="voc12").outcomes[0].text == "mAP >= baseline"


@pytest.mark.parametrize("protocol", ["coco", "voc07", "voc12", "lvis", "openimages"])
def test_values_are_those_of_an_evaluation(dataset, protocol):
    pair = detector(dataset, "a", 0.8), detector(dataset, "b", 0.7, seed=1)
    evaluated = boxlens.evaluate(dataset, pair, protocol=protocol).detectors
    main = next(iter(evaluated[0].metrics))
    rules = (f"{main} >= 0.01", "AP of dog >= 0.01")
    whole, dog = judged(dataset, *pair, *rules, protocol=protocol).outcomes
    expected = [one.metrics[main] for one in evaluated]
    assert [whole.baseline, whole.candidate] == pytest.approx(expected, abs=1e-12)
    expected = [one.classes[1].metrics["AP"] for one in evaluated]
    assert [dog.baseline, dog.candidate] == pytest.approx(expected, abs=1e-12)


def test_values_of_slices_are_those_of_their_part(dataset):
    pair = detector(dataset, "a", 0.8), detector(dataset, "b", 0.7, seed=1)
    ids = list(range(1, 31))
    slices = {"dogs": {"classes": ["dog"]}, "first": {"images": ids}, "night": NIGHT}
    rules = [f"AP50 of slice:{name} >= 0.01" for name in slices]
    dogs, first, night = judged(dataset, *pair, *rules, slices=slices).outcomes
    table = pair[1]
    ap50 = boxlens.evaluate(dataset, table).detectors[0].classes[1].metrics["AP50"]
    assert dogs.candidate == pytest.approx(ap50, abs=1e-12)
    part = boxlens.evaluate(*select_images(dataset, table, np.arange(30)))
    assert first.candidate == pytest.approx(part.detectors[0].metrics["AP50"], abs=1e-12)
    assert first.n_images == 30
    ignored = replace(dataset.gt, difficult=dataset.gt.attributes["light"] != "night")
    part = boxlens.evaluate(replace(dataset, gt=ignored), table)
    assert night.candidate == pytest.approx(part.detectors[0].metrics["AP50"], abs=1e-12)
    assert night.n_images == len({*dataset.gt.image_row[~ignored.difficult]})


def test_what_is_tested_is_the_paired_margin_of_every_replicate(dataset):
    pair = [detector(dataset, "a", 0.8), detector(dataset, "b", 0.79, seed=1)]
    choice = ResamplingChoice(n_replicates=150, seed=3)
    rule = "AP >= baseline * 0.9"
    (outcome,) = judged(dataset, *pair, rule, replicates=150, seed=3).outcomes
    old, new = resample(samplers(dataset, pair, choose()), choice)
    expected = interval(
        outcome.candidate - 0.9 * outcome.baseline,
        new.bootstrap.whole["AP"] - 0.9 * old.bootstrap.whole["AP"],
        new.jackknife.whole["AP"] - 0.9 * old.jackknife.whole["AP"],
        choice,
        difference=True,
    )
    for name in ("value", "low", "high", "se", "se_jackknife", "bias", "centre"):
        assert getattr(outcome.margin, name) == pytest.approx(getattr(expected, name), abs=1e-12)


def test_an_upper_limit_is_tested_from_the_other_side(dataset):
    good, bad = detector(dataset, "good", 0.9), detector(dataset, "bad", 0.4)
    result = judged(dataset, bad, good, "AP <= baseline", "AP < 0.99")
    assert verdicts(result) == ["fail", "pass"]
    assert "is above the limit" in result.outcomes[0].reason


def test_a_regression_of_one_class_or_slice_is_found_there_only(dataset):
    good = detector(dataset, "good", 0.9)
    bad = detector(dataset, "bad", 0.9, found_of={"dog": 0.5})
    result = judged(dataset, good, bad, "AP of each class >= baseline")
    assert [(str(one.of), one.verdict) for one in result.outcomes] == [
        ("cat", "pass"),
        ("dog", "fail"),
    ]
    night = dataset.gt.attributes["light"] == "night"
    lost = good.where(~np.isin(good.image_row, dataset.gt.image_row[night]) | (good.score < 0.5))
    rules = ("AP50 of slice:night >= baseline", "AP50 of slice:day >= baseline - 0.05")
    day = {"attribute": {"name": "light", "value": "day"}}
    result = judged(dataset, good, lost, *rules, slices={"night": NIGHT, "day": day})
    assert verdicts(result) == ["fail", "pass"]


def test_a_data_set_or_slice_of_few_images_does_not_pass(dataset):
    small = world(9)
    one = detector(small, "a")
    result = judged(small, one, one, "AP >= baseline", "AP of cat >= 0.01")
    assert verdicts(result) == ["error", "error"]
    assert not result.passed
    one = detector(dataset, "a")
    few = {"few": {"images": [1, 2, 3]}}
    assert verdicts(
        judged(dataset, one, one, "AP of slice:few >= 0.01", "AP >= 0.01", slices=few)
    ) == [
        "error",
        "pass",
    ]


def test_what_is_undefined_does_not_pass():
    dataset = world(40, ("cat", "dog"))
    one = detector(dataset, "a")
    no_dogs = dataset.where(dataset.gt.class_row == 0)
    result = judged(no_dogs, one, one, "AP of dog >= 0.01", "APl >= 0.01", "AP >= 0.01")
    assert verdicts(result) == ["error", "error", "pass"]
    assert "no objects that count" in result.outcomes[0].reason
    assert not result.passed
    nothing = dataset.where(np.zeros(len(dataset.gt), dtype=bool))
    assert not judged(nothing, one, one).passed
    fractions = replace(dataset, relative=True)
    assert verdicts(judged(fractions, one, one, "APm >= 0.01")) == ["error"]


def test_a_result_without_any_rule_has_not_passed(dataset):
    one = detector(dataset, "a")
    assert not replace(judged(dataset, one, one), outcomes=()).passed


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("AP500 >= baseline", "no metric is called 'AP500'. Did you mean 'AP50'?"),
        ("ap >= baseline", "Did you mean 'AP'?"),
        ("AR1 of cat >= baseline", "no metric of a class is called 'AR1'"),
        ("AR1 of each class >= baseline", "no metric of a class is called 'AR1'"),
        ("mAP of slice:night >= baseline", "no metric of a slice is called 'mAP'"),
        ("AP of cot >= baseline", "no class is called 'cot'. Did you mean 'cat'?"),
        ("AP of night >= baseline", "no class is called 'night'. The slice is slice:night"),
        ("AP of slice:nigth >= baseline", "no slice is called 'nigth'. Did you mean 'night'?"),
    ],
)
def test_names_that_nothing_has_are_refused(dataset, rule, told):
    one = detector(dataset, "a")
    with pytest.raises(BoxlensError) as error:
        judged(dataset, one, one, rule, slices={"night": NIGHT})
    assert told in str(error.value)
    assert str(error.value).startswith(f"rule {rule!r}: ")


def test_an_unused_slice_is_noted_and_checked(dataset):
    one = detector(dataset, "a")
    result = judged(dataset, one, one, "AP >= 0.01", slices={"night": NIGHT})
    assert "unused_slice" in [notice.code for notice in result.notices]
    with pytest.raises(BoxlensError, match="no class is called 'cow'"):
        judged(dataset, one, one, "AP >= 0.01", slices={"x": {"classes": ["cow"]}})


def test_replicates_that_are_left_out_are_counted(dataset):
    one = detector(dataset, "a")
    (outcome,) = judged(dataset, one, one, "AP >= 0.01").outcomes
    partly = replace(outcome, margin=replace(outcome.margin, n_undefined=3))
    plan = plan_gate(["AP >= 0.01"], None, {}, {})
    (notice,) = _of_rules(plan, plan.rules, [outcome, partly], [])
    assert notice.message.startswith("1 rule undefined in some replicates")
    assert "(first: AP >= 0.01, in 3 of 1,000)" in notice.message


@pytest.mark.slow
def test_two_real_detectors_pass_one_way_only():
    dataset, (good, weak), _, _ = coco_detectors()
    rules = ("AP >= baseline - 0.002", "AP of each class >= baseline - 0.05")
    worse = judged(dataset, good, weak, *rules)
    assert worse.outcomes[0].verdict == "fail"
    assert not worse.passed
    assert [(one.name, one.n_images) for one in worse.untested] == [
        ("toaster", 8),
        ("hair drier", 9),
    ]
    better = judged(dataset, weak, good, *rules)
    assert better.passed
    assert len(better.of_verdict("pass")) == len(better.outcomes) == 1 + 80
    untested = [one for one in better.outcomes if "not tested" in one.reason]
    assert [(str(one.of), one.n_images) for one in untested] == [("toaster", 8), ("hair drier", 9)]
    assert better.headline == "passed: 81 of 81 rules hold, 2 classes not tested"


def test_the_order_of_rules_and_the_number_of_threads_do_not_matter(dataset):
    pair = detector(dataset, "a", 0.8), detector(dataset, "b", 0.75, seed=1)
    rules = ("AP of slice:night >= baseline", "AP >= baseline", "AP of dog >= baseline")
    first = judged(dataset, *pair, *rules, slices={"night": NIGHT}, threads=1)
    again = judged(dataset, *pair, *rules[::-1], slices={"night": NIGHT}, threads=2)
    assert first.outcomes == again.outcomes[::-1]


def test_json_is_plain_and_undefined_is_null(dataset):
    one = detector(dataset, "a")
    few = {"few": {"images": [1, 2, 3]}}
    result = judged(dataset, one, one, "AP >= baseline", "APl of slice:few >= 0.01", slices=few)
    document = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert document["schema"] == "boxlens/gate/1"
    kept, unknown = document["results"]["rules"]
    assert kept["verdict"] == "pass"
    assert kept["margin"]["ci"] == [0, 0]
    assert (unknown["verdict"], unknown["candidate"], unknown["p"]) == ("error", None, None)
    assert document["results"]["passed"] is False
    assert document["parameters"]["n_replicates"] == 100


def test_files_and_their_rules_give_what_tables_give(dataset, tmp_path):
    pair = detector(dataset, "a", 0.8), detector(dataset, "b", 0.75, seed=1)
    boxlens.write_dataset(dataset, tmp_path / "gt.json", format="coco")
    for name, table in zip("ab", pair, strict=True):
        boxlens.write_detections(table, dataset, tmp_path / f"{name}.json", format="coco")
    (tmp_path / "rules.toml").write_text(
        "[gate]\nreplicates = 100\n[[rule]]\nmetric = 'AP'\nat_least = 'baseline - 0.5'\n",
        encoding="utf-8",
    )
    paths = [tmp_path / name for name in ("gt.json", "a.json", "b.json")]
    from_files = boxlens.gate(*paths, rules_file=tmp_path / "rules.toml")
    (one,) = judged(dataset, *pair, "AP >= baseline - 0.5").outcomes
    (other,) = from_files.outcomes
    assert other.candidate == pytest.approx(one.candidate, abs=1e-9)
    assert other.verdict == one.verdict
    assert from_files.provenance.to_json()["detections"][1]["sha256"]
