"""What a gate says of mistakes: the name that was meant, the file, and the numbers that matter."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Notice
from boxlens.errors import BoxlensError, InputError, ParameterError
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.studies.comparison.choice import ComparisonChoice
from boxlens.studies.comparison.gating.decision import plan_gate
from boxlens.studies.comparison.gating.file import read_gate_file
from boxlens.studies.comparison.gating.mistakes import nearest
from boxlens.studies.comparison.gating.pair import check_pair
from boxlens.studies.comparison.gating.rules import parse_rule
from boxlens.studies.comparison.shared_images import shared_images
from studies.comparison.gate_worlds import detector, world
from studies.diagnosis.worlds import nothing_of

COCO = ["AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100"]


def test_one_rule_may_be_a_plain_text():
    (rule,) = plan_gate("AP >= baseline", None, {}, {}).rules
    assert str(rule) == "AP >= baseline"
    dataset = world(12)
    tables = [detector(dataset, name) for name in ("old", "new")]
    result = boxlens.gate(dataset, *tables, rules="AP >= baseline - 0.1", replicates=100)
    assert [one.text for one in result.outcomes] == ["AP >= baseline - 0.1"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("AP@0.5", "AP50"),
        ("AP@.50", "AP50"),
        ("AP_50", "AP50"),
        ("mAP50", "AP50"),
        ("mAP@0.75", "AP75"),
        ("AP@IoU=0.75", "AP75"),
        ("mAP", "AP"),
        ("ap", "AP"),
        ("AP@[.5:.95]", "AP"),
        ("mAP@[0.50:0.95]", "AP"),
        ("AP@[.5:.05:.95]", "AP"),
        ("mAP50-95", "AP"),
        ("AR@100", "AR100"),
        ("AP500", "AP50"),
        ("accuracy", None),
    ],
)
def test_metrics_in_the_spelling_of_other_tools_are_understood(word, meant):
    assert nearest(word, COCO) == meant


def test_names_that_merely_look_like_a_metric_are_found():
    assert nearest("map", ["mop", "cat"]) == "mop"
    assert nearest("mAP50", ["mAP", "mAP50", "mAP75"]) == "mAP50"


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("basline - 0.01", "Did you mean 'baseline - 0.01'?"),
        ("Baseline", "Did you mean 'baseline'?"),
        ("base-line", "is not a valid limit. A limit is"),
        ("forty", "is not a valid limit. A limit is"),
        ("0,4", "is not a valid limit. A limit is"),
    ],
)
def test_a_mistyped_baseline_is_understood(limit, told):
    with pytest.raises(ParameterError) as error:
        parse_rule(f"AP >= {limit}")
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[gate]\nlevel = 95\n", "gate: level: level must be between 0.5 and 1, got 95"),
        (
            "[gate]\nreplicates = 50\n",
            "gate: replicates: n_replicates (--replicates): expected a whole number from 100",
        ),
        ("[gate]\nseed = -1\n", "gate: seed: seed (--seed): expected a whole number from 0"),
        ("[gate]\nprotocol = 'coc'\n", "no protocol is called 'coc'. Did you mean 'coco'?"),
        ("[slices.night]\nimages = 'nofile.txt'\n", "slice night: images: "),
    ],
)
def test_a_mistake_in_a_file_names_the_file_and_the_place(tmp_path, text, told):
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_gate_file(path)
    assert error.value.path == str(path)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: ResamplingChoice(n_replicates=50), "n_replicates (--replicates)"),
        (lambda: ResamplingChoice(level=95), "--level"),
        (lambda: ResamplingChoice(seed=-1), "--seed"),
        (lambda: ComparisonChoice(n_permutations=50), "permutations (--permutations)"),
        (lambda: ComparisonChoice(n_permutations=-5), "to 1,000,000, got -5"),
    ],
)
def test_a_number_that_cannot_be_meant_is_told_with_its_option(made, told):
    with pytest.raises(ParameterError) as error:
        made()
    assert told in str(error.value)


@pytest.mark.parametrize(("level", "least"), [(0.995, 200), (0.999, 1000), (0.9999, 10000)])
def test_a_high_level_says_how_many_exchanges_it_takes(level, least):
    at_level = ResamplingChoice(level=level)
    with pytest.raises(ParameterError, match=f"needs {least:,} exchanges or more"):
        ComparisonChoice(resampling=at_level, n_permutations=least - 1)
    choice = ComparisonChoice(resampling=at_level, n_permutations=least)
    replace(choice.discriminative, alpha=choice.alpha, n_permutations=least)


def test_gaps_are_counted_among_the_images_of_the_other_one():
    dataset = world(40)
    whole = detector(dataset, "whole")
    baseline = whole.where(whole.image_row < 30)
    candidate = whole.where(whole.image_row >= 25)
    with pytest.raises(ParameterError, match="baseline has no detections in 10 of the 15 images"):
        check_pair(dataset, baseline, candidate, allow_gaps=False)
    notices = check_pair(dataset, baseline, candidate, allow_gaps=True)
    assert "candidate has no detections in 25 of the 30 images" in notices[1].message


def test_a_file_of_which_nothing_fits_is_named_as_such(tmp_path):
    dataset = world(12)
    whole = detector(dataset, "whole")
    record = {"image_id": 999_999, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5}
    path = tmp_path / "strange.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    strange = boxlens.read_detections(path, dataset)
    for pair in ((strange, whole), (whole, strange)):
        with pytest.raises(
            ParameterError, match=r"strange\.json: none of the 1 detections matches"
        ):
            check_pair(dataset, *pair, allow_gaps=True)
        for choice in ("check", "common"):
            with pytest.raises(BoxlensError, match="none of the 1 detections matches") as error:
                shared_images(dataset, pair, choice)
            assert "--images-used" not in str(error.value)
    # Who asks for all images gets them; the notice of the file says the rest.
    assert shared_images(dataset, [whole, strange], "all")[2] == (
        Notice(
            "silent_images",
            12,
            "strange: no detections on 12 images where another detector has some, which counts as "
            "nothing found",
        ),
    )


def test_a_detector_that_found_nothing_is_not_taken_for_a_stranger():
    dataset = world(12)
    whole = detector(dataset, "whole")
    assert (np.diff(whole.offsets) > 0).all()
    with pytest.raises(ParameterError, match="there is nothing to compare"):
        check_pair(dataset, whole, nothing_of(whole), allow_gaps=True)
